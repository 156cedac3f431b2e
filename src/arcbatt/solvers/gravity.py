# Things fall, slide, are attracted or pushed.


def solve_1a07d186(I):
    """Dots move straight to the line of their color; dots that have no such line vanish."""
    full_lines = frontiers(I)
    lines = difference(full_lines, colorfilter(full_lines, mostcolor(I)))
    loose_cells = difference(foreground(I), merge(lines))
    dots = apply(initset, loose_cells)
    has_line = compose(rbind(contained, apply(color, lines)), color)
    line_of = compose(lbind(extract, lines), compose(lbind(matcher, color), color))
    move_to_line = fork(shift, identity, fork(gravitate, identity, line_of))
    output = paint(cover(I, loose_cells), mapply(move_to_line, sfilter(dots, has_line)))
    return output


def solve_1e0a9b12(I):
    """All colored cells fall to the bottom of their columns."""
    ground = mostcolor(I)
    columns = dmirror(I)
    # Empty cells come first; the colored ones stay in order.
    is_colored = compose(flip, lbind(equality, ground))
    fallen = apply(rbind(order, is_colored), columns)
    output = dmirror(fallen)
    return output


def solve_1f642eb9(I):
    """Each single cell shines straight onto the rectangle and colors the edge cell it meets."""
    ground = groundcolor(I)
    rectangle = argmax(objects_on(I, T, F, ground), size)
    dots = apply(initset, difference(not_of_color(I, ground), rectangle))
    level = fork(either, rbind(hmatching, rectangle), rbind(vmatching, rectangle))
    distance_from = compose(rbind(compose, initset), lbind(rbind, manhattan))
    edge_cell = compose(initset, compose(lbind(argmin, toindices(rectangle)), distance_from))
    output = paint(I, mapply(fork(recolor, color, edge_cell), sfilter(dots, level)))
    return output


def solve_3618c87e(I):
    """Each ball drops through its post to the bottom of the floor."""
    hue = leastcolor(I)
    balls = ofcolor(I, hue)
    ball = first(balls)
    # Beside a ball is its post, and otherwise ground.
    ground = mostcolor(toobject(dneighbors(ball), I))
    solid_cells = ofcolor(I, other(remove(hue, palette(I)), ground))
    way = subtract(first(intersection(dneighbors(ball), solid_cells)), ball)
    below_balls = intersection(mapply(rbind(shoot, way), balls), solid_cells)
    bottoms = difference(below_balls, shift(below_balls, invert(way)))
    output = fill(fill(I, ground, balls), hue, bottoms)
    return output


def solve_3906de3d(I):
    """The bars rise in their columns until they hit the ceiling or fill its gaps; ceilings may
    also be at other edges.
    """
    # The ceiling covers more of the edges than the bars do. It is turned to the top.
    on_edge = toobject(box(asindices(I)), I)
    hues = remove(mostcolor(I), palette(I))
    ceiling_hue = argmax(hues, lbind(colorcount, on_edge))
    turned = compose(lbind(mir_rot, I), lbind(add, THREE))
    n_turns = extract((4, 1, 2, 3), chain(lbind(contained, ceiling_hue), first, turned))
    columns = dmirror(turned(n_turns))
    # Colored cells come first; those of the ground gather at the bottom.
    is_ground = lbind(equality, mostcolor(I))
    risen = apply(rbind(order, is_ground), columns)
    output = power(rot270, n_turns)(dmirror(risen))
    return output


def solve_4093f84a(I):
    """The loose cells take the color of the band and fall onto it from both of its sides."""
    ground = groundcolor(I)
    band = extract(frontiers(I), compose(flip, matcher(color, ground)))
    band_cells = ofcolor(I, color(band))
    solid_cells = difference(asindices(I), ofcolor(I, ground))
    all_gray = fill(canvas(BLACK, shape(I)), GRAY, solid_cells)
    # An upright band is laid flat first, so that all falls up or down.
    upright = vline(band)
    flat = branch(upright, dmirror(all_gray), all_gray)
    parted = increment(branch(upright, rightmost(band_cells), lowermost(band_cells)))
    upper = crop(flat, ORIGIN, astuple(parted, width(flat)))
    lower = crop(flat, toivec(parted), shape(flat))
    fallen_down = last(fall(astuple(ORIGIN, upper), TWO))
    fallen_up = last(fall(astuple(ORIGIN, lower), THREE))
    fallen = vconcat(fallen_down, fallen_up)
    turned_back = branch(upright, dmirror(fallen), fallen)
    output = fill(canvas(ground, shape(I)), color(band), ofcolor(turned_back, GRAY))
    return output


def solve_54d82841(I):
    """Beams leave the openings of the arches; where they hit the edge lies a yellow cell."""
    arches = objects(I, T, F, T)
    arch = first(arches)
    opening = ulcorner(delta(arch))
    doorstep = first(intersection(dneighbors(opening), outbox(arch)))
    way = subtract(doorstep, opening)
    beams = mapply(rbind(shoot, way), mapply(delta, arches))
    output = fill(I, YELLOW, intersection(beams, box(asindices(I))))
    return output


def solve_5521c0d9(I):
    """Every rectangle moves away from the edge that all stand on, by its own extent."""
    rectangles = objects(I, T, F, T)
    on_floor = equality(valmin(rectangles, lowermost), decrement(height(I)))
    on_left = flip(valmax(rectangles, leftmost))
    level = branch(on_left, RIGHT, LEFT)
    up_or_level = branch(on_floor, UP, level)
    way = branch(valmax(rectangles, uppermost), up_or_level, DOWN)
    rise = compose(lbind(multiply, way), shape)
    risen = mapply(fork(shift, identity, rise), rectangles)
    output = paint(cover(I, merge(rectangles)), risen)
    return output


def solve_56dc2b01(I):
    """The shape is drawn to the red wall, and a cyan wall closes in behind it."""
    shape_cells = not_of_color(foreground(I), RED)
    wall = ofcolor(I, RED)
    landed = move(I, shape_cells, gravitate(shape_cells, wall))
    # From the red wall back by the shape's extent and one more.
    side = multiply(position(wall, shape_cells), branch(vline(wall), RIGHT, DOWN))
    back = multiply(side, increment(shape(shape_cells)))
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
    body = copies_at(block, occurrences(I, block))
    output = paint(cover(I, pulled), shift(body, gravitate(body, fixed)))
    return output


def solve_a48eeaf7(I):
    """The dots are attracted by the square: each moves to the nearest place right around it."""
    attractor = argmax(objects(I, T, F, T), size)
    dots = difference(foreground(I), attractor)
    places = apply(initset, outbox(attractor))
    distance_to = lbind(lbind, manhattan)
    nearest_place = compose(lbind(argmin, places), distance_to)
    moved = fork(recolor, color, nearest_place)
    output = paint(cover(I, dots), mapply(moved, apply(initset, dots)))
    return output


def solve_ae3edfdc(I):
    """Green cells are drawn to the red one and orange cells to the blue one, each along its
    line until it touches.
    """
    red_cell = first(ofcolor(I, RED))
    blue_cell = first(ofcolor(I, BLUE))
    greens = ofcolor(I, GREEN)
    oranges = ofcolor(I, ORANGE)
    side_of_red = chain(lbind(add, red_cell), sign, rbind(subtract, red_cell))
    side_of_blue = chain(lbind(add, blue_cell), sign, rbind(subtract, blue_cell))
    emptied = cover(I, combine(greens, oranges))
    with_green = fill(emptied, GREEN, apply(side_of_red, greens))
    output = fill(with_green, ORANGE, apply(side_of_blue, oranges))
    return output


def solve_beb8660c(I):
    """All bars slide to the right and fall on the floor, sorted by length: the longest
    lies at the bottom. The floor may also be another edge.
    """
    ground = groundcolor(I)
    floor = extract(frontiers(I), compose(flip, matcher(color, ground)))
    # Turned so that the floor is at the bottom.
    turned = compose(lbind(mir_rot, I), lbind(add, THREE))
    floor_is_last = matcher(chain(dedupe, last, turned), repeat(color(floor), ONE))
    n_turns = extract((4, 1, 2, 3), floor_is_last)
    colored = compose(flip, matcher(identity, ground))
    slid = apply(rbind(order, colored), turned(n_turns))
    bar_length = compose(size, rbind(sfilter, colored))
    output = power(rot270, n_turns)(order(slid, bar_length))
    return output


def solve_d687bc17(I):
    """Dots move straight to the wall of their color; dots that have no such wall vanish."""
    parts = objects(I, T, F, T)
    # A single cell on the edge is a dot in a corner.
    walls = sfilter(difference(parts, sizefilter(parts, ONE)), rbind(bordering, I))
    dots = apply(initset, merge(difference(parts, walls)))
    has_wall = compose(rbind(contained, apply(color, walls)), color)
    wall_of = compose(lbind(extract, walls), compose(lbind(matcher, color), color))
    move_to_wall = fork(shift, identity, fork(gravitate, identity, wall_of))
    output = paint(cover(I, merge(dots)), mapply(move_to_wall, sfilter(dots, has_wall)))
    return output


def solve_d89b689b(I):
    """Colored dots are pulled into the square: each takes the cell of it that is nearest."""
    things = objects(I, T, F, T)
    square_cells = argmax(things, size)
    dots = remove(square_cells, things)
    seats = apply(initset, toindices(square_cells))
    distance_to = lbind(lbind, manhattan)
    nearest_seat = compose(lbind(argmin, seats), distance_to)
    seated = mapply(fork(recolor, color, nearest_seat), dots)
    output = paint(cover(I, merge(things)), seated)
    return output


def solve_dc433765(I):
    """The other dot takes one step toward the yellow dot."""
    dot = not_of_color(foreground(I), YELLOW)
    step = position(dot, ofcolor(I, YELLOW))
    output = move(I, dot, step)
    return output
