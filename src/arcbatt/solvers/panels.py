# A grid of panels: laid over each other, compared, one of them chosen or filled in.


def solve_0520fde7(I):
    """A gray line separates two squares; the cells that are blue in both are red in the output."""
    left = lefthalf(I)
    blue_in_both = intersection(ofcolor(left, BLUE), ofcolor(righthalf(I), BLUE))
    output = fill(canvas(BLACK, shape(left)), RED, blue_in_both)
    return output


def solve_09629e4f(I):
    """The panel with the fewest coloured cells is drawn so large that each of its cells
    fills a panel.
    """
    panels = apply(last, split_blocks(astuple(ORIGIN, I)))
    key = argmax(panels, rbind(colorcount, BLACK))
    enlarged = upscale(key, increment(width(key)))
    output = paint(crop(enlarged, ORIGIN, shape(I)), merge(frontiers(I)))
    return output


def solve_1b2d62fb(I):
    """Places that are black both left and right of the dividing line are cyan."""
    left_gaps = ofcolor(lefthalf(I), BLACK)
    right_gaps = ofcolor(righthalf(I), BLACK)
    blank = canvas(BLACK, shape(lefthalf(I)))
    output = fill(blank, CYAN, intersection(left_gaps, right_gaps))
    return output


def solve_1e32b0e9(I):
    """The first panel shows a figure; in all others what is missing of it is added in the
    colour of the walls.
    """
    walls = frontiers(I)
    side = valmin(sfilter(walls, hline), uppermost)
    panel = crop(I, ORIGIN, astuple(side, side))
    figure = difference(asindices(panel), ofcolor(panel, BLACK))
    starts = interval(ZERO, height(I), increment(side))
    copies = mapply(lbind(shift, figure), product(starts, starts))
    output = underfill(I, color(first(walls)), copies)
    return output


def solve_54d9e175(I):
    """Every panel is filled with the colour that comes five after that of its dot."""
    surroundings = colorfilter(objects(I, T, F, F), mostcolor(I))
    panel_of = compose(rbind(toobject, I), backdrop)
    new_color = chain(lbind(add, FIVE), leastcolor, panel_of)
    output = paint(I, mapply(fork(recolor, new_color, panel_of), surroundings))
    return output


def solve_6430c8c4(I):
    """Places that are black both above and below the dividing line are green."""
    upper_gaps = ofcolor(tophalf(I), BLACK)
    lower_gaps = ofcolor(bottomhalf(I), BLACK)
    blank = canvas(BLACK, shape(tophalf(I)))
    output = fill(blank, GREEN, intersection(upper_gaps, lower_gaps))
    return output


def solve_6773b310(I):
    """A blue cell stands for every panel that has two dots, nothing for the others."""
    lines = frontiers(I)
    panels_down = increment(size(sfilter(lines, hline)))
    panels_across = increment(size(sfilter(lines, vline)))
    panels = apply(rbind(hsplit, panels_across), vsplit(I, panels_down))
    has_two = matcher(rbind(colorcount, leastcolor(I)), TWO)
    mark = compose(lbind(multiply, BLUE), has_two)
    output = apply(lbind(apply, mark), panels)
    return output


def solve_6d0160f0(I):
    """The panel with the yellow cell moves to the place among the panels that this cell has
    in it; all others are emptied.
    """
    yellow_cell = first(ofcolor(I, YELLOW))
    corner_cell = multiply(divide(yellow_cell, FOUR), FOUR)
    panel = crop(I, corner_cell, THREE_BY_THREE)
    target = multiply(subtract(yellow_cell, corner_cell), FOUR)
    emptied = fill(canvas(BLACK, shape(I)), GRAY, ofcolor(I, GRAY))
    output = paint(emptied, shift(asobject(panel), target))
    return output


def solve_75b8110e(I):
    """The four quarters are laid over each other: upper left at the bottom, then lower
    right, lower left, and upper right on top.
    """
    colored = compose(rbind(sfilter, compose(positive, first)), asobject)
    bottom = lefthalf(tophalf(I))
    with_second = paint(bottom, colored(righthalf(bottomhalf(I))))
    with_third = paint(with_second, colored(lefthalf(bottomhalf(I))))
    output = paint(with_third, colored(righthalf(tophalf(I))))
    return output


def solve_7c008303(I):
    """The small coloured square, enlarged, colours the green drawing in the large panel."""
    without_drawing = replace(I, GREEN, BLACK)
    empty_panels = colorfilter(objects(without_drawing, T, F, F), BLACK)
    drawing = subgrid(argmax(empty_panels, size), I)
    without_walls = replace(I, CYAN, BLACK)
    not_green = compose(flip, matcher(color, GREEN))
    key = subgrid(extract(objects(without_walls, F, T, T), not_green), I)
    enlarged = upscale(key, divide(width(drawing), width(key)))
    output = fill(enlarged, BLACK, ofcolor(drawing, BLACK))
    return output


def solve_941d9a10(I):
    """Of the rooms between the gray walls the first turns blue, the middle one red and the
    last green.
    """
    rooms = order(colorfilter(objects(I, T, F, F), BLACK), ulcorner)
    middle_room = get_nth(rooms, halve(size(rooms)))
    with_first = fill(I, BLUE, first(rooms))
    with_middle = fill(with_first, RED, middle_room)
    output = fill(with_middle, GREEN, last(rooms))
    return output


def solve_94f9d214(I):
    """Red marks the cells that are empty in the upper and in the lower half."""
    upper_gaps = ofcolor(tophalf(I), BLACK)
    lower_gaps = ofcolor(bottomhalf(I), BLACK)
    blank = canvas(BLACK, shape(tophalf(I)))
    output = fill(blank, RED, intersection(upper_gaps, lower_gaps))
    return output


def solve_995c5fa3(I):
    """Each of the three squares, left to right, gives a row: cyan if its hole is in the middle,
    green if at the sides, yellow if at the bottom, red if it has none.
    """
    squares = hsplit(I, THREE)
    # A cell that is not black is no hole: then the next place is asked.
    by_bottom = compose(rbind(rbind(branch, YELLOW), RED), rbind(index, (3, 1)))
    by_sides = fork(rbind(branch, GREEN), rbind(index, (1, 0)), by_bottom)
    hue = fork(rbind(branch, CYAN), rbind(index, (1, 1)), by_sides)
    rows = apply(compose(rbind(canvas, (1, 3)), hue), squares)
    output = merge(rows)
    return output


def solve_9f236235(I):
    """Lines cut the grid into squares of one colour; the output has a cell for each square,
    left and right exchanged.
    """
    side = valmin(sfilter(frontiers(I), vline), leftmost)
    cells = downscale(compress(I), side)
    output = vmirror(cells)
    return output


def solve_bc1d5164(I):
    """The three by three squares at the four corners are laid over each other."""
    hue = other(palette(I), BLACK)
    far = subtract(shape(I), THREE_BY_THREE)
    starts = product(insert(first(far), initset(ZERO)), insert(last(far), initset(ZERO)))
    squares = apply(rbind(lbind(crop, I), THREE_BY_THREE), starts)
    marked = mapply(rbind(ofcolor, hue), squares)
    output = fill(canvas(BLACK, THREE_BY_THREE), hue, marked)
    return output


def solve_c444b776(I):
    """What the one panel has is copied to all the others."""
    panels = cut(astuple(ORIGIN, I))
    pattern = pick(panels, FOUR)
    copies = tile(pattern, shape(I), ONE)
    output = last(over(copies, astuple(ORIGIN, I)))
    return output


def solve_dae9d2b5(I):
    """The two halves are laid on each other; a cell that is set in either of them is pink."""
    left = lefthalf(I)
    unset = intersection(ofcolor(left, BLACK), ofcolor(righthalf(I), BLACK))
    output = fill(canvas(PINK, shape(left)), BLACK, unset)
    return output


def solve_e98196ab(I):
    """A gray line separates two halves; the dots of both are shown together."""
    dots_below = merge(fgpartition(bottomhalf(I)))
    output = paint(tophalf(I), dots_below)
    return output


def solve_f2829549(I):
    """Green where both halves beside the blue wall are black."""
    left = lefthalf(I)
    right = righthalf(I)
    free_in_both = intersection(ofcolor(left, BLACK), ofcolor(right, BLACK))
    output = fill(canvas(BLACK, shape(left)), GREEN, free_in_both)
    return output
