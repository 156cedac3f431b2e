# Tasks about scale: cells made blocks, blocks made cells, stretching and compressing.


def solve_4522001f(I):
    """The square in a corner, all in its main colour, becomes one of twice the size in the same
    corner of a grid three times as large; another one follows towards the opposite corner.
    """
    small = merge(fgpartition(I))
    place = ulcorner(small)
    blank = canvas(mostcolor(I), multiply(THREE, shape(I)))
    large = upscale(normalize(small), TWO)
    in_corner = shift(large, multiply(subtract(shape(blank), shape(large)), place))
    inwards = subtract(UNITY, double(place))
    next_one = shift(in_corner, multiply(shape(large), inwards))
    output = fill(blank, mostcolor(small), combine(in_corner, next_one))
    return output


def solve_469497ad(I):
    """The picture is enlarged as many times as it has colours, black not counted, and red rays
    leave the corners of the square, seen only on black.
    """
    colors = remove(BLACK, palette(I))
    large = upscale(I, size(colors))
    block = argmax(sfilter(objects(large, T, F, T), square), size)
    # Two lines through the square, behind it.
    falling = combine(shoot(ulcorner(block), NEG_UNITY), shoot(ulcorner(block), UNITY))
    rising = combine(shoot(urcorner(block), UP_RIGHT), shoot(urcorner(block), DOWN_LEFT))
    output = underfill(large, RED, combine(falling, rising))
    return output


def solve_46f33fce(I):
    """Every second row and column holds the dots: each dot becomes a block of four by four
    cells, next to its neighbours' blocks.
    """
    # The first row and the first column are empty.
    dots = downscale(crop(I, UNITY, shape(I)), 2)
    output = upscale(dots, 4)
    return output


def solve_5614dbcf(I):
    """Each block of three by three cells becomes one cell of its colour; gray is noise."""
    bands = vsplit(I, 3)
    blocks = apply(rbind(hsplit, 3), bands)
    output = apply(lbind(apply, mostcolor), blocks)
    return output


def solve_5ad4f10b(I):
    """Among scattered dots there is a large picture of three by three blocks; the output is
    that picture, a cell for a block, in the colour of the dots.
    """
    blocks_hue = color(argmax(objects(I, T, T, T), size))
    large = ofcolor(I, blocks_hue)
    dots_hue = other(remove(BLACK, palette(I)), blocks_hue)
    picture = fill(canvas(BLACK, shape(large)), dots_hue, normalize(large))
    output = downscale(picture, divide(width(large), THREE))
    return output


def solve_6b9890af(I):
    """The shape outside is enlarged until it fills the red frame, which is cut out with it."""
    frame = toobject(ofcolor(I, RED), I)
    shape_cells = merge(fgpartition(replace(I, RED, BLACK)))
    factor = divide(height(inbox(frame)), height(shape_cells))
    enlarged = shift(upscale(normalize(shape_cells), factor), UNITY)
    output = paint(subgrid(frame, I), enlarged)
    return output


def solve_6ecd11f4(I):
    """The big shape, made as small as the coloured square, says which cells of that square stay;
    the others turn black."""
    parts = objects(I, F, T, T)
    coloured = argmax(parts, numcolors)
    big = merge(remove(coloured, parts))
    small = subgrid(coloured, I)
    factor = divide(width(big), width(small))
    mask = downscale(subgrid(big, I), factor)
    output = fill(small, BLACK, ofcolor(mask, BLACK))
    return output


def solve_746b3537(I):
    """Stripes of any thickness are compressed to one cell each."""
    stripes = order(objects(I, T, F, F), ulcorner)
    # A grid of one row.
    in_a_row = repeat(apply(color, stripes), 1)
    lying = equality(width(first(stripes)), width(I))
    output = branch(lying, dmirror(in_a_row), in_a_row)
    return output


def solve_780d0b14(I):
    """Black lines divide the grid into spotted areas; each area becomes one cell of its
    colour.
    """
    lines = merge(frontiers(I))
    divided = fill(canvas(BLACK, shape(I)), GRAY, lines)
    areas = colorfilter(objects(divided, T, F, F), BLACK)
    in_reading_order = order(areas, ulcorner)
    colors = apply(compose(mostcolor, rbind(toobject, I)), in_reading_order)
    # One long row of cells, cut into as many rows as there are areas below each other.
    n_rows = size(apply(uppermost, areas))
    output = merge(hsplit(repeat(colors, 1), n_rows))
    return output


def solve_80af3007(I):
    """The drawing is made of three by three blocks; each block becomes a small copy of the
    whole drawing.
    """
    drawing = subgrid(merge(fgpartition(I)), I)
    small = downscale(drawing, THREE)
    copies = last(tile(astuple(ORIGIN, small), shape(drawing), ZERO))
    output = cellwise(drawing, copies, BLACK)
    return output


def solve_8a004b2b(I):
    """The yellow corners frame some blocks, which are a part of the drawing outside, made
    larger. The frame is cut out and its drawing completed.
    """
    marks = ofcolor(I, YELLOW)
    frame = subgrid(marks, I)
    things = objects(frame, T, F, T)
    blocks = difference(things, colorfilter(things, YELLOW))
    drawing = difference(merge(fgpartition(I)), toobject(backdrop(marks), I))
    # The narrowest block is one cell of the drawing.
    enlarged = upscale(normalize(drawing), valmin(blocks, width))
    sheet = paint(canvas(BLACK, shape(enlarged)), enlarged)
    place_of_blocks = first(occurrences(sheet, merge(blocks)))
    way = subtract(ulcorner(merge(blocks)), place_of_blocks)
    output = paint(frame, shift(enlarged, way))
    return output


def solve_8f2ea7aa(I):
    """One of the nine panels has a shape; a copy of it goes into every panel whose place is that
    of one of the shape's cells."""
    hue = other(palette(I), BLACK)
    panels = merge(apply(rbind(hsplit, THREE), vsplit(I, THREE)))
    shown = argmax(panels, rbind(colorcount, hue))
    cells = ofcolor(shown, hue)
    corners_of_copies = apply(rbind(multiply, shape(shown)), cells)
    output = fill(canvas(BLACK, shape(I)), hue, mapply(lbind(shift, cells), corners_of_copies))
    return output


def solve_90c28cc7(I):
    """The patchwork of blocks shrinks to one cell for each block."""
    output = last(collapse(shrink(astuple(ORIGIN, I))))
    return output


def solve_9172f3a0(I):
    """Each cell becomes a block of three by three cells."""
    output = upscale(I, 3)
    return output


def solve_ac0a08a4(I):
    """The grid is enlarged as many times as it has coloured cells."""
    colored = difference(asindices(I), ofcolor(I, BLACK))
    output = upscale(I, size(colored))
    return output


def solve_b91ae062(I):
    """The picture is enlarged as many times as it has colours, black not counted."""
    colors = remove(BLACK, palette(I))
    output = upscale(I, size(colors))
    return output


def solve_c59eb873(I):
    """Each cell becomes a block of two by two cells."""
    output = upscale(I, TWO)
    return output


def solve_ce22a75a(I):
    """Each gray dot grows into a blue block of three by three cells."""
    dots = ofcolor(I, GRAY)
    output = fill(I, BLUE, combine(dots, mapply(neighbors, dots)))
    return output


def solve_ce602527(I):
    """One shape is cut off by the grid's edge; the answer is the shape that, made twice as
    large, looks like it.
    """
    shapes = fgpartition(I)
    cut_off = extract(shapes, rbind(bordering, I))
    window = asobject(subgrid(cut_off, I))
    enlarged = compose(rbind(upscale, TWO), rbind(subgrid, I))
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
    cells = merge(fgpartition(I))
    output = upscale(subgrid(cells, I), TWO)
    return output
