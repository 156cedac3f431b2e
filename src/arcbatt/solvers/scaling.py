# Tasks about scale: cells made blocks, blocks made cells, stretching and compressing.


def solve_4522001f(I):
    """The square in a corner, all in its main color, becomes one of twice the size in the same
    corner of a grid three times as large; another one follows toward the opposite corner.
    """
    ground = groundcolor(I)
    small = not_of_color(I, ground)
    # 0 where it lies at the upper or left edge, 1 at the other one.
    place = sign(ulcorner(small))
    blank = canvas(ground, multiply(THREE, shape(I)))
    large = upscale(normalize(small), TWO)
    in_corner = shift(large, multiply(subtract(shape(blank), shape(large)), place))
    inwards = subtract(UNITY, double(place))
    next_one = shift(in_corner, multiply(shape(large), inwards))
    output = fill(blank, mostcolor(small), combine(in_corner, next_one))
    return output


def solve_469497ad(I):
    """The picture is enlarged as many times as it has colors, the ground not counted, and red
    rays leave the corners of the square, seen only on the ground.
    """
    # Generated pairs have rectangles of any sides, also at the edge; the task has squares.
    large = upscale(I, decrement(numcolors(I)))
    block = argmax(sfilter(objects(large, T, F, F), square), size)
    # Away from the edge there are only the square and the ground.
    ground = ofcolor(large, other(palette(trim(I)), color(block)))
    # Two lines through the square, behind it.
    falling = combine(shoot(ulcorner(block), NEG_UNITY), shoot(ulcorner(block), UNITY))
    rising = combine(shoot(urcorner(block), UP_RIGHT), shoot(urcorner(block), DOWN_LEFT))
    output = fill(large, RED, intersection(ground, combine(falling, rising)))
    return output


def solve_46f33fce(I):
    """Every second row and column holds the dots: each dot becomes a block of four by four
    cells, next to its neighbors' blocks.
    """
    closer = fork(astuple, first, compose(halve, last))
    dots = paint(canvas(mostcolor(I), halve(shape(I))), apply(closer, foreground(I)))
    output = upscale(dots, FOUR)
    return output


def solve_5614dbcf(I):
    """Each block of three by three cells becomes one cell of its color; gray is noise."""
    bands = vsplit(I, divide(height(I), THREE))
    blocks = apply(rbind(hsplit, divide(width(I), THREE)), bands)
    without_noise = rbind(not_of_color, GRAY)
    output = apply(lbind(apply, compose(mostcolor, without_noise)), blocks)
    return output


def solve_5ad4f10b(I):
    """Among scattered dots there is a large picture of blocks; the output is
    that picture, a cell for a block, in the color of the dots.
    """
    ground = mostcolor(I)
    blocks_hue = color(argmax(objects(I, T, T, T), size))
    large = ofcolor(I, blocks_hue)
    dots_hue = other(remove(ground, palette(I)), blocks_hue)
    picture = fill(canvas(ground, shape(large)), dots_hue, normalize(large))
    enlarged_again = fork(upscale, lbind(downscale, picture), identity)
    side = extract(interval(width(large), ZERO, NEG_ONE), matcher(enlarged_again, picture))
    output = downscale(picture, side)
    return output


def solve_6b9890af(I):
    """The shape outside is enlarged until it fills the frame, which is cut out with it."""
    parts = fgpartition(I)
    frame = argmax(parts, compose(size, backdrop))
    drawing = merge(remove(frame, parts))
    factor = divide(height(inbox(frame)), height(drawing))
    enlarged = shift(upscale(normalize(drawing), factor), UNITY)
    output = paint(subgrid(frame, I), enlarged)
    return output


def solve_6ecd11f4(I):
    """The big shape, made as small as the colored square, says which cells of that square stay;
    the others are wiped off."""
    # The ground and the big shape have the two commonest colors.
    one_hue = get_color_rank(I, ZERO)
    next_hue = get_color_rank(I, ONE)
    common = combine(ofcolor(I, one_hue), ofcolor(I, next_hue))
    small = backdrop(difference(asindices(I), common))
    ground = mostcolor(toobject(outbox(small), I))
    big = difference(ofcolor(I, other(astuple(one_hue, next_hue), ground)), small)
    silhouette = fill(canvas(ZERO, shape(big)), ONE, normalize(big))
    reduced = downscale(silhouette, divide(width(big), width(small)))
    output = fill(subgrid(small, I), ground, ofcolor(reduced, ZERO))
    return output


def solve_746b3537(I):
    """Stripes of any thickness are compressed to one cell each."""
    picture = astuple(ORIGIN, I)
    output = last(collapse(picture))
    return output


def solve_780d0b14(I):
    """Lines of the ground divide the grid into spotted areas; each area becomes one cell of
    its color.
    """
    ground = groundcolor(I)
    areas = areas_between(I, merge(colorfilter(frontiers(I), ground)))
    without_spots = rbind(not_of_color, ground)
    hue = chain(mostcolor, without_spots, rbind(toobject, I))
    colors = apply(hue, order(areas, ulcorner))
    # One long row of cells, cut into as many rows as there are areas below each other.
    n_rows = size(apply(uppermost, areas))
    output = merge(hsplit(repeat(colors, ONE), n_rows))
    return output


def solve_80af3007(I):
    """The drawing is made of as many blocks as a block has cells each way; each block becomes a
    small copy of the whole drawing.
    """
    drawing = subgrid(foreground(I), I)
    of_square = lbind(matcher, fork(multiply, identity, identity))
    root = compose(lbind(extract, interval(ONE, SIX, ONE)), of_square)
    n_rows = root(height(drawing))
    n_columns = root(width(drawing))
    # Stretched so that blocks are squares.
    stretched = vupscale(hupscale(drawing, n_rows), n_columns)
    small = downscale(stretched, multiply(n_rows, n_columns))
    copies = last(tile(astuple(ORIGIN, small), shape(drawing), ZERO))
    output = cellwise(drawing, copies, mostcolor(I))
    return output


def solve_8a004b2b(I):
    """Four corners frame some blocks, which are a part of the drawing outside, made
    larger. The frame is cut out and its drawing completed.
    """
    just_corners = fork(equality, toindices, corners)
    marks = argmax(sfilter(partition(I), just_corners), compose(size, backdrop))
    frame = backdrop(marks)
    drawing = difference(foreground(I), toobject(frame, I))
    blocks = objects(cover(cover(I, drawing), marks), T, F, T)
    # The narrowest block is one cell of the drawing.
    enlarged = upscale(normalize(drawing), valmin(blocks, compose(minimum, shape)))
    sheet = paint(canvas(mostcolor(I), shape(enlarged)), enlarged)
    places = occurrences(sheet, normalize(merge(blocks)))
    ways = apply(lbind(subtract, ulcorner(merge(blocks))), places)
    outside = compose(rbind(difference, frame), toindices)
    whole = argmin(apply(lbind(shift, enlarged), ways), compose(size, outside))
    output = subgrid(marks, paint(I, whole))
    return output


def solve_8f2ea7aa(I):
    """One of the panels has a shape; a copy of it goes into every panel whose place is that of
    one of the shape's cells. There are as many panels in a row as a panel has cells in one.
    """
    hue = other(palette(I), mostcolor(I))
    squared = fork(multiply, identity, identity)
    side = extract(interval(ONE, height(I), ONE), matcher(squared, height(I)))
    panels = merge(apply(rbind(hsplit, side), vsplit(I, side)))
    cells = ofcolor(argmax(panels, rbind(colorcount, hue)), hue)
    corners_of_copies = apply(rbind(multiply, side), cells)
    ground = canvas(mostcolor(I), shape(I))
    output = fill(ground, hue, copies_at(cells, corners_of_copies))
    return output


def solve_90c28cc7(I):
    """The patchwork of blocks shrinks to one cell for each block."""
    ground = argmax(partition(I), compose(size, backdrop))
    patchwork = subgrid(difference(asobject(I), ground), I)
    output = last(collapse(astuple(ORIGIN, patchwork)))
    return output


def solve_9172f3a0(I):
    """Each cell becomes a block of three by three cells."""
    output = upscale(I, 3)
    return output


def solve_ac0a08a4(I):
    """The grid is enlarged as many times as it has colored cells."""
    colored = foreground(I)
    output = upscale(I, size(colored))
    return output


def solve_b91ae062(I):
    """The picture is enlarged as many times as it has colors, the ground not counted."""
    output = upscale(I, decrement(numcolors(I)))
    return output


def solve_c59eb873(I):
    """Each cell becomes a block of two by two cells."""
    output = upscale(I, TWO)
    return output


def solve_ce22a75a(I):
    """Each dot grows into a blue block of three by three cells."""
    dots = toindices(foreground(I))
    output = fill(I, BLUE, combine(dots, mapply(neighbors, dots)))
    return output


def solve_ce602527(I):
    """The largest shape at the grid's edge is cut off by it; the answer is the shape that, made
    twice as large, looks like it.
    """
    shapes = fgpartition(I)
    cut_off = argmax(sfilter(shapes, rbind(bordering, I)), compose(size, backdrop))
    # Each shape alone, with a margin of ground around it, where it is not cut off.
    blank = lbind(canvas, mostcolor(I))
    window = toobject(backdrop(outbox(cut_off)), paint(blank(shape(I)), cut_off))
    room = chain(blank, lbind(add, TWO), shape)
    with_margin = fork(paint, room, compose(rbind(shift, UNITY), normalize))
    enlarged = compose(rbind(upscale, TWO), with_margin)
    in_its_color = fork(rbind(replace, color(cut_off)), enlarged, color)
    fits = chain(size, rbind(occurrences, window), in_its_color)
    output = subgrid(argmax(remove(cut_off, shapes), fits), I)
    return output


def solve_eb5a1d5d(I):
    """Rectangles lie in each other, with borders of any thickness: they are compressed to
    square rings one cell thick around a single cell.
    """
    layers = order(objects(I, T, F, F), leftmost)
    n_layers = size(layers)
    last_row = double(decrement(n_layers))
    # From each ring's upper left to its lower right corner, the outermost ring first.
    numbers = interval(0, n_layers, 1)
    starts = pair(numbers, numbers)
    diagonals = papply(connect, starts, apply(lbind(subtract, last_row), starts))
    rings = mpapply(recolor, apply(color, layers), apply(box, diagonals))
    side = increment(last_row)
    output = paint(canvas(BLACK, astuple(side, side)), rings)
    return output


def solve_f25fbde4(I):
    """The shape is cut out and drawn at twice its size."""
    cells = not_of_color(I, groundcolor(I))
    output = upscale(subgrid(cells, I), TWO)
    return output
