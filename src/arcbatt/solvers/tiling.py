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


def solve_10fcaaa3(I):
    """The picture is laid out two by two, then each coloured cell gets cyan cells at its four
    corners.
    """
    row = hconcat(I, I)
    tiled = vconcat(row, row)
    colored = ofcolor(tiled, other(palette(I), BLACK))
    output = underfill(tiled, CYAN, mapply(ineighbors, colored))
    return output


def solve_150deff5(I):
    """The gray shape is a puzzle of cyan two by two squares and red bars of three: a piece is
    laid where a cell can be covered by no other, again and again.
    """
    block = asindices(canvas(GRAY, TWO_BY_TWO))
    lying = connect(ORIGIN, ZERO_BY_TWO)
    standing = connect(ORIGIN, TWO_BY_ZERO)
    lay_block = lbind(apply, lbind(shift, recolor(CYAN, block)))
    lay_lying = lbind(apply, lbind(shift, recolor(RED, lying)))
    lay_standing = lbind(apply, lbind(shift, recolor(RED, standing)))
    blocks = compose(lay_block, rbind(occurrences, recolor(GRAY, block)))
    lying_bars = compose(lay_lying, rbind(occurrences, recolor(GRAY, lying)))
    standing_bars = compose(lay_standing, rbind(occurrences, recolor(GRAY, standing)))
    candidates = fork(combine, blocks, fork(combine, lying_bars, standing_bars))
    # Of a piece, the cells that no other of the candidates covers.
    cells_of_others = compose(lbind(compose, compose(toindices, merge)), lbind(rbind, remove))
    own_cells = compose(lbind(lbind(fork, difference), toindices), cells_of_others)
    forced = compose(fork(sfilter, identity, own_cells), candidates)
    lay_forced = fork(paint, identity, compose(merge, forced))
    most_pieces = divide(colorcount(I, GRAY), THREE)
    solve = power(lay_forced, most_pieces)
    output = solve(I)
    return output


def solve_28bf18c6(I):
    """The shape is cut out and put twice side by side."""
    cells = merge(fgpartition(I))
    cutout = subgrid(cells, I)
    output = hconcat(cutout, cutout)
    return output


def solve_363442ee(I):
    """The square left of the gray line is stamped wherever there is a blue dot."""
    side = leftmost(ofcolor(I, GRAY))
    stamp = asobject(crop(I, ORIGIN, astuple(side, side)))
    dots = difference(ofcolor(I, BLUE), toindices(stamp))
    corner_cells = apply(rbind(subtract, halve(side)), dots)
    output = paint(I, mapply(lbind(shift, stamp), corner_cells))
    return output


def solve_7fe24cdd(I):
    """Four copies around a centre, each turned a quarter further, clockwise."""
    upper = hconcat(I, rot90(I))
    lower = hconcat(rot270(I), rot180(I))
    output = vconcat(upper, lower)
    return output


def solve_8d5021e8(I):
    """The picture and its mirror image stand side by side, and three such pairs one below the
    other, the outer ones upside down.
    """
    upright = hconcat(vmirror(I), I)
    flipped = hmirror(upright)
    output = vconcat(vconcat(flipped, upright), flipped)
    return output


def solve_8eb1be9a(I):
    """The strip is repeated upwards and downwards until it fills the grid."""
    strip = merge(fgpartition(I))
    counts = interval(invert(height(I)), height(I), ONE)
    ways = apply(compose(toivec, lbind(multiply, height(strip))), counts)
    output = paint(I, mapply(lbind(shift, strip), ways))
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


def solve_963e52fc(I):
    """The repeating pattern is continued to the right until the grid is twice as wide."""
    pattern = asobject(I)
    wide = double(width(I))
    # Copies that overlap, each a whole number of repetitions further right.
    offsets = apply(tojvec, interval(0, wide, hperiod(pattern)))
    copies = mapply(lbind(shift, pattern), offsets)
    output = paint(canvas(BLACK, astuple(height(I), wide)), copies)
    return output


def solve_a416b8f3(I):
    """The grid stands twice, side by side."""
    output = hconcat(I, I)
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


def solve_c3e719e8(I):
    """Each cell of the commonest colour becomes a copy of the whole picture, each other cell
    a black block.
    """
    row = hconcat(hconcat(I, I), I)
    tiled = vconcat(vconcat(row, row), row)
    places = ofcolor(upscale(I, 3), mostcolor(I))
    output = fill(tiled, BLACK, difference(asindices(tiled), places))
    return output


def solve_cce03e0d(I):
    """Each cell stands for a place of the grid's size; a copy of the grid lies where the
    cell is red.
    """
    places = apply(lbind(multiply, shape(I)), ofcolor(I, RED))
    copies = mapply(lbind(shift, asobject(I)), places)
    output = paint(canvas(BLACK, multiply(shape(I), shape(I))), copies)
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
