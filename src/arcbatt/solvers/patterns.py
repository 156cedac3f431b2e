# Patterns continued or stamped, noise removed, rules for neighbours, sequences.


def solve_05269061(I):
    """Three colours take turns along the diagonals. The stripes that are given are repeated
    until they fill the grid.
    """
    stripes = merge(fgpartition(I))
    along_the_stripe = connect((-6, 6), (6, -6))
    three_to_the_side = product({0}, interval(-12, 13, 3))
    steps = prapply(add, along_the_stripe, three_to_the_side)
    output = paint(I, mapply(lbind(shift, stripes), steps))
    return output


def solve_ba26e723(I):
    """In every third column, from the first on, yellow turns magenta."""
    every_third = product({0}, interval(ZERO, width(I), THREE))
    columns = mapply(vfrontier, every_third)
    output = fill(I, MAGENTA, intersection(columns, ofcolor(I, YELLOW)))
    return output


def solve_d8c310e9(I):
    """The pattern at the bottom goes on to the right edge."""
    pattern = merge(fgpartition(I))
    steps = product({0}, interval(ZERO, width(I), hperiod(pattern)))
    output = paint(I, mapply(lbind(shift, pattern), steps))
    return output


def solve_bd4472b8(I):
    """Below the gray bar, the colours of the first row come one after the other as whole
    rows, twice.
    """
    whole_row = rbind(repeat, width(I))
    stripes = apply(whole_row, first(I))
    given = astuple(first(I), second(I))
    output = vconcat(given, vconcat(stripes, stripes))
    return output


def solve_0ca9ddb6(I):
    """Red dots get yellow at their four corners, blue dots get orange at their four sides;
    dots of other colours get nothing.
    """
    around_red = mapply(ineighbors, ofcolor(I, RED))
    around_blue = mapply(dneighbors, ofcolor(I, BLUE))
    output = fill(fill(I, YELLOW, around_red), ORANGE, around_blue)
    return output


def solve_88a10436(I):
    """The coloured shape is stamped once more, with its middle on the gray mark."""
    stamp = argmax(objects(I, F, T, T), size)
    mark = first(ofcolor(I, GRAY))
    copy = shift(stamp, subtract(mark, center(stamp)))
    output = paint(replace(I, GRAY, BLACK), copy)
    return output


def solve_31aa019c(I):
    """One colour occurs only once in the noise. That cell stays and gets a red ring, all
    else is wiped off.
    """
    rare = leastcolor(I)
    cell = ofcolor(I, rare)
    ring = fill(canvas(BLACK, shape(I)), RED, outbox(cell))
    output = fill(ring, rare, cell)
    return output


def solve_aedd82e4(I):
    """Red cells that have no red cell at any of their sides turn blue."""
    reds = colorfilter(objects(I, T, F, F), RED)
    lonely = merge(sizefilter(reds, ONE))
    output = fill(I, BLUE, lonely)
    return output
