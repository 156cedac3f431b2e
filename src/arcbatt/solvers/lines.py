# Lines that are shot, connected and extended; rows, columns, diagonals and frames.


def solve_22eb0ac0(I):
    """Where a row has the same colour at both ends, the ends are joined by a line."""
    # Each two cells of a colour are connected; only links within a row count.
    links = fork(lbind(prapply, connect), toindices, toindices)
    links_in_rows = compose(rbind(mfilter, hline), links)
    lines = mapply(fork(recolor, color, links_in_rows), fgpartition(I))
    output = paint(I, lines)
    return output


def solve_40853293(I):
    """Two dots of a colour are the ends of a line. Where lines cross, the vertical one
    lies on top.
    """
    lines = apply(fork(recolor, color, backdrop), fgpartition(I))
    across = paint(I, mfilter(lines, hline))
    output = paint(across, mfilter(lines, vline))
    return output


def solve_1f876c06(I):
    """Two dots of each colour are the ends of a diagonal, which is drawn."""
    diagonal = compose(fork(connect, first, last), toindices)
    lines = mapply(fork(recolor, color, diagonal), fgpartition(I))
    output = paint(I, lines)
    return output


def solve_99fa7670(I):
    """Each dot shoots a line to the right; at the edge it turns and runs down until the
    next dot's line comes in.
    """
    dots_downwards = order(objects(I, T, F, T), uppermost)
    edge = decrement(width(I))
    to_the_right = compose(rbind(shoot, RIGHT), ulcorner)
    down_the_edge = chain(rbind(shoot, DOWN), rbind(astuple, edge), uppermost)
    path = fork(combine, to_the_right, down_the_edge)
    # In this order, so that lower lines are painted over those from above.
    lines = mapply(fork(recolor, color, path), dots_downwards)
    output = paint(I, lines)
    return output


def solve_6f8cd79b(I):
    """The grid gets a cyan frame."""
    frame = box(asindices(I))
    output = fill(I, CYAN, frame)
    return output


def solve_67a423a3(I):
    """A row and a column cross; the cells all around the crossing turn yellow."""
    lines = fgpartition(I)
    row = uppermost(argmin(lines, height))
    column = leftmost(argmin(lines, width))
    output = fill(I, YELLOW, neighbors(astuple(row, column)))
    return output


def solve_5c0a986e(I):
    """Each square throws a diagonal: the blue one from its upper left corner, the red one
    from its lower right corner.
    """
    up_left = shoot(ulcorner(ofcolor(I, BLUE)), NEG_UNITY)
    down_right = shoot(lrcorner(ofcolor(I, RED)), UNITY)
    output = fill(fill(I, BLUE, up_left), RED, down_right)
    return output


def solve_23581191(I):
    """Each of two dots is the middle of a cross of lines in its colour; where the crosses
    meet, the cells are red.
    """
    dots = objects(I, T, F, T)
    cross = compose(fork(combine, hfrontier, vfrontier), ulcorner)
    crosses = mapply(fork(recolor, color, cross), dots)
    meetings = intersection(cross(first(dots)), cross(last(dots)))
    output = fill(paint(I, crosses), RED, meetings)
    return output
