# Tasks about scale: cells made blocks, blocks made cells, stretching and compressing.


def solve_9172f3a0(I):
    """Each cell becomes a block of three by three cells."""
    output = upscale(I, 3)
    return output


def solve_b91ae062(I):
    """The picture is enlarged as many times as it has colours, black not counted."""
    colors = remove(BLACK, palette(I))
    output = upscale(I, size(colors))
    return output


def solve_46f33fce(I):
    """Every second row and column holds the dots: each dot becomes a block of four by four
    cells, next to its neighbours' blocks.
    """
    # The first row and the first column are empty.
    dots = downscale(crop(I, UNITY, shape(I)), 2)
    output = upscale(dots, 4)
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


def solve_746b3537(I):
    """Stripes of any thickness are compressed to one cell each."""
    stripes = order(objects(I, T, F, F), ulcorner)
    # A grid of one row.
    in_a_row = repeat(apply(color, stripes), 1)
    lying = equality(width(first(stripes)), width(I))
    output = branch(lying, dmirror(in_a_row), in_a_row)
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


def solve_5614dbcf(I):
    """Each block of three by three cells becomes one cell of its colour; gray is noise."""
    bands = vsplit(I, 3)
    blocks = apply(rbind(hsplit, 3), bands)
    output = apply(lbind(apply, mostcolor), blocks)
    return output
