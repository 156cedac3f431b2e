# Tasks about tilings: repeated and mirrored copies, grids of copies, pictures made of themselves.


def solve_007bbfb7(I):
    """The picture is made of copies of itself: one for each colored cell, at its place in a
    grid as many times larger as the picture has rows and columns.
    """
    # Where there is no black, the commonest color is the ground.
    ground = branch(contained(BLACK, palette(I)), BLACK, mostcolor(I))
    colored = toindices(not_of_color(I, ground))
    places = apply(lbind(multiply, shape(I)), colored)
    copies = copies_at(asobject(I), places)
    output = paint(canvas(ground, multiply(shape(I), shape(I))), copies)
    return output


def solve_10fcaaa3(I):
    """The picture is laid out two by two, then each colored cell gets cyan cells at its four
    corners.
    """
    row = hconcat(I, I)
    tiled = vconcat(row, row)
    colored = toindices(foreground(tiled))
    output = underfill(tiled, CYAN, mapply(ineighbors, colored))
    return output


def solve_150deff5(I):
    """The shape is a puzzle of cyan two by two squares and red bars of three: every piece
    that fits on the first cell is tried, until none is left to cover.
    """
    hue = other(palette(I), groundcolor(I))
    block = asindices(canvas(hue, TWO_BY_TWO))
    lying = connect(ORIGIN, ZERO_BY_TWO)
    standing = connect(ORIGIN, TWO_BY_ZERO)
    first_open = chain(initset, minimum, rbind(ofcolor, hue))
    for_block = fork(intersection, first_open, rbind(occurrences, recolor(hue, block)))
    for_lying = fork(intersection, first_open, rbind(occurrences, recolor(hue, lying)))
    for_standing = fork(intersection, first_open, rbind(occurrences, recolor(hue, standing)))
    blocks = compose(lbind(apply, lbind(shift, recolor(CYAN, block))), for_block)
    lying_bars = compose(lbind(apply, lbind(shift, recolor(RED, lying))), for_lying)
    standing_bars = compose(lbind(apply, lbind(shift, recolor(RED, standing))), for_standing)
    one_piece = fork(combine, blocks, fork(combine, lying_bars, standing_bars))
    with_one_more = fork(lbind(prapply, paint), initset, one_piece)
    complete = compose(rbind(sfilter, compose(flip, rbind(colorcount, hue))), initset)
    go_on = lbind(mapply, fork(combine, with_one_more, complete))
    steps = increment(divide(colorcount(I, hue), THREE))
    output = first(power(go_on, steps)(initset(I)))
    return output


def solve_28bf18c6(I):
    """The shape is cut out and put twice side by side."""
    cells = not_of_color(I, groundcolor(I))
    cutout = subgrid(cells, I)
    output = hconcat(cutout, cutout)
    return output


def solve_363442ee(I):
    """The many-colored pattern beside the line is stamped wherever there is a dot."""
    ground = mostcolor(I)
    line = extract(frontiers(I), compose(flip, matcher(color, ground)))
    colored = compose(rbind(not_of_color, ground), rbind(toobject, I))
    sides = apply(colored, areas_between(I, line))
    stamp = argmax(sides, numcolors)
    offsets = apply(rbind(subtract, center(stamp)), toindices(other(sides, stamp)))
    output = paint(I, copies_at(stamp, offsets))
    return output


def solve_7fe24cdd(I):
    """Four copies around a center, each turned a quarter further, clockwise."""
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
    """The strip from one edge to the other is repeated to both sides until it fills the grid."""
    strip = foreground(I)
    upright = equality(height(strip), height(I))
    stride = multiply(shape(strip), branch(upright, RIGHT, DOWN))
    output = paint(I, repeat_along(strip, stride))
    return output


def solve_91413438(I):
    """The new grid has as many slots each way as the picture has black cells; as many copies
    as there are colored cells are laid into them, row by row.
    """
    black = ofcolor(I, BLACK)
    colored = difference(asindices(I), black)
    slots = asindices(canvas(BLACK, astuple(size(black), size(black))))
    # Each colored cell takes one slot, in reading order.
    taken = apply(first, pair(slots, colored))
    copies = copies_at(asobject(I), apply(lbind(multiply, shape(I)), taken))
    output = paint(canvas(BLACK, multiply(size(black), shape(I))), copies)
    return output


def solve_963e52fc(I):
    """The pattern goes on along the line on which it repeats until that is twice as long."""
    not_across = greater(double(hperiod(asobject(I))), width(I))
    down = greater(increment(height(I)), double(vperiod(asobject(I))))
    standing = both(not_across, down)
    lying = branch(standing, dmirror(I), I)
    pattern = asobject(lying)
    wide = double(width(lying))
    # Copies that overlap, each a whole number of repetitions further right.
    offsets = apply(tojvec, interval(0, wide, hperiod(pattern)))
    continued = paint(canvas(BLACK, astuple(height(lying), wide)), copies_at(pattern, offsets))
    output = branch(standing, dmirror(continued), continued)
    return output


def solve_a416b8f3(I):
    """The grid stands twice, side by side."""
    output = hconcat(I, I)
    return output


def solve_b190f7f5(I):
    """One half is a stamp of one color, the other a small picture: each of its cells is stamped, in
    its color, at its place in a large grid.
    """
    # Cut the wrong way, both halves would have the stamp's color.
    large = upscale(I, TWO)
    n_colors = fork(add, compose(numcolors, first), compose(numcolors, last))
    large_halves = argmin(astuple(hsplit(large, TWO), vsplit(large, TWO)), n_colors)
    halves = apply(rbind(downscale, TWO), large_halves)
    stamp = argmin(halves, numcolors)
    picture = other(halves, stamp)
    ground = first(intersection(palette(stamp), palette(picture)))
    # Blocks of color, seen only through the stamps.
    blocks = vupscale(hupscale(picture, width(stamp)), height(stamp))
    stamps = last(tile(astuple(ORIGIN, stamp), shape(blocks), ZERO))
    output = fill(blocks, ground, ofcolor(stamps, ground))
    return output


def solve_c3e719e8(I):
    """Each cell of the commonest color becomes a copy of the whole picture, each other cell
    a black block.
    """
    enlarged = vupscale(hupscale(I, width(I)), height(I))
    copies = last(tile(astuple(ORIGIN, I), shape(enlarged), ZERO))
    others = difference(asindices(enlarged), ofcolor(enlarged, mostcolor(I)))
    output = fill(copies, BLACK, others)
    return output


def solve_caa06a1f(I):
    """The pattern goes on where the lower right corner's color ends it, and all of it
    moves one to the left.
    """
    blank = index(I, decrement(shape(I)))
    pattern = toobject(difference(asindices(I), ofcolor(I, blank)), I)
    unit = crop(I, ORIGIN, astuple(vperiod(pattern), hperiod(pattern)))
    output = last(tile(astuple(LEFT, unit), shape(I), ZERO))
    return output


def solve_cce03e0d(I):
    """Each cell stands for a place of the grid's size; a copy of the grid lies where the
    cell is red.
    """
    ground = first(difference(palette(I), (1, 2)))
    places = apply(lbind(multiply, shape(I)), ofcolor(I, RED))
    copies = copies_at(asobject(I), places)
    output = paint(canvas(ground, multiply(shape(I), shape(I))), copies)
    return output


def solve_eb281b96(I):
    """The wave is continued downward: mirrored, as it was, and mirrored again, its edge rows
    shared by both neighbors.
    """
    # Without the first row, which stands there already.
    back = crop(hmirror(I), DOWN, shape(I))
    down_and_back = vconcat(I, back)
    again = crop(down_and_back, DOWN, shape(down_and_back))
    output = vconcat(down_and_back, again)
    return output


def solve_f5b8619d(I):
    """The columns of the colored cells are filled with cyan, then the picture is laid out two
    by two.
    """
    colored = foreground(I)
    columns = mapply(vfrontier, toindices(colored))
    striped = underfill(I, CYAN, columns)
    row = hconcat(striped, striped)
    output = vconcat(row, row)
    return output
