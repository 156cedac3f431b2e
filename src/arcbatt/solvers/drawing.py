# Something is drawn from what is there: crosses, rays, rectangles, checkered cells.


def solve_0962bcdd(I):
    """Every plus grows to a star: its arms get one cell longer, and diagonals two cells long
    in the color of the middle go out from there.
    """
    pluses = objects(I, F, F, T)
    spread_out = compose(lbind(mapply, dneighbors), toindices)
    diagonals = fork(combine, corners, compose(corners, outbox))
    middle_and_diagonals = fork(insert, center, diagonals)
    with_arms = paint(I, mapply(fork(recolor, mostcolor, spread_out), pluses))
    crosses = mapply(fork(recolor, leastcolor, middle_and_diagonals), pluses)
    output = paint(with_arms, crosses)
    return output


def solve_3eda0437(I):
    """The largest black rectangle that is at least two cells high and wide turns pink."""
    fits = compose(size, lbind(occurrences, I))
    plain = compose(asobject, lbind(canvas, BLACK))
    fitting = compose(rbind(sfilter, fits), lbind(apply, plain))
    sides = interval(TWO, increment(maximum(shape(I))), ONE)
    heights = apply(height, fitting(product(sides, initset(TWO))))
    widths = apply(width, fitting(product(initset(TWO), sides)))
    largest = argmax(insert(EMPTY, fitting(product(heights, widths))), size)
    output = fill(I, PINK, shift(largest, first(occurrences(I, largest))))
    return output


def solve_50846271(I):
    """Red plus signs of one size are partly hidden under noise: where a plus lies on red and noise
    alone, its noise cells turn cyan. Each red cell belongs to the plus that shows most red."""
    red = leastcolor(I)
    reds = ofcolor(I, red)
    # Gray noise may cover more than black ground.
    hues = remove(red, palette(I))
    ground_hue = branch(equality(hues, {BLACK, GRAY}), BLACK, mostcolor(I))
    ground = ofcolor(I, ground_hue)
    room = difference(asindices(I), ground)
    upright = fork(connect, toivec, compose(toivec, invert))
    level = fork(connect, tojvec, compose(tojvec, invert))
    pluses = apply(fork(combine, upright, level), interval(ONE, halve(height(I)), ONE))
    centers = sfilter(room, chain(flip, lbind(intersection, ground), dneighbors))
    placed = prapply(shift, pluses, centers)
    free = sfilter(placed, compose(flip, lbind(intersection, ground)))
    red_shown = compose(size, lbind(intersection, reds))
    best = argmin(sfilter(free, matcher(red_shown, valmax(free, red_shown))), size)
    through_cell = compose(lbind(sfilter, sizefilter(free, size(best))), lbind(lbind, contained))
    chosen = apply(compose(rbind(argmax, red_shown), through_cell), reds)
    output = fill(fill(I, CYAN, merge(chosen)), red, reds)
    return output


def solve_56ff96f3(I):
    """Two cells of a color are opposite corners of a rectangle, which is filled with it."""
    corner_pairs = fgpartition(I)
    rectangles = mapply(fork(recolor, color, backdrop), corner_pairs)
    output = paint(I, rectangles)
    return output


def solve_5c2c9af4(I):
    """Three dots stand evenly on a diagonal: square rings, as far apart as the dots, grow
    around the middle one.
    """
    dots = ofcolor(I, leastcolor(I))
    gap = halve(height(dots))
    radii = interval(gap, maximum(shape(I)), gap)
    near_corner = lbind(subtract, center(dots))
    far_corner = lbind(add, center(dots))
    ring = compose(box, fork(insert, near_corner, compose(initset, far_corner)))
    output = fill(I, leastcolor(I), mapply(ring, radii))
    return output


def solve_834ec97d(I):
    """The dot falls by one; above it, every second column from the dot's own is yellow down
    to the row where the dot was.
    """
    dot = first(objects(I, T, F, T))
    to_right = interval(leftmost(dot), width(I), TWO)
    to_left = interval(leftmost(dot), NEG_ONE, NEG_TWO)
    rows = interval(ZERO, increment(uppermost(dot)), ONE)
    columns = product(rows, combine(to_right, to_left))
    output = fill(move(I, dot, DOWN), YELLOW, columns)
    return output


def solve_913fb3ed(I):
    """Each dot gets a ring: a green one pink, a red one blue, a cyan one yellow."""
    green_ringed = fill(I, PINK, mapply(neighbors, ofcolor(I, GREEN)))
    red_ringed = fill(green_ringed, BLUE, mapply(neighbors, ofcolor(I, RED)))
    output = fill(red_ringed, YELLOW, mapply(neighbors, ofcolor(I, CYAN)))
    return output


def solve_93b581b8(I):
    """Off each corner of the small squares lies a two by two block in the color of the cell
    opposite.
    """
    seeds = objects(I, F, F, T)
    turned = compose(hmirror, vmirror)
    enlarged = compose(rbind(shift, (-2, -2)), compose(rbind(upscale, THREE), turned))
    beside_seed = compose(lbind(mapply, cross_at), toindices)
    is_in = chain(rbind(compose, last), lbind(rbind, contained), beside_seed)
    blocks = fork(sfilter, enlarged, compose(lbind(compose, flip), is_in))
    output = paint(I, mapply(blocks, seeds))
    return output


def solve_95990924(I):
    """Around each gray square a dot stands at each corner: blue and red above, green and
    yellow below.
    """
    around = apply(outbox, objects(I, T, F, T))
    blue = fill(I, BLUE, apply(ulcorner, around))
    red = fill(blue, RED, apply(urcorner, around))
    green = fill(red, GREEN, apply(llcorner, around))
    output = fill(green, YELLOW, apply(lrcorner, around))
    return output


def solve_a65b410d(I):
    """Above the bar, rows get longer by one each and are green; below it they get shorter by
    one each and are blue.
    """
    hue = leastcolor(I)
    bar = ofcolor(I, hue)
    end = urcorner(bar)
    row_up_to = fork(connect, compose(toivec, first), identity)
    longer = mapply(row_up_to, shoot(end, UP_RIGHT))
    shorter = mapply(rbind(shoot, LEFT), shoot(end, DOWN_LEFT))
    output = fill(fill(fill(I, GREEN, longer), BLUE, shorter), hue, bar)
    return output


def solve_a9f96cdd(I):
    """The dot goes; the four cells that touched its corners get a color each: green, pink,
    orange and cyan, from the upper left around.
    """
    dot = ofcolor(I, leastcolor(I))
    up_left = fill(cover(I, dot), GREEN, shift(dot, NEG_UNITY))
    up_right = fill(up_left, PINK, shift(dot, UP_RIGHT))
    down_right = fill(up_right, ORANGE, shift(dot, UNITY))
    output = fill(down_right, CYAN, shift(dot, DOWN_LEFT))
    return output


def solve_aba27056(I):
    """Yellow fills the box, runs straight out of its opening, and slantwise from both ends of
    the opening.
    """
    vessel = first(objects(I, T, F, T))
    opening = difference(box(vessel), toindices(vessel))
    doorstep = intersection(mapply(dneighbors, opening), outbox(vessel))
    way = subtract(ulcorner(doorstep), ulcorner(opening))
    aside = subtract(UNITY, multiply(way, way))
    straight = mapply(rbind(shoot, way), opening)
    slant_first = shoot(ulcorner(opening), subtract(way, aside))
    slant_last = shoot(lrcorner(opening), add(way, aside))
    outside = combine(straight, combine(slant_first, slant_last))
    output = underfill(I, YELLOW, combine(delta(vessel), outside))
    return output


def solve_b7249182(I):
    """The two dots send arms to each other, which end in two brackets, five cells across,
    that close in the middle.
    """
    dots = fgpartition(I)
    one = first(dots)
    another = last(dots)
    middle_cell = center(merge(dots))
    along = branch(hmatching(one, another), RIGHT, DOWN)
    near_corner = subtract(middle_cell, TWO)
    far_corner = subtract(add(middle_cell, TWO), along)
    ring = box(insert(near_corner, initset(far_corner)))
    arms = difference(connect(center(one), center(another)), backdrop(ring))
    drawing = combine(ring, arms)
    distance_to_one = compose(lbind(manhattan, one), initset)
    distance_to_another = compose(lbind(manhattan, another), initset)
    of_another = sfilter(drawing, fork(greater, distance_to_one, distance_to_another))
    output = fill(fill(I, color(one), drawing), color(another), of_another)
    return output


def solve_bbc9ae5d(I):
    """The row is the top of a staircase: each further row is one cell longer, and there are
    half as many rows as columns.
    """
    hue = index(I, ORIGIN)
    ground = index(I, urcorner(asindices(I)))
    bar = ofcolor(I, hue)
    edge = shoot(urcorner(bar), UNITY)
    stairs = mapply(rbind(shoot, DOWN), combine(bar, edge))
    blank = canvas(ground, astuple(halve(width(I)), width(I)))
    output = fill(blank, hue, stairs)
    return output


def solve_d06dbe63(I):
    """Gray stairs of two up and two across lead from the dot up to the right and down to the
    left.
    """
    step = ((1, 0), (2, 0), (2, -1), (2, -2))
    strides = apply(rbind(multiply, (2, -2)), interval(ZERO, height(I), ONE))
    descent = copies_at(step, strides)
    ascent = apply(invert, descent)
    dots = ofcolor(I, leastcolor(I))
    output = underfill(I, GRAY, copies_at(combine(descent, ascent), dots))
    return output


def solve_d364b489(I):
    """Each dot gets red above, pink to the right, cyan below and orange to the left."""
    dots = foreground(I)
    with_red = underfill(I, RED, shift(dots, UP))
    with_pink = underfill(with_red, PINK, shift(dots, RIGHT))
    with_cyan = underfill(with_pink, CYAN, shift(dots, DOWN))
    output = underfill(with_cyan, ORANGE, shift(dots, LEFT))
    return output


def solve_d6ad076f(I):
    """A cyan bridge joins the two rectangles where they face each other, one cell narrower
    at each side.
    """
    blocks = sfilter(apply(toindices, partition(I)), fork(equality, identity, backdrop))
    one = first(blocks)
    another = last(blocks)
    line_through = branch(vmatching(one, another), vfrontier, hfrontier)
    facing = intersection(mapply(line_through, one), mapply(line_through, another))
    span = intersection(facing, backdrop(combine(one, another)))
    bridge_cells = difference(backdrop(inbox(span)), combine(one, another))
    output = fill(I, CYAN, bridge_cells)
    return output


def solve_db3e9e38(I):
    """The line from the edge grows to a triangle that stands on its free end; its lines
    are of its color and cyan by turns.
    """
    hue = leastcolor(I)
    line = ofcolor(I, hue)
    up_or_down = branch(uppermost(line), DOWN, UP)
    to_edge = branch(vline(line), up_or_down, branch(leftmost(line), RIGHT, LEFT))
    tip = first(difference(line, shift(line, to_edge)))
    across = astuple(last(to_edge), first(to_edge))
    sides = combine(shoot(tip, add(to_edge, across)), shoot(tip, subtract(to_edge, across)))
    triangle = mapply(rbind(shoot, to_edge), sides)
    # How far a cell lies to the side of the line.
    aside = chain(fork(add, first, last), lbind(multiply, across), rbind(subtract, tip))
    stripes = sfilter(triangle, compose(even, aside))
    output = fill(fill(I, CYAN, triangle), hue, stripes)
    return output


def solve_db93a21d(I):
    """Each square gets a green margin of half its side, and a blue beam falls from it down to
    the edge, behind all else.
    """
    squares = objects(I, T, F, T)
    margin = chain(halve, maximum, shape)
    near_corner = fork(subtract, ulcorner, margin)
    far_corner = fork(add, lrcorner, margin)
    around = compose(backdrop, fork(insert, near_corner, compose(initset, far_corner)))
    beams = fill(I, BLUE, mapply(rbind(shoot, DOWN), toindices(merge(squares))))
    margins = fill(beams, GREEN, mapply(around, squares))
    output = paint(margins, merge(squares))
    return output


def solve_e9614598(I):
    """A green plus sign is drawn midway between the two dots."""
    midpoint = center(ofcolor(I, leastcolor(I)))
    plus = insert(midpoint, dneighbors(midpoint))
    output = fill(I, GREEN, plus)
    return output
