# Things in order: by size, height, length or how often they occur.


def solve_08ed6ac7(I):
    """The bars are numbered by length, the longest first: blue, red, green, yellow. Bars of one
    length have the same number.
    """
    in_column = lbind(matcher, compose(last, last))
    bar = compose(lbind(sfilter, foreground(I)), in_column)
    bars = apply(bar, interval(ZERO, width(I), ONE))
    as_long = chain(lbind(compose, flip), lbind(lbind, greater), size)
    rank = chain(size, dedupe, compose(lbind(sfilter, apply(size, bars)), as_long))
    output = paint(I, mapply(fork(recolor, rank, identity), sfilter(bars, size)))
    return output


def solve_8e1813be(I):
    """The colored lines, in order, become the stripes of a square; the square block, which
    hides parts of them, goes.
    """
    bars = objects(cover(I, extract(fgpartition(I), square)), T, F, T)
    lying = hline(argmax(bars, size))
    place = branch(lying, uppermost, leftmost)
    # Two parts of one line have the same place and color, so they count once.
    lines = order(apply(fork(astuple, place, color), bars), first)
    stripes = apply(compose(rbind(repeat, size(lines)), last), lines)
    output = branch(lying, stripes, dmirror(stripes))
    return output


def solve_cdecee7f(I):
    """The colored cells, from the left to the right, fill a three by three grid in a winding
    line: the middle row runs backwards.
    """
    ground = mostcolor(I)
    dots = foreground(I)
    hues = apply(first, order(dots, compose(last, last)))
    padded = combine(hues, repeat(ground, subtract(NINE, size(hues))))
    rows = hsplit(repeat(padded, ONE), THREE)
    upper_two = vconcat(first(rows), vmirror(second(rows)))
    output = vconcat(upper_two, last(rows))
    return output


def solve_ea32f347(I):
    """The longest bar turns blue, the shortest red, and those between yellow."""
    bars = objects(I, T, F, T)
    all_yellow = fill(I, YELLOW, merge(bars))
    with_longest = fill(all_yellow, BLUE, merge(sizefilter(bars, valmax(bars, size))))
    output = fill(with_longest, RED, merge(sizefilter(bars, valmin(bars, size))))
    return output


def solve_f8ff0b80(I):
    """The colors of the shapes one below the other, that of the largest shape on top."""
    shapes = order(objects(I, T, T, T), compose(invert, size))
    # Each color becomes a row of one cell.
    output = apply(rbind(repeat, ONE), apply(color, shapes))
    return output
