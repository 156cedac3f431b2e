# The output depends on a count of objects, colors or cells, and shows it as a grid, a
# bar, a list or a color.


def solve_1190e5a7(I):
    """Lines cut the grid into areas; the output has one cell for each area, in its color."""
    line_color = leastcolor(merge(frontiers(I)))
    ground = other(palette(I), line_color)
    areas = parts_of(I, ground, F)
    n_rows = size(apply(uppermost, areas))
    n_columns = size(apply(leftmost, areas))
    output = canvas(ground, astuple(n_rows, n_columns))
    return output


def solve_1fad071e(I):
    """The blue two by two squares are counted on a strip of five cells."""
    blues = parts_of(I, BLUE, F)
    n_squares = size(sfilter(sizefilter(blues, FOUR), square))
    strip = canvas(mostcolor(I), (1, 5))
    output = fill(strip, BLUE, apply(tojvec, interval(ZERO, n_squares, ONE)))
    return output


def solve_27a28665(I):
    """The answer is one cell that tells in how many parts the drawing falls: pink for one,
    green for two, blue for three and red for more.
    """
    # Either the drawing has the fewest cells, or it fills the grid and its gaps have.
    drawing = subgrid(ofcolor(I, leastcolor(I)), I)
    parts = size(parts_of(drawing, mostcolor(drawing), F))
    many = branch(equality(parts, THREE), BLUE, RED)
    several = branch(equality(parts, TWO), GREEN, many)
    answer = branch(equality(parts, ONE), PINK, several)
    output = canvas(answer, UNITY)
    return output


def solve_29623171(I):
    """Lines cut the grid into panels: those with the most dots are filled with the dots' color,
    the others are emptied.
    """
    without_lines = compress(I)
    ground = mostcolor(without_lines)
    hue = leastcolor(without_lines)
    emptied = replace(I, hue, ground)
    panels = parts_of(emptied, ground, F)
    n_dots = compose(rbind(colorcount, hue), rbind(toobject, I))
    fullest = mfilter(panels, matcher(n_dots, valmax(panels, n_dots)))
    output = fill(emptied, hue, fullest)
    return output


def solve_6e02f1e3(I):
    """The number of colors picks a gray line: one color the top row, two the main diagonal,
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
    # Five less the number of cells happens to be the color.
    hue = compose(lbind(subtract, FIVE), size)
    output = paint(I, mapply(fork(recolor, hue, identity), shapes))
    return output


def solve_7447852a(I):
    """A zigzag line cuts the grid into triangles; from one end, the first and then
    every third of them turns yellow.
    """
    areas = parts_of(I, mostcolor(I), F)
    triangles = order(areas, branch(portrait(I), uppermost, leftmost))
    every_third = interval(ZERO, size(triangles), THREE)
    chosen = mapply(lbind(get_nth, triangles), every_third)
    output = fill(I, YELLOW, chosen)
    return output


def solve_794b24be(I):
    """The colored cells are counted; as many cells turn red, first along the top row, the fourth
    in the middle.
    """
    places = ((0, 0), (0, 1), (0, 2), (1, 1))
    # A pairing of places and given cells ends with the given cells.
    taken = apply(first, pair(places, ofcolor(I, leastcolor(I))))
    output = fill(canvas(mostcolor(I), THREE_BY_THREE), RED, taken)
    return output


def solve_9af7a82c(I):
    """A bar chart of the colors: for each a bar as long as it has cells, the longest first."""
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
    """The free steps between the water in the glass and its rim are counted; as many cells of a
    winding line take the color of the water.
    """
    # The water lies within the glass and the glass within the ground.
    by_extent = order(partition(I), compose(size, backdrop))
    water = first(by_extent)
    glass = second(by_extent)
    free = difference(delta(glass), toindices(water))
    n_free = branch(vmatching(free, water), height(free), width(free))
    winding = ((0, 0), (0, 1), (0, 2), (1, 2), (1, 1), (1, 0), (2, 0), (2, 1), (2, 2))
    taken = apply(first, pair(winding, interval(ZERO, n_free, ONE)))
    blank = canvas(color(last(by_extent)), THREE_BY_THREE)
    output = fill(blank, color(water), taken)
    return output


def solve_d0f5fe59(I):
    """A diagonal in the color of the shapes, in a square with as many rows as there are shapes."""
    ground = mostcolor(I)
    n_shapes = size(objects(I, T, F, T))
    square_grid = canvas(ground, astuple(n_shapes, n_shapes))
    output = fill(square_grid, other(palette(I), ground), shoot(ORIGIN, UNITY))
    return output


def solve_d631b094(I):
    """The colored cells are laid out in one row."""
    hues = palette(I)
    # Where there is no black, the commoner color is the ground.
    ground = branch(contained(BLACK, hues), BLACK, mostcolor(I))
    hue = other(hues, ground)
    output = canvas(hue, astuple(ONE, colorcount(I, hue)))
    return output


def solve_de1cd16c(I):
    """Specks of one color are strewn over areas of plain colors; the output is one cell in the
    color of the area that has the most specks.
    """
    # An area is one piece, the specks are many, or if not the fewest cells.
    n_parts = compose(size, lbind(rbind(parts_of, F), I))
    n_cells = lbind(colorcount, I)
    specks = ofcolor(I, argmax(palette(I), fork(astuple, n_parts, compose(invert, n_cells))))
    areas = remove(toobject(specks, I), partition(I))
    n_specks = chain(size, lbind(intersection, specks), backdrop)
    output = canvas(color(argmax(areas, n_specks)), UNITY)
    return output


def solve_e8593010(I):
    """Shapes of one cell on the ground turn green, of two cells red, of three cells blue."""
    shapes = objects(I, T, F, T)
    with_green = fill(I, GREEN, merge(sizefilter(shapes, ONE)))
    with_red = fill(with_green, RED, merge(sizefilter(shapes, TWO)))
    output = fill(with_red, BLUE, merge(sizefilter(shapes, THREE)))
    return output


def solve_f8b3ba0a(I):
    """Most blocks have one color; the output lists the others' colors, the commonest on top."""
    ground = color(first(frontiers(I)))
    hues = remove(ground, palette(I))
    ranked = order(hues, compose(invert, lbind(colorcount, I)))
    others = remove(first(ranked), ranked)
    # Each color becomes a row of one cell.
    output = apply(rbind(repeat, ONE), others)
    return output


def solve_fcc82909(I):
    """Every square drips green: as many rows below it as it has colors."""
    squares = objects(I, F, F, T)
    up_to = rbind(interval, ONE)
    below = compose(increment, lowermost)
    rows = fork(up_to, below, fork(add, below, numcolors))
    columns = fork(up_to, leftmost, compose(increment, rightmost))
    output = underfill(I, GREEN, mapply(fork(product, rows, columns), squares))
    return output


def solve_ff28f65a(I):
    """The red squares are counted; as many cells of a three by three checkerboard turn blue, in
    reading order.
    """
    count = size(objects(I, T, F, T))
    blank = canvas(mostcolor(I), THREE_BY_THREE)
    checkers = sfilter(asindices(blank), compose(even, fork(add, first, last)))
    numbered = pair(order(checkers, identity), interval(ZERO, count, ONE))
    output = fill(blank, BLUE, apply(first, numbered))
    return output
