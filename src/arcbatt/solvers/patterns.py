# Patterns continued or stamped, noise removed, rules for neighbors, sequences.


def solve_017c7c7b(I):
    """A pattern repeats downward; it goes on until it is half as high again, and turns red."""
    pattern = asobject(I)
    full_height = add(height(I), halve(height(I)))
    starts = apply(toivec, interval(ZERO, full_height, vperiod(pattern)))
    room = canvas(BLACK, astuple(full_height, width(I)))
    continued = paint(room, copies_at(pattern, starts))
    # Blue on another ground, or another color on black, or else the rarer color.
    blue_or_rarer = branch(contained(BLUE, palette(I)), BLUE, leastcolor(I))
    hue = branch(contained(BLACK, palette(I)), other(palette(I), BLACK), blue_or_rarer)
    output = replace(continued, hue, RED)
    return output


def solve_045e512c(I):
    """Beside one whole shape stand pieces of other colors: from the whole shape copies in a
    piece's color march in its direction to the edge, one cell apart.
    """
    shapes = objects(I, T, T, T)
    whole = argmax(shapes, size)
    pieces = remove(whole, shapes)
    stride = increment(shape(whole))
    way_from_whole = compose(rbind(subtract, ulcorner(whole)), ulcorner)
    vector = compose(lbind(multiply, stride), compose(rbind(divide, stride), way_from_whole))
    counts = interval(ONE, maximum(shape(I)), ONE)
    vectors = chain(rbind(apply, counts), lbind(lbind, multiply), vector)
    march = compose(lbind(copies_at, toindices(whole)), vectors)
    output = paint(I, mapply(fork(recolor, color, march), pieces))
    return output


def solve_05269061(I):
    """Stripes of a few colors take turns in one direction. Those that are given are repeated
    until they fill the grid.
    """
    colors = fgpartition(I)
    cells = merge(colors)
    n_alike = chain(size, lbind(intersection, cells), lbind(shift, cells))
    along = argmax((UP_RIGHT, UNITY, RIGHT, DOWN), n_alike)
    across = branch(equality(along, RIGHT), DOWN, RIGHT)
    line = fork(combine, rbind(shoot, along), rbind(shoot, invert(along)))
    one_stripe = fork(recolor, color, chain(line, first, toindices))
    # In generated pairs a color may come twice in a turn; in the task none does.
    period = size(colors)
    steps = apply(lbind(multiply, across), interval(multiply(-30, period), 60, period))
    output = paint(I, copies_at(mapply(one_stripe, colors), steps))
    return output


def solve_0a938d79(I):
    """Each of two dots becomes a line across the short way; the two lines are repeated by
    turns, at the same distance, to the end.
    """
    lying = branch(portrait(I), dmirror(I), I)
    dots = apply(initset, foreground(lying))
    step = double(decrement(width(merge(dots))))
    columns = compose(rbind(rbind(interval, step), width(lying)), leftmost)
    lines = compose(lbind(product, interval(ZERO, height(lying), ONE)), columns)
    drawn = paint(lying, mapply(fork(recolor, color, lines), dots))
    output = branch(portrait(I), dmirror(drawn), drawn)
    return output


def solve_0ca9ddb6(I):
    """Red dots get yellow at their four corners, blue dots get orange at their four sides;
    dots of other colors get nothing.
    """
    around_red = mapply(ineighbors, ofcolor(I, RED))
    around_blue = mapply(dneighbors, ofcolor(I, BLUE))
    output = fill(fill(I, YELLOW, around_red), ORANGE, around_blue)
    return output


def solve_0dfd9992(I):
    """The holes in the wallpaper are filled by carrying its pattern on."""
    # A generated patch may hide all repeats of a cell; in the task each cell shows somewhere.
    block = compose(asobject, rbind(canvas, THREE_BY_THREE))
    n_blocks = chain(size, lbind(occurrences, I), block)
    hidden = argmax(palette(I), n_blocks)
    # Black is what gets filled in, so the two colors change places for a while.
    filled = last(period_fill(astuple(ORIGIN, switch(I, hidden, BLACK))))
    output = switch(filled, hidden, BLACK)
    return output


def solve_264363fd(I):
    """A small cross is the model: its core is laid around each dot in a rectangle. If the model
    has long arms, lines in their color run through the dot to the rectangle's sides.
    """
    ground = groundcolor(I)
    model = argmin(objects_on(I, F, F, ground), size)
    cleared = fill(I, ground, model)
    middle_cell = center(model)
    core_cells = intersection(insert(middle_cell, neighbors(middle_cell)), toindices(model))
    core_part = toobject(core_cells, I)
    arm_color = color(difference(model, core_part))
    dots = ofcolor(cleared, index(I, middle_cell))
    down = branch(greater(height(model), height(core_part)), vfrontier, initset)
    across = branch(greater(width(model), width(core_part)), hfrontier, initset)
    dots_in = compose(lbind(intersection, dots), toindices)
    crossings = compose(lbind(mapply, fork(combine, down, across)), dots_in)
    rectangles = objects_on(cleared, F, F, ground)
    lines = mapply(fork(intersection, toindices, crossings), rectangles)
    ways = apply(rbind(subtract, middle_cell), dots)
    output = paint(fill(cleared, arm_color, lines), copies_at(core_part, ways))
    return output


def solve_29ec7d0e(I):
    """The pattern repeats itself; patches of one color hide parts of it and are filled in."""
    # Generated patches may be two cells wide everywhere; each input of the task has a wider one.
    block = compose(asobject, rbind(canvas, THREE_BY_THREE))
    n_blocks = chain(size, lbind(occurrences, I), block)
    hidden = argmax(palette(I), n_blocks)
    # Black is what gets filled in, so the two colors change places for a while.
    filled = last(period_fill(astuple(ORIGIN, switch(I, hidden, BLACK))))
    output = switch(filled, hidden, BLACK)
    return output


def solve_31aa019c(I):
    """One color occurs only once in the noise. That cell stays and gets a red ring, all
    else is wiped off.
    """
    rare = leastcolor(I)
    cell = ofcolor(I, rare)
    ring = fill(canvas(mostcolor(I), shape(I)), RED, outbox(cell))
    output = fill(ring, rare, cell)
    return output


def solve_3ac3eb23(I):
    """From each dot at the edge a chain runs across: on every second cell the dot again, between
    them a dot on either side.
    """
    dots = foreground(I)
    edge_rows = combine(hfrontier(ORIGIN), hfrontier(lrcorner(asindices(I))))
    in_row = flip(difference(toindices(dots), edge_rows))
    up_or_down = branch(uppermost(dots), UP, DOWN)
    way = branch(in_row, up_or_down, branch(leftmost(dots), LEFT, RIGHT))
    aside = astuple(last(way), first(way))
    steps = apply(lbind(multiply, way), interval(ZERO, maximum(shape(I)), TWO))
    middles = copies_at(dots, steps)
    sides = combine(shift(middles, add(way, aside)), shift(middles, subtract(way, aside)))
    output = paint(I, combine(middles, sides))
    return output


def solve_3bdb4ada(I):
    """In the middle line of each bar three cells thick every second cell is emptied."""
    ground = groundcolor(I)
    bars = objects_on(I, T, F, ground)
    every_second = interval(ZERO, maximum(shape(I)), TWO)
    lattice = product(every_second, every_second)
    lattice_inside = chain(lbind(shift, lattice), increment, ulcorner)
    output = fill(I, ground, mapply(fork(intersection, inside_of, lattice_inside), bars))
    return output


def solve_484b58aa(I):
    """The patches of one color are filled with what the repeating pattern shows there."""
    n_places = chain(size, lbind(occurrences, I), asobject)
    n_blocks = compose(n_places, rbind(canvas, THREE_BY_THREE))
    n_small_blocks = compose(n_places, rbind(canvas, TWO_BY_TWO))
    hidden = argmax(palette(I), fork(astuple, n_blocks, n_small_blocks))
    output = close_symmetry(I, hidden, ZERO)
    return output


def solve_539a4f51(I):
    """Bands of color nest in the upper left corner; the sequence of bands goes on, over and
    over, until the grid is twice as high and wide.
    """
    known = difference(asindices(I), ofcolor(I, BLACK))
    side = double(width(I))
    sequence = crop(I, ORIGIN, astuple(ONE, width(known)))
    bands = last(tile(astuple(ORIGIN, sequence), astuple(ONE, side), ZERO))
    upright = vupscale(bands, side)
    diagonal = connect(ORIGIN, decrement(astuple(side, side)))
    below_diagonal = mapply(rbind(shoot, DOWN), diagonal)
    output = paint(upright, toobject(below_diagonal, dmirror(upright)))
    return output


def solve_53b68214(I):
    """The pattern that runs down goes on, straight or slanting, down to the tenth row."""
    line = foreground(I)
    cells = toindices(line)
    vectors = apply(rbind(subtract, first(cells)), cells)
    downward = sfilter(vectors, compose(positive, first))
    within_grid = compose(rbind(contained, asindices(I)), last)
    moved = compose(rbind(sfilter, within_grid), lbind(shift, line))
    stays_on_line = chain(flip, rbind(difference, line), moved)
    repeats = sfilter(downward, fork(both, stays_on_line, compose(stays_on_line, invert)))
    period = argmin(repeats, fork(astuple, first, fork(multiply, last, last)))
    strides = apply(rbind(multiply, period), interval(ZERO, TEN, ONE))
    output = paint(canvas(mostcolor(I), astuple(TEN, width(I))), copies_at(line, strides))
    return output


def solve_6cf79266(I):
    """Empty squares of three by three cells in the noise turn blue, one after the other in
    reading order.
    """
    # Generated pairs fill squares that overlap too; the third demo leaves such a one empty.
    empty_square = asobject(canvas(BLACK, THREE_BY_THREE))
    blue_square = recolor(BLUE, empty_square)
    places = compose(rbind(order, identity), rbind(occurrences, empty_square))
    # The first place, as a tuple of one, or of none where no square is left.
    next_place = chain(lbind(apply, first), rbind(pair, interval(ZERO, ONE, ONE)), places)
    next_square = compose(lbind(copies_at, blue_square), next_place)
    fill_next = fork(paint, identity, next_square)
    output = power(fill_next, increment(size(places(I))))(I)
    return output


def solve_7837ac64(I):
    """Some crossings of the mesh are marked; a mesh between four crossings of one color is a
    cell of that color.
    """
    # Marks may cut the mesh into pieces.
    mesh_hue = color(argmax(objects(I, T, F, F), compose(size, backdrop)))
    off_mesh = not_of_color(I, mesh_hue)
    ground = mostcolor(off_mesh)
    marks = not_of_color(off_mesh, ground)
    meshes = parts_of(I, ground, F)
    row_pitch = increment(valmax(meshes, height))
    column_pitch = increment(valmax(meshes, width))
    marked = replace(subgrid(marks, I), mesh_hue, ground)
    # Stretched so that meshes are squares.
    stretched = vupscale(hupscale(marked, row_pitch), column_pitch)
    crossings = downscale(stretched, multiply(row_pitch, column_pitch))
    fields = decrement(shape(crossings))
    upper = cellwise(crop(crossings, ORIGIN, fields), crop(crossings, RIGHT, fields), ground)
    lower = cellwise(crop(crossings, DOWN, fields), crop(crossings, UNITY, fields), ground)
    output = cellwise(upper, lower, ground)
    return output


def solve_82819916(I):
    """One line is a complete pattern of two colors; each other line shows a part of the same
    pattern in two colors of its own, and is completed.
    """
    lying = sfilter(frontiers(I), hline)
    upright = branch(lying, I, dmirror(I))
    cells = foreground(upright)
    in_row = lbind(matcher, compose(first, last))
    lines = apply(compose(lbind(sfilter, cells), in_row), apply(first, toindices(cells)))
    pattern = subgrid(argmax(lines, size), upright)
    first_hue = compose(lbind(index, upright), ulcorner)
    second_hue = fork(other, palette, first_hue)
    model_hue = chain(lbind(index, pattern), tojvec, leftmost)
    first_cells = compose(lbind(ofcolor, pattern), model_hue)
    second_cells = compose(lbind(difference, asindices(pattern)), first_cells)
    row = compose(toivec, uppermost)
    in_first = fork(shift, fork(recolor, first_hue, first_cells), row)
    in_second = fork(shift, fork(recolor, second_hue, second_cells), row)
    completed = paint(upright, mapply(fork(combine, in_first, in_second), lines))
    output = branch(lying, completed, dmirror(completed))
    return output


def solve_8403a5d5(I):
    """From the dot on, every second column is a line of its color, and gray cells join the
    lines in turn at the top and at the bottom.
    """
    dot = first(fgpartition(I))
    start = leftmost(dot)
    columns = apply(tojvec, interval(start, width(I), TWO))
    with_lines = fill(I, color(dot), mapply(vfrontier, columns))
    top = apply(tojvec, interval(increment(start), width(I), FOUR))
    bottom_columns = interval(add(start, THREE), width(I), FOUR)
    bottom = apply(lbind(astuple, decrement(height(I))), bottom_columns)
    output = fill(with_lines, GRAY, combine(top, bottom))
    return output


def solve_aedd82e4(I):
    """Cells that have no colored cell at any of their sides turn blue."""
    lonely = sizefilter(objects_on(I, F, F, BLACK), ONE)
    output = fill(I, BLUE, merge(lonely))
    return output


def solve_ba26e723(I):
    """In every third column, from the first on, the colored cells turn magenta."""
    every_third = product(initset(ZERO), interval(ZERO, width(I), THREE))
    columns = mapply(vfrontier, every_third)
    output = fill(I, MAGENTA, difference(columns, ofcolor(I, BLACK)))
    return output


def solve_bd4472b8(I):
    """Below the bar, the colors of the first row come one after the other as whole rows, again
    and again.
    """
    stripes = apply(rbind(repeat, width(I)), first(I))
    endless = merge(repeat(stripes, height(I)))
    given = astuple(first(I), second(I))
    output = crop(vconcat(given, endless), ORIGIN, shape(I))
    return output


def solve_c3f564a4(I):
    """The pattern goes on behind the patches of one color."""
    block = compose(asobject, rbind(canvas, TWO_BY_TWO))
    n_blocks = chain(size, lbind(occurrences, I), block)
    hidden = argmax(palette(I), n_blocks)
    output = close_symmetry(I, hidden, ZERO)
    return output


def solve_cbded52d(I):
    """Where two tiles of a row or column have the same mark in the same place, the tiles
    between them get it too.
    """
    lines = frontiers(I)
    step_right = increment(valmin(sfilter(lines, vline), leftmost))
    step_down = increment(valmin(sfilter(lines, hline), uppermost))
    plain = insert(mostcolor(compress(I)), palette(merge(lines)))
    marks = sfilter(asobject(I), chain(flip, rbind(contained, plain), first))
    steps_right = product(initset(ZERO), interval(step_right, width(I), step_right))
    steps_down = product(interval(step_down, height(I), step_down), initset(ZERO))
    moved = lbind(mapply, lbind(shift, marks))
    to_and_fro = fork(intersection, moved, compose(moved, lbind(apply, invert)))
    between = combine(to_and_fro(steps_right), to_and_fro(steps_down))
    output = paint(I, between)
    return output


def solve_d8c310e9(I):
    """The pattern at the edge goes on along it, in the direction in which it repeats."""
    # Generated pairs may also have a pattern at two edges; in the task it is at one.
    shown = foreground(I)
    lying = greater(width(shown), hperiod(shown))
    upright = branch(lying, I, dmirror(I))
    pattern = foreground(upright)
    continued = paint(upright, repeat_along(pattern, tojvec(hperiod(pattern))))
    output = branch(lying, continued, dmirror(continued))
    return output


def solve_e21d9049(I):
    """Both arms of the colored cross are repeated along their lines over the whole grid."""
    cells = toindices(foreground(I))
    row = mostcommon(apply(first, totuple(cells)))
    column = mostcommon(apply(last, totuple(cells)))
    lying_arm = toobject(intersection(cells, hfrontier(toivec(row))), I)
    upright_arm = toobject(intersection(cells, vfrontier(tojvec(column))), I)
    with_row = paint(I, repeat_along(lying_arm, tojvec(width(lying_arm))))
    output = paint(with_row, repeat_along(upright_arm, toivec(height(upright_arm))))
    return output


def solve_e26a3af2(I):
    """Stripes run across or down, with specks on them: the specks take their stripe's color."""
    columns = repeat(apply(mostcommon, dmirror(I)), height(I))
    rows = dmirror(repeat(apply(mostcommon, I), width(I)))
    agreement = chain(size, lbind(intersection, asobject(I)), asobject)
    output = argmax(astuple(columns, rows), agreement)
    return output


def solve_e8dc4411(I):
    """The figure is repeated in the color of the single cell beside it, on and on in the
    diagonal direction and at the distance that this cell shows.
    """
    hue = leastcolor(I)
    seed = first(ofcolor(I, hue))
    figure = ofcolor(I, other(remove(hue, palette(I)), mostcolor(I)))
    way_out = sign(subtract(seed, center(figure)))
    back = intersection(shoot(seed, invert(way_out)), figure)
    distance = compose(lbind(manhattan, initset(seed)), initset)
    step = subtract(seed, argmax(back, distance))
    steps = apply(lbind(multiply, step), interval(ONE, width(I), ONE))
    output = fill(I, hue, copies_at(figure, steps))
    return output


def solve_e9afcf9a(I):
    """The colors of the two lines change places in every second cell, so that they alternate."""
    hue = index(I, ORIGIN)
    even_cells = sfilter(asindices(I), compose(even, fork(add, first, last)))
    output = fill(canvas(other(palette(I), hue), shape(I)), hue, even_cells)
    return output


def solve_f8c80d96(I):
    """The nested outlines go on outward at the same distance, and the ground turns gray."""
    outlines = order(objects(I, T, F, T), compose(invert, size))
    drawn = merge(outlines)
    outer = first(outlines)
    inner = second(outlines)
    up_left = subtract(ulcorner(inner), ulcorner(outer))
    down_right = subtract(lrcorner(outer), lrcorner(inner))
    # The edge cuts off one of two opposite sides in the task, at most; both in generated pairs.
    # Sides cut off by the edge do not move.
    step = apply(maximum, dmirror(astuple(up_left, down_right)))
    upper_left = lbind(subtract, ulcorner(drawn))
    lower_right = lbind(add, lrcorner(drawn))
    outline_at = compose(box, fork(insert, upper_left, compose(initset, lower_right)))
    steps = apply(lbind(multiply, step), interval(ONE, 30, ONE))
    extended = fill(I, color(drawn), mapply(outline_at, steps))
    output = replace(extended, mostcolor(I), GRAY)
    return output


def solve_f9012d9b(I):
    """A repeating pattern has a patch of one color: the answer is what the patch hides."""
    patch = argmax(sfilter(partition(I), is_solid), size)
    # Black is what gets filled in, so the two colors change places for a while.
    filled = last(period_fill(astuple(ORIGIN, switch(I, color(patch), BLACK))))
    output = subgrid(patch, switch(filled, color(patch), BLACK))
    return output
