# Color logic: panels laid over each other, color maps, swaps, common and rare colors.


def solve_0d3d703e(I):
    """Every color has a partner that it changes places with: green and yellow, blue and
    gray, red and magenta, cyan and brown.
    """
    green_yellow = switch(I, GREEN, YELLOW)
    blue_gray = switch(green_yellow, BLUE, GRAY)
    red_magenta = switch(blue_gray, RED, MAGENTA)
    output = switch(red_magenta, CYAN, BROWN)
    return output


def solve_2204b7a8(I):
    """Dots lie between two lines; each takes the color of the line nearer to it."""
    full_lines = frontiers(I)
    lines = difference(full_lines, colorfilter(full_lines, mostcolor(I)))
    dots = apply(initset, toindices(difference(foreground(I), merge(lines))))
    nearest = compose(lbind(argmin, lines), lbind(lbind, manhattan))
    output = paint(I, mapply(fork(recolor, compose(color, nearest), identity), dots))
    return output


def solve_272f95fa(I):
    """Of the nine fields between the lines the middle one turns pink, the one above it red, below
    it blue, left of it yellow, right of it green.
    """
    fields = parts_of(I, index(I, ORIGIN), F)
    central = extract(fields, compose(flip, rbind(bordering, I)))
    in_row = sfilter(fields, lbind(hmatching, central))
    in_column = sfilter(fields, lbind(vmatching, central))
    with_left = fill(I, YELLOW, argmin(in_row, leftmost))
    with_right = fill(with_left, GREEN, argmax(in_row, leftmost))
    with_above = fill(with_right, RED, argmin(in_column, uppermost))
    with_below = fill(with_above, BLUE, argmax(in_column, uppermost))
    output = fill(with_below, PINK, central)
    return output


def solve_32597951(I):
    """Within the box of the rarest color all other cells turn green."""
    rarest = ofcolor(I, leastcolor(I))
    output = fill(I, GREEN, delta(rarest))
    return output


def solve_3428a4f5(I):
    """The halves on both sides of the bar are compared: a cell is green where they differ,
    where one of them is colored and the other is not.
    """
    bar_color = index(I, halve(shape(I)))
    lying = equality(width(ofcolor(I, bar_color)), width(I))
    one_half = branch(lying, tophalf(I), lefthalf(I))
    other_half = branch(lying, bottomhalf(I), righthalf(I))
    # The ground is in both halves; red may be too, and of further colors the ground is commoner.
    common = intersection(palette(one_half), palette(other_half))
    others = remove(RED, common)
    n_cells = lbind(colorcount, hconcat(one_half, other_half))
    ground = argmax(branch(others, others, common), n_cells)
    free_here = ofcolor(one_half, ground)
    free_there = ofcolor(other_half, ground)
    differing = difference(combine(free_here, free_there), intersection(free_here, free_there))
    output = fill(canvas(ground, shape(one_half)), GREEN, differing)
    return output


def solve_4be741c5(I):
    """The colors of the ragged bands in their order: a row for bands side by side, a column
    for bands one above the other.
    """
    bands = partition(I)
    colors = apply(color, order(bands, ulcorner))
    row = repeat(colors, ONE)
    stacked = equality(size(apply(leftmost, bands)), ONE)
    output = branch(stacked, dmirror(row), row)
    return output


def solve_5582e5ca(I):
    """The whole grid takes its commonest color."""
    output = canvas(mostcolor(I), shape(I))
    return output


def solve_77fdfe62(I):
    """The pattern inside the lines is kept, each quarter in the color of the corner cell next
    to it.
    """
    pattern = trim(trim(I))
    ground = index(I, ZERO_BY_TWO)
    sides = dmirror(astuple(first(I), last(I)))
    corner_hues = dmirror(astuple(first(sides), last(sides)))
    wide = hupscale(corner_hues, halve(width(pattern)))
    quarters = vupscale(wide, halve(height(pattern)))
    output = fill(quarters, ground, ofcolor(pattern, ground))
    return output


def solve_85c4e7cd(I):
    """The colors of the nested rings change places: outermost with innermost and so on."""
    depths = interval(ZERO, halve(increment(minimum(shape(I)))), ONE)
    near_corner = lbind(add, ORIGIN)
    far_corner = lbind(subtract, decrement(shape(I)))
    ring = compose(box, fork(insert, near_corner, compose(initset, far_corner)))
    hues = apply(compose(lbind(index, I), near_corner), depths)
    output = paint(I, mpapply(recolor, hmirror(hues), apply(ring, depths)))
    return output


def solve_9565186b(I):
    """The commonest color stays; all the other cells turn gray."""
    common = ofcolor(I, mostcolor(I))
    others = difference(asindices(I), common)
    output = fill(I, GRAY, others)
    return output


def solve_aabf363d(I):
    """The shape takes the color of the single cell in the corner, which goes."""
    corner_hue = leastcolor(I)
    shape_hue = get_color_rank(I, ONE)
    emptied = replace(I, corner_hue, mostcolor(I))
    output = replace(emptied, shape_hue, corner_hue)
    return output


def solve_b1948b0a(I):
    """Pink cells turn red, the others stay."""
    output = replace(I, PINK, RED)
    return output


def solve_b6afb2da(I):
    """Every rectangle gets yellow sides and blue corners, and turns red inside."""
    # They may have more cells than the ground, which has parts that are no rectangles.
    parts = rbind(lbind(parts_of, I), F)
    n_ragged = chain(size, rbind(sfilter, compose(flip, is_solid)), parts)
    hue = argmin(palette(I), fork(astuple, n_ragged, matcher(identity, groundcolor(I))))
    rectangles = parts(hue)
    with_sides = fill(fill(I, RED, merge(rectangles)), YELLOW, mapply(box, rectangles))
    output = fill(with_sides, BLUE, mapply(corners, rectangles))
    return output


def solve_b94a9452(I):
    """The square is cut out, and its outer and inner color change places."""
    # The ground reaches furthest, then the square's outer color, then the inner one.
    by_extent = order(partition(I), compose(size, backdrop))
    inner = first(by_extent)
    outer = second(by_extent)
    output = switch(subgrid(outer, I), color(outer), color(inner))
    return output


def solve_bda2d7a6(I):
    """The rings pass their colors on inward: each color becomes the one around it, and
    the outermost becomes the last.
    """
    rings = order(partition(I), uppermost)
    hues = apply(color, rings)
    hues_around = combine(repeat(last(hues), ONE), hues)
    output = paint(I, mpapply(recolor, hues_around, rings))
    return output


def solve_c8f0f002(I):
    """Orange cells turn gray."""
    output = replace(I, ORANGE, GRAY)
    return output


def solve_c9f8e694(I):
    """The rectangles, all of one color, take the colors that the strip along one edge shows
    beside them.
    """
    # Gray rectangles may leave no more rows and columns to black ground than they have themselves.
    common_hues = insert(mostcolor(I), initset(get_color_rank(I, ONE)))
    ground = branch(equality(common_hues, {BLACK, GRAY}), BLACK, groundcolor(I))
    hue = mostcolor(not_of_color(I, ground))
    rectangles = ofcolor(I, hue)
    rest = toobject(difference(asindices(I), rectangles), I)
    strip = difference(toindices(rest), ofcolor(I, mostcolor(rest)))
    across = branch(portrait(strip), hfrontier, vfrontier)
    cells_beside = compose(lbind(intersection, rectangles), across)
    output = paint(I, mapply(fork(recolor, lbind(index, I), cells_beside), strip))
    return output


def solve_ce4f8723(I):
    """The halves on both sides of the bar are laid over each other: a cell is green where
    either of them is colored. Empty is the color that both have.
    """
    lying = hline(ofcolor(I, index(I, halve(shape(I)))))
    one_half = branch(lying, tophalf(I), lefthalf(I))
    other_half = branch(lying, bottomhalf(I), righthalf(I))
    empty_in_both = intersection(asobject(one_half), asobject(other_half))
    ground = first(intersection(palette(one_half), palette(other_half)))
    output = fill(canvas(GREEN, shape(one_half)), ground, empty_in_both)
    return output


def solve_d406998b(I):
    """In every other column, the last one and then leftwards, the dots turn green."""
    dots = ofcolor(I, leastcolor(I))
    columns = interval(decrement(width(I)), NEG_ONE, NEG_TWO)
    rows = interval(ZERO, height(I), ONE)
    output = fill(I, GREEN, intersection(dots, product(rows, columns)))
    return output


def solve_d4469b4b(I):
    """The color says where a gray row and a gray column cross in a square of three: red at
    the middle of the top, blue in the middle, green in the lower right corner.
    """
    hue = argmax((1, 2, 3), lbind(colorcount, I))
    blue_or_green = branch(equality(hue, BLUE), UNITY, TWO_BY_TWO)
    crossing = branch(equality(hue, RED), RIGHT, blue_or_green)
    output = fill(canvas(BLACK, THREE_BY_THREE), GRAY, cross_at(crossing))
    return output


def solve_d511f180(I):
    """Gray and cyan change places."""
    output = switch(I, GREY, CYAN)
    return output


def solve_d90796e8(I):
    """Where a green and a red cell touch by a side, the green one turns cyan and the red
    one vanishes.
    """
    greens = ofcolor(I, GREEN)
    reds = ofcolor(I, RED)
    met_greens = intersection(greens, mapply(dneighbors, reds))
    met_reds = intersection(reds, mapply(dneighbors, greens))
    output = fill(cover(I, met_reds), CYAN, met_greens)
    return output


def solve_ddf7fa4f(I):
    """Every rectangle takes the color of the dot in its columns, or in its rows."""
    areas = objects_on(I, T, F, groundcolor(I))
    # All rectangles have one color, the dots any.
    rectangles = colorfilter(areas, color(argmax(areas, size)))
    dots = difference(areas, rectangles)
    level_with = fork(lbind(fork, either), lbind(lbind, hmatching), lbind(lbind, vmatching))
    dot_of = compose(lbind(extract, dots), level_with)
    output = paint(I, mapply(fork(recolor, compose(color, dot_of), identity), rectangles))
    return output


def solve_e509e548(I):
    """Green strokes take a color by their form: blue an L, pink a U or hook along the outline of
    its box, red one that also runs through the inside of its box."""
    strokes = objects(I, T, F, T)
    off_outline = fork(difference, toindices, box)
    through = sfilter(strokes, off_outline)
    box_sides = compose(decrement, fork(add, height, width))
    bent_once = sfilter(strokes, fork(equality, size, box_sides))
    all_pink = fill(I, PINK, merge(strokes))
    with_blue = fill(all_pink, BLUE, merge(bent_once))
    output = fill(with_blue, RED, merge(through))
    return output


def solve_f76d97a5(I):
    """The gray cells take on the grid's other color, and whatever had that color before
    is emptied.
    """
    bright = other(palette(I), GRAY)
    emptied = replace(I, bright, BLACK)
    output = replace(emptied, GRAY, bright)
    return output
