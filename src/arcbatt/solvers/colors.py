# Colour logic: panels laid over each other, colour maps, swaps, common and rare colours.


def solve_0d3d703e(I):
    """Every colour has a partner that it changes places with: green and yellow, blue and
    gray, red and magenta, cyan and brown.
    """
    green_yellow = switch(I, GREEN, YELLOW)
    blue_gray = switch(green_yellow, BLUE, GRAY)
    red_magenta = switch(blue_gray, RED, MAGENTA)
    output = switch(red_magenta, CYAN, BROWN)
    return output


def solve_2204b7a8(I):
    """Green dots lie between two lines; each takes the colour of the line nearer to it."""
    full_lines = frontiers(I)
    lines = difference(full_lines, colorfilter(full_lines, BLACK))
    dots = apply(initset, ofcolor(I, GREEN))
    nearest = compose(lbind(argmin, lines), lbind(lbind, manhattan))
    output = paint(I, mapply(fork(recolor, compose(color, nearest), identity), dots))
    return output


def solve_272f95fa(I):
    """Of the nine fields the middle one turns pink, the one above it red, below it blue, left
    of it yellow, right of it green.
    """
    fields = colorfilter(objects(I, T, F, F), BLACK)
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
    """Blue cells within the box of the cyan ones turn green."""
    area = backdrop(ofcolor(I, CYAN))
    output = fill(I, GREEN, intersection(ofcolor(I, BLUE), area))
    return output


def solve_3428a4f5(I):
    """The halves above and below the bar are compared: a cell is green where one of them is
    coloured and the other is not.
    """
    top_empty = ofcolor(tophalf(I), BLACK)
    bottom_empty = ofcolor(bottomhalf(I), BLACK)
    only_one = difference(combine(top_empty, bottom_empty), intersection(top_empty, bottom_empty))
    output = fill(canvas(BLACK, shape(tophalf(I))), GREEN, only_one)
    return output


def solve_4be741c5(I):
    """The colours of the ragged bands in their order: a row for bands side by side, a column
    for bands one above the other.
    """
    bands = partition(I)
    colors = apply(color, order(bands, ulcorner))
    row = repeat(colors, ONE)
    stacked = equality(size(apply(leftmost, bands)), ONE)
    output = branch(stacked, dmirror(row), row)
    return output


def solve_5582e5ca(I):
    """The whole grid takes its commonest colour."""
    output = canvas(mostcolor(I), shape(I))
    return output


def solve_77fdfe62(I):
    """The pattern inside the blue lines is kept, each quarter in the colour of the corner next
    to it.
    """
    pattern = trim(trim(I))
    # Steps this wide meet the four corner cells and no others.
    corner_hues = downscale(I, decrement(width(I)))
    quarters = upscale(corner_hues, halve(width(pattern)))
    output = fill(quarters, BLACK, ofcolor(pattern, BLACK))
    return output


def solve_85c4e7cd(I):
    """The colours of the nested rings change places: outermost with innermost and so on."""
    rings = order(objects(I, T, F, F), ulcorner)
    reversed_colors = apply(color, hmirror(rings))
    output = paint(I, mpapply(recolor, reversed_colors, rings))
    return output


def solve_9565186b(I):
    """The commonest colour stays; all the other cells turn gray."""
    common = ofcolor(I, mostcolor(I))
    others = difference(asindices(I), common)
    output = fill(I, GRAY, others)
    return output


def solve_99b1bc43(I):
    """The halves above and below the yellow bar are compared: a cell is green where one of
    them is coloured and the other is not.
    """
    blue = ofcolor(tophalf(I), BLUE)
    red = ofcolor(bottomhalf(I), RED)
    only_one = difference(combine(blue, red), intersection(blue, red))
    output = fill(canvas(BLACK, shape(tophalf(I))), GREEN, only_one)
    return output


def solve_a68b268e(I):
    """The four panels are laid over each other, in reading order: the upper left one on top,
    the lower right one at the bottom.
    """
    panels = mapply(rbind(hsplit, TWO), vsplit(I, TWO))
    colored_cells = compose(rbind(sfilter, first), asobject)
    lower_two = paint(last(panels), colored_cells(get_nth(panels, TWO)))
    lower_three = paint(lower_two, colored_cells(second(panels)))
    output = paint(lower_three, colored_cells(first(panels)))
    return output


def solve_aabf363d(I):
    """The shape takes the colour of the single cell in the corner, which goes."""
    corner_hue = index(I, llcorner(asindices(I)))
    shape_hue = other(remove(BLACK, palette(I)), corner_hue)
    output = replace(replace(I, corner_hue, BLACK), shape_hue, corner_hue)
    return output


def solve_b1948b0a(S, I):
    """One colour is put for another: the colour that leaves in the demos becomes the one
    that arrives there.
    """
    leaving = c_iz_n(S, p_g, first)
    arriving = c_zo_n(S, p_g, first)
    output = replace(I, leaving, arriving)
    return output


def solve_b6afb2da(I):
    """Every gray rectangle gets yellow sides and blue corners, and turns red inside."""
    rectangles = colorfilter(objects(I, T, F, F), GREY)
    with_sides = fill(replace(I, GREY, RED), YELLOW, mapply(box, rectangles))
    output = fill(with_sides, BLUE, mapply(corners, rectangles))
    return output


def solve_b94a9452(I):
    """The square is cut out, and its outer and inner colour change places."""
    square_cut = subgrid(first(objects(I, F, T, T)), I)
    outer = index(square_cut, ORIGIN)
    inner = other(palette(square_cut), outer)
    output = switch(square_cut, outer, inner)
    return output


def solve_bda2d7a6(I):
    """The rings pass their colours on inwards: each colour becomes the one around it, and
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
    """Gray cells take the colour that stands at the left end of their row."""
    left_column = crop(I, ORIGIN, astuple(height(I), ONE))
    row_colors = hupscale(left_column, width(I))
    output = paint(I, toobject(ofcolor(I, GRAY), row_colors))
    return output


def solve_ce4f8723(I):
    """The halves above and below the bar are laid over each other: a cell is green where
    either of them is coloured.
    """
    top = tophalf(I)
    empty_in_both = intersection(ofcolor(top, BLACK), ofcolor(bottomhalf(I), BLACK))
    output = fill(canvas(GREEN, shape(top)), BLACK, empty_in_both)
    return output


def solve_cf98881b(I):
    """Three panels stand side by side and are stacked: yellow lies on top, brown below it,
    blue at the bottom.
    """
    panels = hsplit(I, THREE)
    blue_below = last(panels)
    brown_on_it = fill(blue_below, BROWN, ofcolor(second(panels), BROWN))
    output = fill(brown_on_it, YELLOW, ofcolor(first(panels), YELLOW))
    return output


def solve_d406998b(I):
    """In every other column, the last one and then leftwards, gray turns green."""
    last_column = decrement(width(I))
    columns = interval(last_column, NEG_ONE, NEG_TWO)
    rows = interval(ZERO, height(I), ONE)
    output = fill(I, GREEN, intersection(ofcolor(I, GREY), product(rows, columns)))
    return output


def solve_d4469b4b(I):
    """The colour says where a gray row and a gray column cross in a square of three: red at
    the middle of the top, blue in the middle, green in the lower right corner.
    """
    hue = other(palette(I), BLACK)
    blue_or_green = branch(equality(hue, BLUE), UNITY, TWO_BY_TWO)
    crossing = branch(equality(hue, RED), RIGHT, blue_or_green)
    cross = combine(hfrontier(crossing), vfrontier(crossing))
    output = fill(canvas(BLACK, THREE_BY_THREE), GRAY, cross)
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
    output = fill(fill(I, CYAN, met_greens), BLACK, met_reds)
    return output


def solve_ddf7fa4f(I):
    """Every gray rectangle takes the colour of the dot above it."""
    rectangles = colorfilter(objects(I, T, F, F), GREY)
    dots = difference(objects(I, T, F, T), rectangles)
    dot_above = compose(lbind(extract, dots), lbind(lbind, vmatching))
    colored = mapply(fork(recolor, compose(color, dot_above), identity), rectangles)
    output = paint(I, colored)
    return output


def solve_e509e548(I):
    """Green strokes take a colour by their form: blue an L, pink a U or hook along the outline of
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
    """The gray cells take on the grid's other colour, and whatever had that colour before
    is emptied.
    """
    bright = other(palette(I), GRAY)
    emptied = replace(I, bright, BLACK)
    output = replace(emptied, GRAY, bright)
    return output


def solve_fafffa47(S, I):
    """The two halves are laid over each other. Cells that are empty in both get the colour
    that only the demo outputs have.
    """
    top = tophalf(I)
    bottom = bottomhalf(I)
    new_color = c_zo_n(S, p_g, first)
    empty_in_both = intersection(ofcolor(top, BLACK), ofcolor(bottom, BLACK))
    output = fill(canvas(BLACK, shape(top)), new_color, empty_in_both)
    return output
