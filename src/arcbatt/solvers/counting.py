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


def solve_6e82a1ae(I):
    """Shapes of four cells turn blue, those of three red, those of two green."""
    shapes = objects(I, T, F, T)
    # Five less the number of cells happens to be the colour.
    hue = compose(lbind(subtract, FIVE), size)
    output = paint(I, mapply(fork(recolor, hue, identity), shapes))
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


def solve_f8b3ba0a(I):
    """Most blocks have one colour; the output lists the others' colours, the commonest on top."""
    blocks = fgpartition(I)
    others = remove(argmax(blocks, size), blocks)
    ranked = apply(color, order(others, compose(invert, size)))
    # Each colour becomes a row of one cell.
    output = apply(rbind(repeat, ONE), ranked)
    return output
