# Lines that are shot, connected and extended; rows, columns, diagonals and frames.


def solve_06df4c85(I):
    """Blocks of the same color in one row or column of the lattice are joined by blocks of
    that color.
    """
    lattice = color(first(frontiers(I)))
    ground = mostcolor(compress(I))
    blocks = fgpartition(replace(I, ground, lattice))
    links = fork(lbind(prapply, connect), toindices, toindices)
    across = compose(rbind(mfilter, hline), links)
    down = compose(rbind(mfilter, vline), links)
    joined = mapply(fork(recolor, color, fork(combine, across, down)), blocks)
    in_gaps = compose(rbind(contained, ofcolor(I, ground)), last)
    output = paint(I, sfilter(joined, in_gaps))
    return output


def solve_178fcbfb(I):
    """Red cells become whole columns; cells of other colors become whole rows, on top of them."""
    columns = mapply(vfrontier, ofcolor(I, RED))
    others = sfilter(foreground(I), compose(flip, matcher(first, RED)))
    rows = mapply(fork(recolor, first, compose(hfrontier, last)), others)
    output = paint(fill(I, RED, columns), rows)
    return output


def solve_1f0c79e5(I):
    """The two by two block leaves trails of its own color through every corner that is
    red.
    """
    reds = ofcolor(I, RED)
    block = merge(objects(I, F, T, T))
    hue = other(remove(RED, palette(I)), mostcolor(I))
    # A corner of the block is 0 or 1 down and right of its first cell.
    steps = apply(rbind(subtract, ulcorner(block)), reds)
    directions = apply(compose(decrement, double), steps)
    trails = merge(prapply(shoot, toindices(block), directions))
    output = fill(I, hue, trails)
    return output


def solve_1f876c06(I):
    """Two dots of each color are the ends of a diagonal, which is drawn."""
    diagonal = compose(fork(connect, first, last), toindices)
    lines = mapply(fork(recolor, color, diagonal), fgpartition(I))
    output = paint(I, lines)
    return output


def solve_22168020(I):
    """Every forked shape is filled: the gap between its arms takes its color."""
    shapes = objects(I, T, T, T)
    # Straight lines from each cell of a shape to every other one.
    lines_within = fork(lbind(prapply, connect), toindices, toindices)
    filled = compose(merge, lines_within)
    output = paint(I, mapply(fork(recolor, color, filled), shapes))
    return output


def solve_2281f1f4(I):
    """Marks stand along two sides of the grid. Red where the column of a mark at the top (or
    bottom) meets the row of a mark at the side.
    """
    marks = toindices(foreground(I))
    crossings = product(apply(first, marks), apply(last, marks))
    # The two sides cross in a corner too: its row and column have all the marks.
    marks_beside = chain(size, lbind(intersection, marks), cross_at)
    bend = argmax(corners(marks), marks_beside)
    output = underfill(I, RED, remove(bend, crossings))
    return output


def solve_22eb0ac0(I):
    """Where two cells at opposite ends of a row, or of a column, have the same color, they are
    joined by a line.
    """
    dots = foreground(I)
    sides = apply(last, corners(asindices(I)))
    in_rows = equality(apply(last, toindices(dots)), sides)
    # Each two cells of a color are connected; only links from side to side count.
    links = fork(lbind(prapply, connect), toindices, toindices)
    straight = compose(rbind(mfilter, branch(in_rows, hline, vline)), links)
    output = paint(I, mapply(fork(recolor, color, straight), fgpartition(I)))
    return output


def solve_23581191(I):
    """Each of two dots is the middle of a cross of lines in its color; where the crosses
    meet, the cells are red.
    """
    dots = objects(I, T, F, T)
    cross = compose(cross_at, ulcorner)
    crosses = mapply(fork(recolor, color, cross), dots)
    meetings = intersection(cross(first(dots)), cross(last(dots)))
    output = fill(paint(I, crosses), RED, meetings)
    return output


def solve_253bf280(I):
    """Dots that share a row or a column are joined by a green line."""
    dots = toindices(foreground(I))
    links = prapply(connect, dots, dots)
    lines = combine(mfilter(links, hline), mfilter(links, vline))
    output = underfill(I, GREEN, lines)
    return output


def solve_25d487eb(I):
    """The odd cell in the triangle's base shoots a ray of its color out through the tip."""
    hue = leastcolor(I)
    odd_cell = first(ofcolor(I, hue))
    triangle = toindices(foreground(I))
    behind = first(difference(dneighbors(odd_cell), triangle))
    way = subtract(odd_cell, behind)
    output = underfill(I, hue, shoot(odd_cell, way))
    return output


def solve_25d8a9c8(I):
    """Rows that are of one color turn gray; all others turn black. (If no row is, all that in
    columns.)
    """
    rows = sfilter(frontiers(I), hline)
    one_color_lines = merge(branch(rows, rows, frontiers(I)))
    blank = canvas(BLACK, shape(I))
    output = fill(blank, GRAY, one_color_lines)
    return output


def solve_29c11459(I):
    """From both ends of a row, or column, colored lines run to the middle, where they meet in
    a gray cell.
    """
    sides = apply(last, corners(asindices(I)))
    in_rows = equality(apply(last, toindices(foreground(I))), sides)
    upright = branch(in_rows, I, dmirror(I))
    dots = apply(initset, foreground(upright))
    meeting = compose(rbind(astuple, halve(width(upright))), uppermost)
    line = fork(recolor, color, fork(connect, ulcorner, meeting))
    drawn = paint(upright, mapply(line, dots))
    joined = fill(drawn, GRAY, apply(meeting, dots))
    output = branch(in_rows, joined, dmirror(joined))
    return output


def solve_2bee17df(I):
    """Every row and column that is free from one wall to the other turns green."""
    border = toobject(box(asindices(I)), I)
    # The walls line the whole border: what it lacks is the open ground.
    ground = first(difference(palette(I), palette(border)))
    free = merge(colorfilter(frontiers(trim(I)), ground))
    output = fill(I, GREEN, shift(free, UNITY))
    return output


def solve_2c608aff(I):
    """Dots that are level with the rectangle, across or down, are joined to it by a line."""
    things = objects_on(I, T, F, groundcolor(I))
    rectangle = argmax(things, size)
    dots = apply(initset, difference(merge(things), rectangle))
    facing = fork(either, rbind(hmatching, rectangle), rbind(vmatching, rectangle))
    touching = fork(add, ulcorner, rbind(gravitate, rectangle))
    line = fork(recolor, color, fork(connect, ulcorner, touching))
    output = paint(I, mapply(line, sfilter(dots, facing)))
    return output


def solve_3bd67248(I):
    """From the foot of the bar at one edge a red diagonal goes off into the grid and a yellow line
    goes along the floor, as thick as the bar.
    """
    bar = foreground(I)
    thickness = minimum(shape(bar))
    # Turned so that the bar is on the left.
    turned = compose(lbind(mir_rot, downscale(I, thickness)), lbind(add, THREE))
    left_column = chain(first, dmirror, turned)
    n_turns = extract((4, 1, 2, 3), matcher(compose(dedupe, left_column), repeat(color(bar), ONE)))
    upright = turned(n_turns)
    foot = llcorner(asindices(upright))
    with_diagonal = fill(upright, RED, shoot(add(foot, UP_RIGHT), UP_RIGHT))
    with_floor = fill(with_diagonal, YELLOW, shoot(add(foot, RIGHT), RIGHT))
    output = upscale(power(rot270, n_turns)(with_floor), thickness)
    return output


def solve_40853293(I):
    """Two dots of a color are the ends of a line. Where lines cross, the vertical one
    lies on top.
    """
    lines = apply(fork(recolor, color, backdrop), fgpartition(I))
    across = paint(I, mfilter(lines, hline))
    output = paint(across, mfilter(lines, vline))
    return output


def solve_41e4d17e(I):
    """A pink row and a pink column run through the middle of every frame, behind the frames."""
    # Frames may touch each other, their insides never do.
    insides = sfilter(parts_of(I, mostcolor(I), F), square)
    lines = mapply(compose(cross_at, center), insides)
    output = underfill(I, PINK, lines)
    return output


def solve_508bd3b6(I):
    """The diagonal goes on in green to the wall and is thrown back by it."""
    stub = ofcolor(I, leastcolor(I))
    wall = ofcolor(I, get_color_rank(I, ONE))
    start = first(stub)
    way = branch(contained(ulcorner(stub), stub), UNITY, UP_RIGHT)
    course = combine(shoot(start, way), shoot(start, invert(way)))
    beside_wall = intersection(outbox(wall), asindices(I))
    from_start = compose(lbind(manhattan, stub), initset)
    impact = argmin(intersection(course, beside_wall), from_start)
    # Of the four diagonals from there, two are the course and one ends in the wall.
    rays = apply(lbind(shoot, impact), ineighbors(ORIGIN))
    free_rays = mfilter(rays, compose(flip, lbind(intersection, wall)))
    thrown_back = difference(free_rays, course)
    output = underfill(I, GREEN, combine(thrown_back, connect(start, impact)))
    return output


def solve_5c0a986e(I):
    """Each square throws a diagonal: the blue one from its upper left corner, the red one
    from its lower right corner.
    """
    squares = objects(I, T, F, F)
    starts = apply(ulcorner, colorfilter(squares, BLUE))
    up_left = mapply(rbind(shoot, NEG_UNITY), starts)
    ends = apply(lrcorner, colorfilter(squares, RED))
    down_right = mapply(rbind(shoot, UNITY), ends)
    output = underfill(underfill(I, BLUE, up_left), RED, down_right)
    return output


def solve_5daaa586(I):
    """Four lines cross; the output is the part between them. The dots in it have the color
    of one of the lines, and each draws a line to it.
    """
    ground = mostcolor(I)
    # The rows and columns of the four lines are those without a cell of the ground.
    rows = mapply(hfrontier, ofcolor(I, ground))
    columns = mapply(vfrontier, ofcolor(I, ground))
    between = subgrid(difference(asindices(I), combine(rows, columns)), I)
    hue = other(palette(toobject(intersection(rows, columns), I)), ground)
    cells = ofcolor(between, hue)
    sides = difference(box(asindices(between)), corners(asindices(between)))
    way = position(asindices(between), intersection(cells, sides))
    output = fill(between, hue, mapply(rbind(shoot, way), cells))
    return output


def solve_623ea044(I):
    """From the dot diagonal lines run in all four directions to the edge."""
    hue = leastcolor(I)
    diagonals = merge(prapply(shoot, ofcolor(I, hue), ineighbors(ORIGIN)))
    output = fill(I, hue, diagonals)
    return output


def solve_673ef223(I):
    """Each dot turns yellow and is joined to the bar in its rows by a line of its color. In the
    same rows of the other bar such lines cross the whole grid. (Or all that in columns.)
    """
    bar = argmax(objects(I, T, F, T), size)
    dot_hue = other(remove(color(bar), palette(I)), mostcolor(I))
    standing = vline(bar)
    upright = branch(standing, I, dmirror(I))
    bars = parts_of(upright, color(bar), F)
    dots = ofcolor(upright, dot_hue)
    near = extract(bars, rbind(hmatching, dots))
    foot = compose(rbind(astuple, leftmost(near)), first)
    joined = underfill(upright, dot_hue, mapply(fork(connect, identity, foot), dots))
    way = toivec(subtract(uppermost(other(bars, near)), uppermost(near)))
    crossed = underfill(joined, dot_hue, mapply(hfrontier, shift(dots, way)))
    marked = fill(crossed, YELLOW, dots)
    output = branch(standing, marked, dmirror(marked))
    return output


def solve_67a423a3(I):
    """Rows and columns cross; the cells all around a crossing turn yellow."""
    ground = mostcolor(I)
    hue_of_row = compose(mostcommon, lbind(get_nth, I))
    hue_of_column = compose(mostcommon, lbind(get_nth, dmirror(I)))
    rows = interval(ZERO, height(I), ONE)
    columns = interval(ZERO, width(I), ONE)
    colored_rows = sfilter(rows, compose(flip, matcher(hue_of_row, ground)))
    colored_columns = sfilter(columns, compose(flip, matcher(hue_of_column, ground)))
    output = fill(I, YELLOW, mapply(neighbors, product(colored_rows, colored_columns)))
    return output


def solve_6cdd2623(I):
    """The color found only on the edge marks the ends of whole rows and columns, which are
    drawn; all else is noise and goes.
    """
    only_on_edge = difference(palette(I), palette(trim(I)))
    hue = argmax(only_on_edge, lbind(colorcount, I))
    ends = ofcolor(I, hue)
    rows = mapply(hfrontier, sfilter(ends, matcher(last, ZERO)))
    columns = mapply(vfrontier, sfilter(ends, matcher(first, ZERO)))
    output = fill(canvas(mostcolor(I), shape(I)), hue, combine(rows, columns))
    return output


def solve_6d58a25d(I):
    """Every dot under the big roof makes its column a line of its color, from the roof to the
    bottom.
    """
    # The roof hangs together; of the dots only some do.
    n_parts = chain(size, rbind(lbind(parts_of, I), T), color)
    roof_at_first = argmax(fgpartition(I), fork(divide, size, n_parts))
    dot_hue = color(other(fgpartition(I), roof_at_first))
    has = rbind(contained, toindices(roof_at_first))
    # The roof's feet are two corners of its box: with a mirror they come to lie at the bottom.
    from_above = branch(has(urcorner(roof_at_first)), ZERO, THREE)
    from_below = branch(has(llcorner(roof_at_first)), SEVEN, ONE)
    mirror = branch(has(ulcorner(roof_at_first)), from_above, from_below)
    upright = mir_rot(I, mirror)
    roof = ofcolor(upright, color(roof_at_first))
    under = difference(mapply(rbind(shoot, DOWN), roof), roof)
    columns = mapply(vfrontier, intersection(ofcolor(upright, dot_hue), under))
    output = mir_rot(fill(upright, dot_hue, intersection(under, columns)), mirror)
    return output


def solve_6e19193c(I):
    """Every bent shape of three cells shoots a diagonal out past its open corner, to the edge."""
    bends = objects(I, T, F, T)
    gap = compose(first, delta)
    way = fork(subtract, compose(double, gap), fork(add, ulcorner, lrcorner))
    ray = fork(shoot, fork(add, gap, way), way)
    output = paint(I, mapply(fork(recolor, color, ray), bends))
    return output


def solve_6f8cd79b(I):
    """The grid gets a cyan frame."""
    frame = box(asindices(I))
    output = fill(I, CYAN, frame)
    return output


def solve_7ddcd7ec(I):
    """Every cell at a corner of the square shoots a diagonal away from it."""
    parts = objects(I, T, F, T)
    block = argmax(parts, size)
    ray = fork(shoot, ulcorner, lbind(position, block))
    output = fill(I, color(block), mapply(ray, remove(block, parts)))
    return output


def solve_855e0971(I):
    """In each layer of color a dot becomes a line straight through the layer."""
    # Dots may cut a layer into parts, but dots are the smaller ones on the whole.
    n_parts = chain(size, rbind(lbind(parts_of, I), F), color)
    dot_hue = color(argmin(partition(I), fork(divide, size, n_parts)))
    layers = objects_on(I, T, F, dot_hue)
    stacked = equality(valmax(layers, width), width(I))
    line_through = branch(stacked, vfrontier, hfrontier)
    dots = compose(lbind(intersection, ofcolor(I, dot_hue)), backdrop)
    lines_in_layer = fork(intersection, backdrop, compose(lbind(mapply, line_through), dots))
    output = fill(I, dot_hue, mapply(lines_in_layer, layers))
    return output


def solve_8d510a79(I):
    """Red cells shoot a line to the wall, blue ones away from it to the edge."""
    wall_hue = other(remove(RED, remove(BLUE, palette(I))), mostcolor(I))
    upright = vline(ofcolor(I, wall_hue))
    flat = branch(upright, dmirror(I), I)
    wall_row = uppermost(ofcolor(flat, wall_hue))
    foot = compose(lbind(astuple, wall_row), last)
    to_wall = mapply(fork(connect, identity, foot), ofcolor(flat, RED))
    away = chain(toivec, sign, compose(rbind(subtract, wall_row), first))
    from_wall = mapply(fork(shoot, identity, away), ofcolor(flat, BLUE))
    drawn = underfill(underfill(flat, RED, to_wall), BLUE, from_wall)
    output = branch(upright, dmirror(drawn), drawn)
    return output


def solve_97999447(I):
    """Each dot shoots a line to the right, of its own color and gray in turn."""
    dots = foreground(I)
    ray = compose(rbind(shoot, RIGHT), last)
    colored_rays = mapply(fork(recolor, first, ray), dots)
    odd_steps = apply(tojvec, interval(ONE, width(I), TWO))
    gray_cells = copies_at(dots, odd_steps)
    output = fill(paint(I, colored_rays), GRAY, gray_cells)
    return output


def solve_99fa7670(I):
    """Each dot shoots a line to the right; at the edge it turns and runs down until the
    next dot's line comes in.
    """
    dots_downwards = order(apply(initset, foreground(I)), uppermost)
    edge = decrement(width(I))
    to_the_right = compose(rbind(shoot, RIGHT), ulcorner)
    down_the_edge = chain(rbind(shoot, DOWN), rbind(astuple, edge), uppermost)
    path = fork(combine, to_the_right, down_the_edge)
    # In this order, so that lower lines are painted over those from above.
    lines = mapply(fork(recolor, color, path), dots_downwards)
    output = paint(I, lines)
    return output


def solve_a3df8b1e(I):
    """The cell in the corner runs off diagonally along the grid, and bounces off both sides."""
    upright = branch(portrait(I), I, dmirror(I))
    hue = leastcolor(I)
    start = first(ofcolor(upright, hue))
    period = double(decrement(width(upright)))
    # Rows where the way touches the first side, as far as the next ones beyond the grid.
    counts = interval(invert(height(upright)), height(upright), ONE)
    turns = apply(compose(rbind(add, start), compose(toivec, lbind(multiply, period))), counts)
    drawn = fill(upright, hue, merge(prapply(shoot, turns, ineighbors(ORIGIN))))
    output = branch(portrait(I), drawn, dmirror(drawn))
    return output


def solve_a5f85a15(I):
    """On the diagonals every second cell turns yellow: those in the odd columns."""
    diagonals = ofcolor(I, other(palette(I), mostcolor(I)))
    in_odd_column = chain(flip, even, last)
    output = fill(I, YELLOW, sfilter(diagonals, in_odd_column))
    return output


def solve_a699fb00(I):
    """A cell that has a dot on its left and on its right turns red."""
    dots = ofcolor(I, leastcolor(I))
    between = intersection(shift(dots, RIGHT), shift(dots, LEFT))
    output = underfill(I, RED, between)
    return output


def solve_a78176bb(I):
    """Each triangle beside the diagonal line gives way to a parallel line that passes its
    far tip; the triangles go."""
    parts = totuple(objects(I, T, F, T))
    # The cells of the line touch by corners only, so they are the most parts.
    hue = mostcommon(apply(color, parts))
    triangles = difference(parts, colorfilter(parts, hue))
    # With the cells of the line that it touches a triangle has three corners of its box.
    touched = chain(rbind(intersection, ofcolor(I, hue)), lbind(mapply, dneighbors), toindices)
    wedges = apply(fork(combine, toindices, touched), triangles)
    open_corner = compose(first, fork(difference, corners, identity))
    tip = fork(subtract, fork(add, ulcorner, lrcorner), open_corner)
    outward = compose(sign, fork(subtract, tip, open_corner))
    along = fork(astuple, compose(first, outward), chain(invert, last, outward))
    ray = fork(shoot, fork(add, tip, outward), along)
    ray_back = fork(shoot, fork(add, tip, outward), compose(invert, along))
    lines = mapply(fork(combine, ray, ray_back), wedges)
    output = fill(cover(I, merge(triangles)), hue, lines)
    return output


def solve_a85d4709(I):
    """The dot of a row colors the whole row: red if it stands in the left third, yellow in
    the middle, green in the right third.
    """
    dots = ofcolor(I, leastcolor(I))
    third = compose(rbind(divide, divide(width(I), THREE)), last)
    left = sfilter(dots, matcher(third, ZERO))
    right = sfilter(dots, matcher(third, TWO))
    middle_ones = difference(difference(dots, left), right)
    red_rows = fill(I, RED, mapply(hfrontier, left))
    green_rows = fill(red_rows, GREEN, mapply(hfrontier, right))
    output = fill(green_rows, YELLOW, mapply(hfrontier, middle_ones))
    return output


def solve_b527c5c6(I):
    """A cell of another color at the edge of each bar shoots a ray away from the bar. On both sides
    of it there are rays of the bar's color, one less than the bar is thick.
    """
    hue = leastcolor(I)
    bar_hue = other(remove(hue, palette(I)), mostcolor(I))
    bars = objects(I, F, F, T)
    odd_cell = compose(ulcorner, rbind(sfilter, matcher(first, hue)))
    outside = fork(difference, compose(dneighbors, odd_cell), toindices)
    # At a corner of the bar the ray leaves through its long side, where fewer cells are in line.
    cells_of_bar = chain(lbind(compose, size), lbind(lbind, intersection), toindices)
    n_in_line = compose(rbind(compose, cross_at), cells_of_bar)
    next_outside = fork(argmin, outside, n_in_line)
    way = fork(subtract, next_outside, odd_cell)
    ray = fork(shoot, next_outside, way)
    thickness = compose(minimum, shape)
    reach = fork(rbind(interval, ONE), compose(lbind(subtract, ONE), thickness), thickness)
    across = compose(initset, compose(fork(astuple, last, first), way))
    band = fork(lbind(prapply, add), ray, fork(lbind(prapply, multiply), across, reach))
    output = fill(fill(I, bar_hue, mapply(band, bars)), hue, mapply(ray, bars))
    return output


def solve_b8cdaf2b(I):
    """A bar of the rarest color lies at the edge under a lid; from the lid's ends diagonals
    of that color run outward, away from the edge.
    """
    hue = leastcolor(I)
    bar = ofcolor(I, hue)
    within = compose(lbind(intersection, asindices(I)), lbind(shift, bar))
    to_edge = extract(dneighbors(ORIGIN), compose(flip, within))
    sideways = subtract(UNITY, multiply(to_edge, to_edge))
    lid = shift(bar, invert(to_edge))
    one_ray = shoot(ulcorner(lid), invert(add(sideways, to_edge)))
    other_ray = shoot(lrcorner(lid), subtract(sideways, to_edge))
    output = fill(I, hue, difference(combine(one_ray, other_ray), lid))
    return output


def solve_ba97ae07(I):
    """Where two bars cross, the one below comes to lie on top."""
    # Only the bar on top has rows or columns that are wholly of one color.
    on_top = toindices(merge(frontiers(I)))
    hue_below = leastcolor(compress(I))
    below = ofcolor(I, hue_below)
    lines_below = mapply(cross_at, below)
    output = fill(I, hue_below, intersection(on_top, lines_below))
    return output


def solve_bdad9b1f(I):
    """The lying and the standing pieces become whole lines; the crossings are yellow."""
    pieces = objects(I, T, F, T)
    row = compose(hfrontier, ulcorner)
    column = compose(vfrontier, ulcorner)
    rows = mapply(fork(recolor, color, row), sfilter(pieces, hline))
    columns = mapply(fork(recolor, color, column), sfilter(pieces, vline))
    lines = paint(paint(I, rows), columns)
    output = fill(lines, YELLOW, intersection(toindices(rows), toindices(columns)))
    return output


def solve_c1d99e64(I):
    """Rows and columns that are of one color from edge to edge turn red."""
    output = fill(I, RED, merge(frontiers(I)))
    return output


def solve_d037b0a7(I):
    """Every colored cell runs down to the bottom, or to the next colored cell."""
    ground = mostcolor(I)
    # Black and the ground are exchanged, since only zeros are run over.
    picture = astuple(ORIGIN, switch(I, ground, BLACK))
    output = switch(last(smear(picture, TWO)), ground, BLACK)
    return output


def solve_d07ae81c(I):
    """Every dot sends out all its diagonals, which on each ground take the color of the dots
    that lie on it.
    """
    ground = mostcolor(I)
    bands = get_color_rank(I, ONE)
    hues = astuple(get_color_rank(I, L1), get_color_rank(I, L2))
    near = chain(rbind(toobject, I), lbind(mapply, dneighbors), lbind(ofcolor, I))
    excess = fork(subtract, rbind(colorcount, ground), rbind(colorcount, bands))
    on_ground = argmax(hues, compose(excess, near))
    on_bands = other(hues, on_ground)
    dots = combine(ofcolor(I, on_ground), ofcolor(I, on_bands))
    rays = mapply(fork(shoot, first, last), product(dots, ineighbors(ORIGIN)))
    first_drawn = fill(I, on_ground, intersection(rays, ofcolor(I, ground)))
    output = fill(first_drawn, on_bands, intersection(rays, ofcolor(I, bands)))
    return output


def solve_d13f3404(I):
    """On a grid of twice the size every colored cell runs down to the right."""
    ground = mostcolor(I)
    on_black = switch(I, ground, BLACK)
    enlarged = paste_on(astuple(ORIGIN, on_black), double(shape(I)))
    drawn = last(smear(enlarged, SEVEN))
    output = switch(drawn, ground, BLACK)
    return output


def solve_d22278a0(I):
    """Every corner dot sends out angles of its color, every other step one, as far as cells
    are nearer to it than to any other dot.
    """
    dots = objects(I, T, F, T)
    distance_from = lbind(lbind, manhattan)
    least = compose(lbind(valmin, dots), distance_from)
    nearest = compose(lbind(sfilter, dots), fork(matcher, distance_from, least))
    has_one_nearest = matcher(compose(size, nearest), ONE)
    to_dot = fork(combine, identity, chain(toindices, first, nearest))
    on_angle = chain(flip, even, chain(maximum, shape, to_dot))
    cells = sfilter(apply(initset, asindices(I)), fork(both, on_angle, has_one_nearest))
    hue = chain(color, first, nearest)
    output = paint(I, mapply(fork(recolor, hue, identity), cells))
    return output


def solve_d43fd935(I):
    """Every dot that is level with the block, by row or column, sends a line of its
    color to it, unless a dot of another color is in the way.
    """
    block = argmax(objects(I, T, F, T), size)
    dots = apply(initset, difference(foreground(I), block))
    level = sfilter(dots, fork(either, rbind(hmatching, block), rbind(vmatching, block)))
    line = fork(connect, ulcorner, fork(add, ulcorner, rbind(gravitate, block)))
    # On a free line there are but its color and the ground.
    colors_met = chain(lbind(remove, mostcolor(I)), palette, compose(rbind(toobject, I), line))
    free = sfilter(level, matcher(compose(size, colors_met), ONE))
    output = paint(I, mapply(fork(recolor, color, line), free))
    return output


def solve_dbc1a6ce(I):
    """Dots in the same row or column are joined by cyan lines."""
    dots = ofcolor(I, leastcolor(I))
    links = prapply(connect, dots, dots)
    straight = combine(mfilter(links, hline), mfilter(links, vline))
    output = underfill(I, CYAN, straight)
    return output


def solve_ded97339(I):
    """Dots that share a row or a column are joined by a line."""
    dots = foreground(I)
    links = prapply(connect, toindices(dots), toindices(dots))
    lines = combine(mfilter(links, hline), mfilter(links, vline))
    output = fill(I, color(dots), lines)
    return output


def solve_e48d4e1a(I):
    """The cross moves away from the few cells of another color, in rows and in columns, by as
    many cells as they are; they vanish.
    """
    counters = ofcolor(I, leastcolor(I))
    beams = frontiers(I)
    upright = toindices(extract(beams, vline))
    level = toindices(extract(beams, hline))
    crossing = intersection(upright, level)
    way = multiply(position(counters, crossing), size(counters))
    blank = cover(I, foreground(I))
    output = fill(blank, color(first(beams)), cross_at(add(first(crossing), way)))
    return output


def solve_ea786f4a(I):
    """The odd cell sends diagonals of its color to the edges in all four directions."""
    hue = leastcolor(I)
    odd_cell = first(ofcolor(I, hue))
    diagonals = mapply(lbind(shoot, odd_cell), ineighbors(ORIGIN))
    output = fill(I, hue, diagonals)
    return output


def solve_ec883f72(I):
    """From the corners of the open frame diagonals go outward, of the color inside it."""
    parts = fgpartition(I)
    frame = argmax(parts, compose(size, backdrop))
    inner = other(parts, frame)
    outwards = compose(sign, rbind(subtract, center(frame)))
    rays = mapply(fork(shoot, identity, outwards), corners(frame))
    output = underfill(I, color(inner), rays)
    return output


def solve_ecdecbb3(I):
    """Each dot runs straight to the lines next to it; where it meets one, a ring of the line's
    color is drawn around the cell."""
    parts = objects(I, T, F, T)
    line_hue = color(argmax(parts, size))
    dot_hue = other(remove(line_hue, palette(I)), mostcolor(I))
    dot_and_line = product(colorfilter(parts, dot_hue), colorfilter(parts, line_hue))
    start = compose(ulcorner, first)
    row_and_column = compose(cross_at, start)
    on_line = compose(first, fork(intersection, compose(toindices, last), row_and_column))
    paths = apply(fork(connect, start, on_line), dot_and_line)
    # A path that meets two lines would go through one of them.
    line_cells = ofcolor(I, line_hue)
    crossed = compose(size, lbind(intersection, line_cells))
    free = merge(sfilter(paths, matcher(crossed, ONE)))
    hits = intersection(free, line_cells)
    ringed = fill(fill(I, dot_hue, free), line_hue, mapply(neighbors, hits))
    output = fill(ringed, dot_hue, hits)
    return output


def solve_ef135b50(I):
    """Gaps between blocks in a row are filled with brown, save along the grid's edge."""
    blocks = fill(canvas(BLACK, shape(I)), RED, not_of_color(I, groundcolor(I)))
    gaps = ofcolor(last(bridge(astuple(ORIGIN, blocks), ZERO)), RED)
    output = fill(I, BROWN, difference(gaps, box(asindices(I))))
    return output


def solve_f15e1fac(I):
    """The dots of one color on one edge shoot lines across; at each red dot on the edge beside, all
    lines step aside, one cell away from it.
    """
    hue = other(remove(RED, palette(I)), mostcolor(I))
    edge_rows = combine(hfrontier(ORIGIN), hfrontier(lrcorner(asindices(I))))
    in_row = flip(difference(ofcolor(I, hue), edge_rows))
    across = branch(in_row, I, dmirror(I))
    from_below = positive(uppermost(ofcolor(across, hue)))
    downwards = branch(from_below, hmirror(across), across)
    starts = ofcolor(downwards, hue)
    reds = ofcolor(downwards, RED)
    aside = branch(positive(leftmost(reds)), NEG_ONE, ONE)
    not_below = compose(lbind(compose, flip), lbind(rbind, greater))
    passed = chain(size, lbind(sfilter, apply(first, reds)), not_below)
    way = fork(astuple, identity, compose(lbind(multiply, aside), passed))
    rows = interval(ZERO, height(downwards), ONE)
    drawn = fill(downwards, hue, mapply(compose(lbind(shift, starts), way), rows))
    turned_up = branch(from_below, hmirror(drawn), drawn)
    output = branch(in_row, turned_up, dmirror(turned_up))
    return output


def solve_f1cefba8(I):
    """Each bump of the inner rectangle sends a line across the grid: in the outer color inside
    the frame, in the inner color outside it."""
    # The inner rectangle lies within the frame and the frame within the ground.
    by_extent = order(partition(I), compose(size, backdrop))
    inner = first(by_extent)
    frame = second(by_extent)
    ring = inbox(frame)
    bumps = intersection(ring, toindices(inner))
    left_side = connect(ulcorner(ring), llcorner(ring))
    right_side = connect(urcorner(ring), lrcorner(ring))
    at_sides = intersection(bumps, combine(left_side, right_side))
    columns = mapply(vfrontier, difference(bumps, at_sides))
    lines = combine(mapply(hfrontier, at_sides), columns)
    with_rays = fill(I, color(inner), lines)
    output = fill(with_rays, color(frame), intersection(lines, backdrop(frame)))
    return output


def solve_feca6190(I):
    """The grid grows as many times as the row has colored cells; the row lies at the bottom
    and its cells run up to the right.
    """
    ground = mostcolor(I)
    side = multiply(width(I), size(foreground(I)))
    at_bottom = shift(foreground(I), toivec(decrement(side)))
    line = fork(recolor, color, compose(rbind(shoot, UP_RIGHT), ulcorner))
    lines = mapply(line, apply(initset, at_bottom))
    output = paint(canvas(ground, astuple(side, side)), lines)
    return output
