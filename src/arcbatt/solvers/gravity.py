# Things fall, slide, are attracted or pushed.


def solve_1e0a9b12(I):
    """All coloured cells fall to the bottom of their columns."""
    columns = dmirror(I)
    # Black cells come first; the coloured ones stay in order.
    fallen = apply(rbind(order, positive), columns)
    output = dmirror(fallen)
    return output


def solve_3618c87e(I):
    """Each blue ball drops through its post into the floor below."""
    balls = ofcolor(I, BLUE)
    without_balls = fill(I, BLACK, balls)
    output = fill(without_balls, BLUE, shift(balls, TWO_BY_ZERO))
    return output


def solve_beb8660c(I):
    """All bars slide to the right and fall on the floor, sorted by length: the longest
    lies at the bottom.
    """
    slid = apply(rbind(order, positive), I)
    bar_length = compose(size, rbind(sfilter, positive))
    output = order(slid, bar_length)
    return output


def solve_3906de3d(I):
    """The red bars rise in their columns until they hit the blue ceiling or fill its gaps."""
    columns = dmirror(I)
    # Coloured cells come first; the black ones gather at the bottom.
    risen = apply(rbind(order, flip), columns)
    output = dmirror(risen)
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
