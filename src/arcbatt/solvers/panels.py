# A grid of panels: laid over each other, compared, one of them chosen or filled in.


def solve_0520fde7(I):
    """A line separates two halves; the cells that are colored in both are red in the output."""
    line_hue = index(I, center(asindices(I)))
    upright = vline(ofcolor(I, line_hue))
    halves = branch(upright, hsplit(I, TWO), vsplit(I, TWO))
    ground = first(intersection(palette(first(halves)), palette(last(halves))))
    colored = compose(toindices, rbind(not_of_color, ground))
    colored_in_both = intersection(colored(first(halves)), colored(last(halves)))
    output = fill(canvas(ground, shape(first(halves))), RED, colored_in_both)
    return output


def solve_09629e4f(I):
    """The panel with the fewest colored cells is drawn so large that each of its cells
    fills a panel.
    """
    panels = apply(last, split_blocks(astuple(ORIGIN, I)))
    # The ground is the commonest color beside the lines.
    key = argmax(panels, rbind(colorcount, mostcolor(compress(I))))
    enlarged = hupscale(vupscale(key, increment(height(key))), increment(width(key)))
    output = paint(crop(enlarged, ORIGIN, shape(I)), merge(frontiers(I)))
    return output


def solve_1b2d62fb(I):
    """Places that are empty on both sides of the dividing line, are cyan."""
    bar_color = index(I, halve(shape(I)))
    lying = equality(width(ofcolor(I, bar_color)), width(I))
    one_half = branch(lying, tophalf(I), lefthalf(I))
    other_half = branch(lying, bottomhalf(I), righthalf(I))
    # The ground is in both halves; brown may be too, and of further colors the ground is commoner.
    common = intersection(palette(one_half), palette(other_half))
    others = remove(BROWN, common)
    n_cells = lbind(colorcount, hconcat(one_half, other_half))
    ground = argmax(branch(others, others, common), n_cells)
    empty_in_both = intersection(ofcolor(one_half, ground), ofcolor(other_half, ground))
    output = fill(canvas(ground, shape(one_half)), CYAN, empty_in_both)
    return output


def solve_1e32b0e9(I):
    """The panels show parts of one figure; in each panel what is missing of it is added in the
    color of the walls.
    """
    walls = frontiers(I)
    wall_hue = color(first(walls))
    pitch_down = increment(valmin(sfilter(walls, hline), uppermost))
    pitch_right = increment(valmin(sfilter(walls, vline), leftmost))
    rows = interval(ZERO, height(I), pitch_down)
    panel_places = product(rows, interval(ZERO, width(I), pitch_right))
    ways = prapply(subtract, panel_places, panel_places)
    figures = difference(toindices(foreground(I)), ofcolor(I, wall_hue))
    output = underfill(I, wall_hue, copies_at(figures, ways))
    return output


def solve_54d9e175(I):
    """Every panel between the lines is filled with the color that comes five after that of its
    dot.
    """
    lines = ofcolor(I, leastcolor(merge(frontiers(I))))
    new_color = chain(lbind(add, FIVE), leastcolor, rbind(toobject, I))
    output = paint(I, mapply(fork(recolor, new_color, identity), areas_between(I, lines)))
    return output


def solve_6430c8c4(I):
    """Places that are empty on both sides of the dividing line are green."""
    line = ofcolor(I, index(I, center(asindices(I))))
    halves = branch(vline(line), hsplit(I, TWO), vsplit(I, TWO))
    ground = first(intersection(palette(first(halves)), palette(last(halves))))
    empty = rbind(ofcolor, ground)
    empty_in_both = intersection(empty(first(halves)), empty(last(halves)))
    output = fill(canvas(ground, shape(first(halves))), GREEN, empty_in_both)
    return output


def solve_6773b310(I):
    """A blue cell stands for every panel that has two dots, nothing for the others."""
    lines = frontiers(I)
    panels_down = increment(size(sfilter(lines, hline)))
    panels_across = increment(size(sfilter(lines, vline)))
    panels = apply(rbind(hsplit, panels_across), vsplit(I, panels_down))
    has_two = matcher(rbind(colorcount, leastcolor(I)), TWO)
    mark = compose(lbind(multiply, BLUE), has_two)
    marks = apply(lbind(apply, mark), panels)
    # The ground is the commonest color beside the lines.
    output = replace(marks, BLACK, mostcolor(compress(I)))
    return output


def solve_6d0160f0(I):
    """The panel with the yellow cell moves to the place among the panels that this cell has
    in it; all others are emptied.
    """
    lines = merge(frontiers(I))
    yellow_cell = first(ofcolor(I, YELLOW))
    panel = extract(areas_between(I, lines), lbind(contained, yellow_cell))
    place = subtract(yellow_cell, ulcorner(panel))
    target = multiply(place, increment(shape(panel)))
    way = subtract(target, ulcorner(panel))
    cells = not_of_color(toobject(panel, I), color(lines))
    emptied = paint(canvas(mostcolor(compress(I)), shape(I)), lines)
    output = paint(emptied, shift(cells, way))
    return output


def solve_75b8110e(I):
    """The four quarters are laid over each other: upper left at the bottom, then lower
    right, lower left, and upper right on top.
    """
    quarters = mapply(rbind(hsplit, TWO), vsplit(I, TWO))
    # The ground is the color that all quarters have in common.
    drawn = rbind(not_of_color, mostcommon(mapply(p_g, quarters)))
    with_second = paint(first(quarters), drawn(last(quarters)))
    with_third = paint(with_second, drawn(get_nth(quarters, TWO)))
    output = paint(with_third, drawn(second(quarters)))
    return output


def solve_7c008303(I):
    """The small colored square, enlarged, colors the drawing in the large panel."""
    panels = areas_between(I, merge(frontiers(I)))
    key = subgrid(argmin(panels, size), I)
    drawing = subgrid(argmax(panels, size), I)
    empty_panel = get_arg_rank(panels, size, ONE)
    ground = index(I, ulcorner(empty_panel))
    wide = hupscale(key, divide(width(drawing), width(key)))
    enlarged = vupscale(wide, divide(height(drawing), height(key)))
    output = fill(enlarged, ground, ofcolor(drawing, ground))
    return output


def solve_941d9a10(I):
    """Of the rooms between the walls the first turns blue, the middle one red and the last
    green.
    """
    rooms = order(parts_of(I, index(I, ORIGIN), F), ulcorner)
    middle_room = get_nth(rooms, halve(size(rooms)))
    with_first = fill(I, BLUE, first(rooms))
    with_middle = fill(with_first, RED, middle_room)
    output = fill(with_middle, GREEN, last(rooms))
    return output


def solve_94f9d214(I):
    """Red marks the cells that are empty in both halves."""
    # Each half has its own color; what both have is the ground.
    stacked = greater(numcolors(I), numcolors(tophalf(I)))
    one_half = branch(stacked, tophalf(I), lefthalf(I))
    other_half = branch(stacked, bottomhalf(I), righthalf(I))
    ground = minimum(intersection(palette(one_half), palette(other_half)))
    empty_in_both = intersection(ofcolor(one_half, ground), ofcolor(other_half, ground))
    output = fill(canvas(ground, shape(one_half)), RED, empty_in_both)
    return output


def solve_995c5fa3(I):
    """Each of the squares, left to right, gives a row: cyan if its hole is in the middle,
    green if at the sides, yellow if at the bottom, red if it has none.
    """
    ground = leastcolor(I)
    n_squares = divide(increment(width(I)), increment(height(I)))
    squares = hsplit(switch(I, ground, BLACK), n_squares)
    # A cell that is not black is not a hole: then the next place is asked.
    by_bottom = compose(rbind(rbind(branch, YELLOW), RED), rbind(index, (3, 1)))
    by_sides = fork(rbind(branch, GREEN), rbind(index, (1, 0)), by_bottom)
    hue = fork(rbind(branch, CYAN), rbind(index, (1, 1)), by_sides)
    rows = apply(compose(rbind(canvas, (1, 3)), hue), squares)
    output = merge(rows)
    return output


def solve_99b1bc43(I):
    """The halves on both sides of the bar are compared: a cell is green where one of
    them is colored and the other is not.
    """
    level = hline(ofcolor(I, index(I, halve(shape(I)))))
    one_half = branch(level, tophalf(I), lefthalf(I))
    other_half = branch(level, bottomhalf(I), righthalf(I))
    ground = first(intersection(palette(one_half), palette(other_half)))
    free_once = rbind(ofcolor, ground)
    free_here = free_once(one_half)
    free_there = free_once(other_half)
    differing = difference(combine(free_here, free_there), intersection(free_here, free_there))
    output = fill(canvas(ground, shape(one_half)), GREEN, differing)
    return output


def solve_9f236235(I):
    """Lines cut the grid into panels of one color; the output has a cell for each panel,
    left and right exchanged.
    """
    n_rows = valmin(sfilter(frontiers(I), hline), uppermost)
    n_columns = valmin(sfilter(frontiers(I), vline), leftmost)
    # Stretched so that panels are squares.
    panels = vupscale(hupscale(compress(I), n_rows), n_columns)
    output = vmirror(downscale(panels, multiply(n_rows, n_columns)))
    return output


def solve_a64e4611(I):
    """An empty hall leads through the noise, with corridors from it to the edges of the grid. They
    turn green but for a margin of one cell along the noise.
    """
    ground = mostcolor(I)
    two_thirds = chain(rbind(divide, THREE), double, height)
    bar = chain(lbind(recolor, ground), lbind(connect, ORIGIN), compose(toivec, two_thirds))
    bar_places = fork(occurrences, identity, bar)
    lying = greater(size(bar_places(dmirror(I))), size(bar_places(I)))
    upright = branch(lying, dmirror(I), I)
    blank = canvas(ground, add(shape(upright), TWO_BY_ZERO))
    padded = paint(blank, shift(asobject(upright), DOWN))
    long_runs = copies_at(bar(padded), bar_places(padded))
    ground_lines = compose(rbind(colorfilter, ground), frontiers)
    clear_rows = chain(toindices, rbind(mfilter, hline), ground_lines)
    beside = fork(intersection, rbind(shift, UP), rbind(shift, DOWN))
    corridors = compose(fork(intersection, identity, beside), clear_rows)
    hall = shift(corridors(subgrid(long_runs, padded)), ulcorner(long_runs))
    in_hall = intersection(shift(hall, LEFT), shift(hall, RIGHT))
    left = crop(padded, ORIGIN, astuple(height(padded), leftmost(in_hall)))
    way = tojvec(increment(rightmost(in_hall)))
    right = crop(padded, way, shape(padded))
    in_corridors = combine(corridors(left), shift(corridors(right), way))
    green = fill(padded, GREEN, combine(in_hall, in_corridors))
    finished = crop(green, DOWN, shape(upright))
    output = branch(lying, dmirror(finished), finished)
    return output


def solve_a68b268e(I):
    """The four panels are laid over each other, in reading order: the upper left one on top,
    the lower right one at the bottom.
    """
    panels = mapply(rbind(hsplit, TWO), vsplit(I, TWO))
    # The background is the color that most panels have in common.
    ground = mostcommon(mapply(p_g, panels))
    colored_cells = rbind(not_of_color, ground)
    lower_two = paint(last(panels), colored_cells(get_nth(panels, TWO)))
    lower_three = paint(lower_two, colored_cells(second(panels)))
    output = paint(lower_three, colored_cells(first(panels)))
    return output


def solve_bc1d5164(I):
    """The three by three squares at the four corners are laid over each other."""
    hue = leastcolor(I)
    far = subtract(shape(I), THREE_BY_THREE)
    starts = product(insert(first(far), initset(ZERO)), insert(last(far), initset(ZERO)))
    squares = apply(rbind(lbind(crop, I), THREE_BY_THREE), starts)
    marked = mapply(rbind(ofcolor, hue), squares)
    output = fill(canvas(mostcolor(I), THREE_BY_THREE), hue, marked)
    return output


def solve_c444b776(I):
    """The content of one panel is copied to all the others."""
    full_lines = frontiers(I)
    lines = difference(full_lines, colorfilter(full_lines, mostcolor(I)))
    panels = areas_between(I, merge(lines))
    contents = apply(rbind(toobject, I), panels)
    pattern = normalize(argmax(contents, numcolors))
    output = paint(I, copies_at(pattern, apply(ulcorner, panels)))
    return output


def solve_cf98881b(I):
    """Three panels stand side by side and are laid over each other: the first on top, the
    second below it, the third at the bottom.
    """
    panels = hsplit(I, THREE)
    ground = first(intersection(palette(first(panels)), palette(last(panels))))
    drawn = rbind(not_of_color, ground)
    two_panels = paint(last(panels), drawn(second(panels)))
    output = paint(two_panels, drawn(first(panels)))
    return output


def solve_dae9d2b5(I):
    """The two halves are laid on each other; a cell that is set in either of them is pink."""
    # Each half has its own color; what both have is the ground.
    lacks_one = compose(lbind(greater, numcolors(I)), numcolors)
    side_by_side = both(lacks_one(lefthalf(I)), lacks_one(righthalf(I)))
    one_half = branch(side_by_side, lefthalf(I), tophalf(I))
    other_half = branch(side_by_side, righthalf(I), bottomhalf(I))
    ground = minimum(intersection(palette(one_half), palette(other_half)))
    unset = intersection(ofcolor(one_half, ground), ofcolor(other_half, ground))
    output = fill(canvas(PINK, shape(one_half)), ground, unset)
    return output


def solve_e98196ab(I):
    """A line separates two halves; the dots of both are shown together."""
    bar = ofcolor(I, index(I, halve(shape(I))))
    lying = equality(width(bar), width(I))
    one_half = branch(lying, tophalf(I), lefthalf(I))
    other_half = branch(lying, bottomhalf(I), righthalf(I))
    output = paint(one_half, not_of_color(other_half, mostcolor(I)))
    return output


def solve_f2829549(I):
    """Green where both halves on the two sides of the wall are empty."""
    standing = vline(ofcolor(I, index(I, halve(shape(I)))))
    upright = branch(standing, I, dmirror(I))
    left = lefthalf(upright)
    right = righthalf(upright)
    ground = first(intersection(palette(left), palette(right)))
    free_in_both = intersection(ofcolor(left, ground), ofcolor(right, ground))
    compared = fill(canvas(ground, shape(left)), GREEN, free_in_both)
    output = branch(standing, compared, dmirror(compared))
    return output


def solve_fafffa47(I):
    """The two halves are laid over each other; red marks the cells that are empty in both."""
    # Each half has its own color; what both have is the ground.
    stacked = greater(numcolors(I), numcolors(tophalf(I)))
    one_half = branch(stacked, tophalf(I), lefthalf(I))
    other_half = branch(stacked, bottomhalf(I), righthalf(I))
    ground = minimum(intersection(palette(one_half), palette(other_half)))
    empty_in_both = intersection(ofcolor(one_half, ground), ofcolor(other_half, ground))
    output = fill(canvas(ground, shape(one_half)), RED, empty_in_both)
    return output
