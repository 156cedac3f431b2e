# Tasks about tilings: repeated and mirrored copies, grids of copies, pictures made of themselves.


def solve_007bbfb7(I):
    """The picture is made of copies of itself: one for each coloured cell, at its place in a
    three times larger grid.
    """
    colored = difference(asindices(I), ofcolor(I, BLACK))
    places = apply(rbind(multiply, 3), colored)
    copies = mapply(lbind(shift, asobject(I)), places)
    output = paint(canvas(BLACK, (9, 9)), copies)
    return output


def solve_c3e719e8(I):
    """Each cell of the commonest colour becomes a copy of the whole picture, each other cell
    a black block.
    """
    row = hconcat(hconcat(I, I), I)
    tiled = vconcat(vconcat(row, row), row)
    places = ofcolor(upscale(I, 3), mostcolor(I))
    output = fill(tiled, BLACK, difference(asindices(tiled), places))
    return output


def solve_f5b8619d(I):
    """The columns of the coloured cells are filled with cyan, then the picture is laid out two
    by two.
    """
    colored = merge(fgpartition(I))
    columns = mapply(vfrontier, toindices(colored))
    striped = underfill(I, CYAN, columns)
    row = hconcat(striped, striped)
    output = vconcat(row, row)
    return output


def solve_10fcaaa3(I):
    """The picture is laid out two by two, then each coloured cell gets cyan cells at its four
    corners.
    """
    row = hconcat(I, I)
    tiled = vconcat(row, row)
    colored = ofcolor(tiled, other(palette(I), BLACK))
    output = underfill(tiled, CYAN, mapply(ineighbors, colored))
    return output


def solve_8d5021e8(I):
    """The picture and its mirror image stand side by side, and three such pairs one below the
    other, the outer ones upside down.
    """
    upright = hconcat(vmirror(I), I)
    flipped = hmirror(upright)
    output = vconcat(vconcat(flipped, upright), flipped)
    return output


def solve_7fe24cdd(I):
    """Four copies around a centre, each turned a quarter further, clockwise."""
    upper = hconcat(I, rot90(I))
    lower = hconcat(rot270(I), rot180(I))
    output = vconcat(upper, lower)
    return output


def solve_963e52fc(I):
    """The repeating pattern is continued to the right until the grid is twice as wide."""
    pattern = asobject(I)
    wide = double(width(I))
    # Copies that overlap, each a whole number of repetitions further right.
    offsets = apply(tojvec, interval(0, wide, hperiod(pattern)))
    copies = mapply(lbind(shift, pattern), offsets)
    output = paint(canvas(BLACK, astuple(height(I), wide)), copies)
    return output


def solve_91413438(I):
    """The new grid has as many slots each way as the picture has black cells; as many copies
    as there are coloured cells are laid into them, row by row.
    """
    black = ofcolor(I, BLACK)
    colored = difference(asindices(I), black)
    n_slots = size(black)
    slots = asindices(canvas(BLACK, astuple(n_slots, n_slots)))
    # Each coloured cell takes one slot, in reading order.
    taken = apply(first, pair(slots, colored))
    copies = mapply(lbind(shift, asobject(I)), apply(rbind(multiply, 3), taken))
    output = paint(upscale(canvas(BLACK, astuple(n_slots, n_slots)), 3), copies)
    return output


def solve_eb281b96(I):
    """The wave is continued downwards: mirrored, as it was, and mirrored again, its edge rows
    shared by both neighbours.
    """
    # Without the first row, which stands there already.
    back = crop(hmirror(I), DOWN, shape(I))
    down_and_back = vconcat(I, back)
    again = crop(down_and_back, DOWN, shape(down_and_back))
    output = vconcat(down_and_back, again)
    return output


def solve_b190f7f5(I):
    """One half is a cyan stamp, the other a small picture: each of its cells is stamped, in its
    colour, at its place in a large grid.
    """
    halves = branch(portrait(I), vsplit(I, 2), hsplit(I, 2))
    stamp = argmax(halves, rbind(colorcount, CYAN))
    picture = argmin(halves, rbind(colorcount, CYAN))
    side = height(stamp)
    column = merge(repeat(stamp, side))
    stamps = dmirror(merge(repeat(dmirror(column), side)))
    # Blocks of colour, seen only through the stamps.
    output = fill(upscale(picture, side), BLACK, ofcolor(stamps, BLACK))
    return output
