# Frames, borders and boxes: drawn around things, filled, or layer by layer.


def solve_1bfc4729(I):
    """Each dot draws a line along its row; the grid gets a frame in which each cell has the
    color of the nearer line.
    """
    ground = mostcolor(I)
    dots = astuple(ORIGIN, switch(I, ground, BLACK))
    with_lines = lines_through(dots, ZERO)
    nearer_line = spread(with_lines, ZERO)
    framed_lines = paint(last(with_lines), toobject(box(asindices(I)), last(nearer_line)))
    output = switch(framed_lines, ground, BLACK)
    return output


def solve_4258a5f9(I):
    """Every dot gets a blue ring of eight cells around it."""
    dots = ofcolor(I, leastcolor(I))
    output = underfill(I, BLUE, mapply(neighbors, dots))
    return output


def solve_4347f46a(I):
    """The rectangles are hollowed out, so that a rim of one cell is left."""
    # Rectangles may have more cells than the ground, which has parts that are no rectangles.
    parts = rbind(lbind(parts_of, I), F)
    n_ragged = chain(size, rbind(sfilter, compose(flip, is_solid)), parts)
    ground = argmax(palette(I), fork(astuple, n_ragged, matcher(identity, groundcolor(I))))
    rectangles = objects_on(I, T, F, ground)
    output = fill(I, ground, mapply(inside_of, rectangles))
    return output


def solve_4612dd53(I):
    """The gaps of a frame, and of a wall across it where there is one, are filled with red."""
    walls = toindices(foreground(I))
    inner = difference(walls, box(walls))
    upright = greater(size(apply(first, inner)), size(apply(last, inner)))
    through = branch(upright, mapply(vfrontier, inner), mapply(hfrontier, inner))
    planned = combine(box(walls), intersection(through, backdrop(walls)))
    output = fill(I, RED, difference(planned, walls))
    return output


def solve_49d1d64f(I):
    """The picture gets a border that doubles its outermost cells; the four corners stay black."""
    cells = asobject(I)
    pushed_out = copies_at(cells, dneighbors(UNITY))
    larger = canvas(BLACK, add(shape(I), TWO))
    with_border = paint(larger, pushed_out)
    output = paint(with_border, shift(cells, UNITY))
    return output


def solve_694f12f3(I):
    """The rectangles keep a rim of one cell; the inside of the largest turns red, that of the
    smaller one blue.
    """
    rectangles = objects_on(I, T, F, groundcolor(I))
    all_blue = fill(I, BLUE, mapply(inside_of, rectangles))
    output = fill(all_blue, RED, inside_of(argmax(rectangles, size)))
    return output


def solve_846bdb03(I):
    """The shape goes in between the colored sides of the frame with four corners, flipped
    where that brings each color to its own side.
    """
    frame_corners = rbind(extract, fork(equality, toindices, corners))
    corner_cell = ulcorner(frame_corners(fgpartition(I)))
    lying = equality(index(I, add(corner_cell, DOWN)), mostcolor(I))
    upright = branch(lying, dmirror(I), I)
    frame = frame_corners(fgpartition(upright))
    alone = cover(upright, backdrop(frame))
    picture = subgrid(foreground(alone), alone)
    left_side = ofcolor(picture, index(upright, add(ulcorner(frame), DOWN)))
    flipped = branch(equality(leftmost(left_side), ZERO), picture, vmirror(picture))
    framed_shape = paint(subgrid(frame, upright), shift(asobject(flipped), UNITY))
    output = branch(lying, dmirror(framed_shape), framed_shape)
    return output


def solve_928ad970(I):
    """The outer dots hold a rectangle just inside them, in the color of the small one."""
    colors = fgpartition(I)
    dots = argmax(colors, compose(size, backdrop))
    output = fill(I, color(other(colors, dots)), inbox(dots))
    return output


def solve_af902bf9(I):
    """Dots mark the corners of rectangles, which turn red inside."""
    dots = toindices(foreground(I))
    # Dots in a line come in pairs: a first corner has an odd number up to it, both ways.
    n_up_to = chain(size, lbind(intersection, dots), rbind(shoot, UP))
    n_left_to = chain(size, lbind(intersection, dots), rbind(shoot, LEFT))
    is_start = compose(flip, fork(either, compose(even, n_up_to), compose(even, n_left_to)))
    ends = fork(insert, first, compose(initset, last))
    spans = sfilter(apply(ends, product(dots, dots)), compose(is_start, ulcorner))
    cornered = sfilter(spans, chain(flip, rbind(difference, dots), corners))
    dots_within = compose(lbind(intersection, dots), backdrop)
    rectangles = sfilter(cornered, fork(equality, corners, dots_within))
    output = fill(I, RED, mapply(inside_of, rectangles))
    return output


def solve_b27ca6d3(I):
    """Every red shape of more than one cell gets a green frame."""
    shapes = objects(I, T, F, T)
    bars = difference(shapes, sizefilter(shapes, ONE))
    output = fill(I, GREEN, mapply(outbox, bars))
    return output


def solve_b548a754(I):
    """The framed rectangle is stretched as far as the single cell, which it covers."""
    frame = extract(partition(I), is_outline)
    inner_color = index(I, center(frame))
    all_frame = fill(I, color(frame), backdrop(frame))
    dot = argmin(partition(all_frame), size)
    stretched = backdrop(combine(frame, dot))
    output = fill(fill(I, inner_color, stretched), color(frame), box(stretched))
    return output


def solve_b60334d2(I):
    """Every dot becomes a ring around its place, in its color in the corners and blue between."""
    hue = leastcolor(I)
    dots = ofcolor(I, hue)
    with_corners = fill(cover(I, dots), hue, mapply(ineighbors, dots))
    output = fill(with_corners, BLUE, mapply(dneighbors, dots))
    return output


def solve_dc1df850(I):
    """Every red dot gets a blue ring around it; dots of other colors stay as they are."""
    rings = mapply(neighbors, ofcolor(I, RED))
    output = underfill(I, BLUE, rings)
    return output


def solve_f35d900a(I):
    """Each of the four dots gets a ring of the other dots' color, and gray cells, every
    second one from the dots on, join them to a rectangle.
    """
    parts = fgpartition(I)
    dots = toindices(merge(parts))
    distance = compose(lbind(manhattan, dots), initset)
    dotted = sfilter(box(dots), compose(even, distance))
    joined = fill(I, GRAY, dotted)
    other_hue = compose(color, lbind(other, parts))
    ring = compose(lbind(mapply, neighbors), toindices)
    rings = mapply(fork(recolor, other_hue, ring), parts)
    output = paint(paint(joined, rings), merge(parts))
    return output
