# The output depends on a count of objects, colours or cells, and shows it as a grid, a
# bar, a list or a colour.


def solve_1190e5a7(I):
    """Lines cut the grid into areas; the output has one cell for each area, in its colour."""
    ground = mostcolor(I)
    areas = colorfilter(objects(I, T, F, F), ground)
    n_rows = size(apply(uppermost, areas))
    n_columns = size(apply(leftmost, areas))
    output = canvas(ground, astuple(n_rows, n_columns))
    return output


def solve_1fad071e(I):
    """The blue two by two squares are counted on a strip of five cells."""
    blues = colorfilter(objects(I, T, F, T), BLUE)
    n_squares = size(sizefilter(blues, FOUR))
    counted = canvas(BLUE, astuple(ONE, n_squares))
    rest = canvas(BLACK, astuple(ONE, subtract(FIVE, n_squares)))
    output = hconcat(counted, rest)
    return output


def solve_27a28665(I):
    """The answer is one cell that tells in how many parts the drawing falls: pink for one,
    green for two, blue for three and red for more.
    """
    # The drawing's colour may be the commonest, so no background is left out.
    parts = size(sfilter(objects(I, T, F, F), compose(positive, color)))
    many = branch(equality(parts, THREE), BLUE, RED)
    several = branch(equality(parts, TWO), GREEN, many)
    answer = branch(equality(parts, ONE), PINK, several)
    output = canvas(answer, UNITY)
    return output


def solve_29623171(I):
    """Gray lines cut the grid into squares: those with the most dots are filled with the
    dots' colour, the others are emptied.
    """
    hue = other(remove(BLACK, palette(I)), GRAY)
    emptied = replace(I, hue, BLACK)
    squares = colorfilter(objects(emptied, T, F, F), BLACK)
    n_dots = compose(rbind(colorcount, hue), rbind(toobject, I))
    fullest = mfilter(squares, matcher(n_dots, valmax(squares, n_dots)))
    output = fill(emptied, hue, fullest)
    return output


def solve_6e02f1e3(I):
    """The number of colours picks a gray line: one colour the top row, two the main diagonal,
    three the other diagonal."""
    count = numcolors(I)
    cells = asindices(I)
    start = branch(equality(count, THREE), llcorner(cells), ulcorner(cells))
    end = branch(equality(count, TWO), lrcorner(cells), urcorner(cells))
    output = fill(canvas(BLACK, shape(I)), GRAY, connect(start, end))
    return output


def solve_6e82a1ae(I):
    """Shapes of four cells turn blue, those of three red, those of two green."""
    shapes = objects(I, T, F, T)
    # Five less the number of cells happens to be the colour.
    hue = compose(lbind(subtract, FIVE), size)
    output = paint(I, mapply(fork(recolor, hue, identity), shapes))
    return output


def solve_7447852a(I):
    """A zigzag line cuts the grid into triangles; from the left, the first and then every
    third of them turns yellow.
    """
    areas = colorfilter(objects(I, T, F, F), BLACK)
    triangles = order(areas, leftmost)
    every_third = interval(ZERO, size(triangles), THREE)
    chosen = mapply(lbind(get_nth, triangles), every_third)
    output = fill(I, YELLOW, chosen)
    return output


def solve_794b24be(I):
    """So many blue cells, so many red ones: first along the top row, the fourth in the middle."""
    places = ((0, 0), (0, 1), (0, 2), (1, 1))
    # A pairing of places and blue cells ends with the blue cells.
    taken = apply(first, pair(places, ofcolor(I, BLUE)))
    output = fill(canvas(BLACK, shape(I)), RED, taken)
    return output


def solve_9af7a82c(I):
    """A bar chart of the colours: for each a bar as long as it has cells, the longest first."""
    colors = order(partition(I), compose(invert, size))
    longest = valmax(colors, size)
    bar = fork(repeat, color, size)
    n_missing = compose(lbind(subtract, longest), size)
    padding = compose(lbind(repeat, BLACK), n_missing)
    bars = apply(fork(combine, bar, padding), colors)
    # The bars lie as rows and are to hang as columns.
    output = dmirror(bars)
    return output


def solve_a3325580(I):
    """The shapes with the most cells, from left to right, become columns as high as they have
    cells.
    """
    shapes = objects(I, T, T, T)
    most = valmax(shapes, size)
    largest = order(sizefilter(shapes, most), leftmost)
    output = repeat(apply(color, largest), most)
    return output


def solve_b0c4d837(I):
    """So many rows as the glass has free above the water, so many cyan cells in a winding line."""
    glass = ofcolor(I, GRAY)
    water = ofcolor(I, CYAN)
    n_free = subtract(uppermost(water), uppermost(glass))
    winding = ((0, 0), (0, 1), (0, 2), (1, 2), (1, 1), (1, 0), (2, 0), (2, 1), (2, 2))
    taken = apply(first, pair(winding, interval(ZERO, n_free, ONE)))
    output = fill(canvas(BLACK, THREE_BY_THREE), CYAN, taken)
    return output


def solve_d0f5fe59(I):
    """As many shapes as there are, so long is the cyan diagonal in a square of that size."""
    n_shapes = size(objects(I, T, F, T))
    square_grid = canvas(BLACK, astuple(n_shapes, n_shapes))
    output = fill(square_grid, CYAN, shoot(ORIGIN, UNITY))
    return output


def solve_d631b094(I):
    """The coloured cells are laid out in one row."""
    hue = other(palette(I), BLACK)
    output = canvas(hue, astuple(ONE, colorcount(I, hue)))
    return output


def solve_de1cd16c(I):
    """The output is one cell in the colour of the area that has the most specks."""
    colors = partition(I)
    specks = argmin(colors, size)
    areas = apply(rbind(subgrid, I), remove(specks, colors))
    fullest = argmax(areas, rbind(colorcount, color(specks)))
    output = canvas(mostcolor(fullest), UNITY)
    return output


def solve_e8593010(I):
    """Black shapes of one cell turn green, of two cells red, of three cells blue."""
    gaps = colorfilter(objects(I, T, F, F), BLACK)
    with_green = fill(I, GREEN, merge(sizefilter(gaps, ONE)))
    with_red = fill(with_green, RED, merge(sizefilter(gaps, TWO)))
    output = fill(with_red, BLUE, merge(sizefilter(gaps, THREE)))
    return output


def solve_f8b3ba0a(I):
    """Most blocks have one colour; the output lists the others' colours, the commonest on top."""
    blocks = fgpartition(I)
    others = remove(argmax(blocks, size), blocks)
    ranked = apply(color, order(others, compose(invert, size)))
    # Each colour becomes a row of one cell.
    output = apply(rbind(repeat, ONE), ranked)
    return output


def solve_fcc82909(I):
    """Every square drips green: as many rows below it as it has colours."""
    squares = objects(I, F, F, T)
    up_to = rbind(interval, ONE)
    below = compose(increment, lowermost)
    rows = fork(up_to, below, fork(add, below, numcolors))
    columns = fork(up_to, leftmost, compose(increment, rightmost))
    output = underfill(I, GREEN, mapply(fork(product, rows, columns), squares))
    return output


def solve_ff28f65a(I):
    """The red squares are counted; so many cells of a three by three checkerboard turn blue, in
    reading order.
    """
    count = size(colorfilter(objects(I, T, F, F), RED))
    blank = canvas(BLACK, THREE_BY_THREE)
    checkers = sfilter(asindices(blank), compose(even, fork(add, first, last)))
    numbered = pair(order(checkers, identity), interval(ZERO, count, ONE))
    output = fill(blank, BLUE, apply(first, numbered))
    return output
