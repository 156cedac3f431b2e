# Things fall, slide, are attracted or pushed.


def solve_1a07d186(I):
    """Dots move straight to the line of their colour; dots that have no such line vanish."""
    full_lines = frontiers(I)
    lines = difference(full_lines, colorfilter(full_lines, BLACK))
    loose_cells = sfilter(difference(asobject(I), merge(lines)), first)
    dots = apply(initset, loose_cells)
    has_line = compose(rbind(contained, apply(color, lines)), color)
    line_of = compose(lbind(extract, lines), compose(lbind(matcher, color), color))
    move_to_line = fork(shift, identity, fork(gravitate, identity, line_of))
    output = paint(cover(I, loose_cells), mapply(move_to_line, sfilter(dots, has_line)))
    return output


def solve_1e0a9b12(I):
    """All coloured cells fall to the bottom of their columns."""
    columns = dmirror(I)
    # Black cells come first; the coloured ones stay in order.
    fallen = apply(rbind(order, positive), columns)
    output = dmirror(fallen)
    return output


def solve_1f642eb9(I):
    """Each single cell shines straight onto the rectangle and colours the edge cell it meets."""
    parts = objects(I, T, F, T)
    rectangle = argmax(parts, size)
    dots = remove(rectangle, parts)
    way_onto_edge = compose(crement, rbind(gravitate, rectangle))
    output = paint(I, mapply(fork(shift, identity, way_onto_edge), dots))
    return output


def solve_3618c87e(I):
    """Each blue ball drops through its post into the floor below."""
    balls = ofcolor(I, BLUE)
    without_balls = fill(I, BLACK, balls)
    output = fill(without_balls, BLUE, shift(balls, TWO_BY_ZERO))
    return output


def solve_3906de3d(I):
    """The red bars rise in their columns until they hit the blue ceiling or fill its gaps."""
    columns = dmirror(I)
    # Coloured cells come first; the black ones gather at the bottom.
    risen = apply(rbind(order, flip), columns)
    output = dmirror(risen)
    return output


def solve_4093f84a(I):
    """The loose cells turn gray and fall onto the gray band from both of its sides."""
    band = ofcolor(I, GREY)
    upright = portrait(band)
    loose_hue = other(remove(BLACK, palette(I)), GREY)
    all_gray = replace(I, loose_hue, GREY)
    # An upright band is laid flat first, so that all falls up or down.
    flat = branch(upright, dmirror(all_gray), all_gray)
    parted = increment(branch(upright, rightmost(band), lowermost(band)))
    upper = crop(flat, ORIGIN, astuple(parted, width(flat)))
    lower = crop(flat, toivec(parted), subtract(shape(flat), toivec(parted)))
    fallen_down = last(fall(astuple(ORIGIN, upper), TWO))
    fallen_up = last(fall(astuple(ORIGIN, lower), THREE))
    fallen = vconcat(fallen_down, fallen_up)
    output = branch(upright, dmirror(fallen), fallen)
    return output


def solve_54d82841(I):
    """Under the opening of each arch a yellow cell lies at the bottom of the grid."""
    openings = mapply(delta, objects(I, T, F, T))
    bottom_row = hfrontier(toivec(decrement(height(I))))
    output = fill(I, YELLOW, intersection(bottom_row, mapply(vfrontier, openings)))
    return output


def solve_5521c0d9(I):
    """Every rectangle moves up by its own height."""
    rectangles = objects(I, T, F, T)
    rise = chain(toivec, invert, height)
    risen = mapply(fork(shift, identity, rise), rectangles)
    output = paint(cover(I, merge(rectangles)), risen)
    return output


def solve_56dc2b01(I):
    """The green shape is drawn to the red wall, and a cyan wall closes in behind it."""
    shape_cells = ofcolor(I, GREEN)
    wall = ofcolor(I, RED)
    pull = gravitate(shape_cells, wall)
    landed = fill(cover(I, shape_cells), GREEN, shift(shape_cells, pull))
    # From the red wall back by the shape's extent and one more.
    back = multiply(invert(sign(pull)), increment(shape(shape_cells)))
    output = fill(landed, CYAN, shift(wall, back))
    return output


def solve_98cf29f8(I):
    """One of two rectangles has a line to the other: it is pulled along until they touch,
    and the line vanishes.
    """
    things = fgpartition(I)
    fixed = argmin(things, compose(size, delta))
    pulled = other(things, fixed)
    # The rectangle is what two by two blocks cover; the line is one cell wide.
    block = recolor(color(pulled), asindices(canvas(BLACK, TWO_BY_TWO)))
    body = mapply(lbind(shift, block), occurrences(I, block))
    output = paint(cover(I, pulled), shift(body, gravitate(body, fixed)))
    return output


def solve_a48eeaf7(I):
    """The gray dots are attracted by the red square: each moves to the nearest place right
    around it.
    """
    dots = apply(initset, ofcolor(I, GRAY))
    places = apply(initset, outbox(ofcolor(I, RED)))
    distance_to = lbind(lbind, manhattan)
    nearest_place = compose(lbind(argmin, places), distance_to)
    arrived = mapply(nearest_place, dots)
    output = fill(replace(I, GRAY, BLACK), GRAY, arrived)
    return output


def solve_ae3edfdc(I):
    """Green cells are drawn to the red one and orange cells to the blue one, each along its
    line until it touches.
    """
    red_cell = first(ofcolor(I, RED))
    blue_cell = first(ofcolor(I, BLUE))
    side_of_red = chain(lbind(add, red_cell), sign, rbind(subtract, red_cell))
    side_of_blue = chain(lbind(add, blue_cell), sign, rbind(subtract, blue_cell))
    emptied = replace(replace(I, GREEN, BLACK), ORANGE, BLACK)
    with_green = fill(emptied, GREEN, apply(side_of_red, ofcolor(I, GREEN)))
    output = fill(with_green, ORANGE, apply(side_of_blue, ofcolor(I, ORANGE)))
    return output


def solve_beb8660c(I):
    """All bars slide to the right and fall on the floor, sorted by length: the longest
    lies at the bottom.
    """
    slid = apply(rbind(order, positive), I)
    bar_length = compose(size, rbind(sfilter, positive))
    output = order(slid, bar_length)
    return output


def solve_d687bc17(I):
    """Dots move straight to the wall of their colour; dots that have no such wall vanish."""
    parts = objects(I, T, F, T)
    walls = sfilter(parts, rbind(bordering, I))
    dots = difference(parts, walls)
    has_wall = compose(rbind(contained, apply(color, walls)), color)
    wall_of = compose(lbind(extract, walls), compose(lbind(matcher, color), color))
    move_to_wall = fork(shift, identity, fork(gravitate, identity, wall_of))
    output = paint(cover(I, merge(dots)), mapply(move_to_wall, sfilter(dots, has_wall)))
    return output


def solve_d89b689b(I):
    """Four coloured dots are pulled into the cyan square: each takes the cell of it that is
    nearest.
    """
    dots = sizefilter(objects(I, T, F, T), ONE)
    seats = apply(initset, ofcolor(I, CYAN))
    distance_to = lbind(lbind, manhattan)
    nearest_seat = compose(lbind(argmin, seats), distance_to)
    seated = mapply(fork(recolor, color, nearest_seat), dots)
    output = paint(cover(I, merge(dots)), seated)
    return output


def solve_dc433765(I):
    """The green dot takes one step towards the yellow dot."""
    green_dot = recolor(GREEN, ofcolor(I, GREEN))
    step = position(green_dot, ofcolor(I, YELLOW))
    output = move(I, green_dot, step)
    return output
