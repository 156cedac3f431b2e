# Something is done to connected objects, or one of them is chosen: recoloring, moving,
# filling, framing, removing noise.


def solve_025d127b(I):
    """Each slanted shape moves one step to the right, but its bottom row and its rightmost
    column stay.
    """
    shapes = objects(I, T, T, T)
    without_last = fork(difference, identity, rbind(shift, NEG_UNITY))
    last_row_and_column = compose(without_last, backdrop)
    staying = fork(intersection, toindices, last_row_and_column)
    moving = fork(difference, toindices, last_row_and_column)
    straightened = fork(combine, staying, compose(rbind(shift, RIGHT), moving))
    drawn = mapply(fork(recolor, color, straightened), shapes)
    output = paint(cover(I, merge(shapes)), drawn)
    return output


def solve_05f2a901(I):
    """The shape slides toward the square until it touches it."""
    things = fgpartition(I)
    block = extract(things, square)
    shape_cells = other(things, block)
    output = move(I, shape_cells, gravitate(shape_cells, block))
    return output


def solve_0e206a2e(I):
    """Shapes of a filling color and three other cells are the models: each is moved, turned
    or mirrored, to where its three cells stand alone.
    """
    shapes = objects(I, F, T, T)
    # The filling is only in the models, the other colors also where they stand alone.
    filling = leastcommon(mapply(p_g, totuple(shapes)))
    models = sfilter(shapes, compose(lbind(contained, filling), palette))
    cleared = cover(I, merge(models))
    turned = combine(models, apply(dmirror, models))
    flipped = combine(turned, apply(hmirror, turned))
    variants = combine(flipped, apply(vmirror, flipped))
    marks = rbind(not_of_color, filling)
    places = compose(lbind(occurrences, cleared), marks)
    from_marks = chain(lbind(rbind, subtract), ulcorner, marks)
    copies = fork(copies_at, identity, fork(apply, from_marks, places))
    output = paint(cleared, mapply(copies, variants))
    return output


def solve_137eaa0f(I):
    """Every shape has a cell of the same color; all are laid over each other so that these cells
    meet.
    """
    # Shapes in loose parts, which generated pairs may have, are more than the task shows.
    shapes = objects_t(I, F, T, T)
    shared = mostcommon(mapply(p_g, shapes))
    shared_place = compose(ulcorner, rbind(sfilter, matcher(first, shared)))
    way = compose(invert, shared_place)
    together = normalize(merge(apply(fork(shift, identity, way), shapes)))
    output = paint(canvas(mostcolor(I), shape(together)), together)
    return output


def solve_1caeab9d(I):
    """All shapes move up or down until they stand level with the blue one."""
    shapes = objects(I, T, T, T)
    level = uppermost(ofcolor(I, BLUE))
    way_to_level = chain(toivec, lbind(subtract, level), uppermost)
    moved = mapply(fork(shift, identity, way_to_level), shapes)
    output = paint(cover(I, merge(shapes)), moved)
    return output


def solve_22233c11(I):
    """Two squares that touch by a corner get two cyan ones of their size, past the empty
    corners of their common box.
    """
    shapes = objects(I, T, T, T)
    square_size = compose(halve, height)
    diagonals = rbind(lbind(prapply, multiply), ineighbors(ORIGIN))
    ways = chain(diagonals, initset, square_size)
    gaps_moved = compose(merge, fork(lbind(prapply, shift), compose(initset, delta), ways))
    rows_and_columns = compose(lbind(mapply, cross_at), toindices)
    # Only what has neither a row nor a column in common with the two is past a corner.
    output = fill(I, CYAN, mapply(fork(difference, gaps_moved, rows_and_columns), shapes))
    return output


def solve_25ff71a9(I):
    """The shape moves one row down."""
    ground = index(I, llcorner(asindices(I)))
    output = paint(canvas(ground, shape(I)), shift(asobject(I), DOWN))
    return output


def solve_36d67576(I):
    """One shape is complete; the others, turned or mirrored, have only some of its colors
    and get the rest.
    """
    # Shapes that touch each other, as in generated pairs, are not told apart.
    shapes = objects(I, F, T, T)
    model = initset(argmax(shapes, size))
    known_colors = palette(argmin(shapes, size))
    turned = combine(model, apply(dmirror, model))
    flipped = combine(turned, apply(hmirror, turned))
    variants = combine(flipped, apply(vmirror, flipped))
    known = rbind(sfilter, compose(rbind(contained, known_colors), first))
    places = compose(lbind(occurrences, I), known)
    from_known = chain(lbind(rbind, subtract), ulcorner, known)
    copies = fork(copies_at, identity, fork(apply, from_known, places))
    output = paint(I, mapply(copies, variants))
    return output


def solve_36fdfd69(I):
    """Cells of the rarest color that are at most one cell apart form a group; what else lies in
    the box around a group turns yellow.
    """
    rare = ofcolor(I, leastcolor(I))
    # Blown up to two by two cells, those of a group touch.
    thick = copies_at(rare, asindices(canvas(RED, TWO_BY_TWO)))
    thick_grid = fill(canvas(BLACK, shape(I)), RED, thick)
    groups = parts_of(thick_grid, RED, T)
    rare_of_group = compose(lbind(intersection, rare), toindices)
    output = fill(I, YELLOW, mapply(compose(delta, rare_of_group), groups))
    return output


def solve_3aa6fb7a(I):
    """Each corner piece gets a blue cell where its square is not complete."""
    corner_pieces = objects(I, T, F, T)
    output = fill(I, BLUE, mapply(delta, corner_pieces))
    return output


def solve_3befdf3e(I):
    """The two colors of each square change places, and on all four sides the square grows an
    arm in the outer color, as long as its inside is wide.
    """
    squares = objects(I, F, F, T)
    outer_hue = chain(color, rbind(toobject, I), corners)
    inner_hue = chain(color, rbind(toobject, I), inbox)
    inside_width = compose(rbind(subtract, TWO), width)
    four_ways = chain(rbind(apply, dneighbors(ORIGIN)), lbind(lbind, multiply), inside_width)
    reach = fork(combine, backdrop, fork(lbind(prapply, add), backdrop, four_ways))
    crosses = mapply(fork(recolor, outer_hue, reach), squares)
    rings = mapply(fork(recolor, inner_hue, box), squares)
    output = paint(paint(I, crosses), rings)
    return output


def solve_42a50994(I):
    """Cells that touch no other cell, not even with a corner, are noise and go."""
    loose = sizefilter(objects(I, F, T, T), ONE)
    output = cover(I, merge(loose))
    return output


def solve_5168d44c(I):
    """A ring lies around one of the dots in a line; it moves on to the next dot, to the
    right or down.
    """
    # Generated rings may be cut off by the edge and appear whole; no ring of the task is.
    dot_hue = mostcommon(apply(color, objects_t(I, T, F, T)))
    dots = order(parts_of(I, dot_hue, F), ulcorner)
    ring = not_of_color(foreground(I), dot_hue)
    to_next_dot = subtract(ulcorner(second(dots)), ulcorner(first(dots)))
    output = move(I, ring, to_next_dot)
    return output


def solve_543a7ed5(I):
    """Every pink shape gets a green frame around it, and its holes are filled with yellow."""
    shapes = objects_on(I, T, F, groundcolor(I))
    in_frames = fill(I, GREEN, mapply(outbox, shapes))
    output = fill(in_frames, YELLOW, mapply(delta, shapes))
    return output


def solve_60b61512(I):
    """The box of every shape is filled up with orange."""
    shapes = objects(I, T, T, T)
    output = fill(I, ORANGE, mapply(delta, shapes))
    return output


def solve_63613498(I):
    """A shape stands in a corner that lines cut off; the same shape elsewhere takes their color."""
    line_hue = color(argmax(objects(I, T, F, T), compose(size, delta)))
    corner_area = delta(ofcolor(I, line_hue))
    model = difference(corner_area, ofcolor(I, mostcolor(I)))
    outline = compose(normalize, toindices)
    alike = mfilter(objects(I, T, T, T), matcher(outline, normalize(model)))
    output = fill(I, line_hue, difference(toindices(alike), model))
    return output


def solve_67385a82(I):
    """Shapes of three or more cells turn cyan."""
    # Shapes on black may have more cells than the ground, as green ones may on any color.
    green_or_rarer = branch(contained(GREEN, palette(I)), GREEN, leastcolor(I))
    hue = branch(contained(BLACK, palette(I)), other(palette(I), BLACK), green_or_rarer)
    shapes = parts_of(I, hue, F)
    big = mfilter(shapes, compose(rbind(greater, TWO), size))
    output = fill(I, CYAN, big)
    return output


def solve_681b3aeb(I):
    """The two pieces are put together so that they fill a square."""
    pieces = apply(normalize, fgpartition(I))
    n_cells = size(foreground(I))
    side = extract(interval(ONE, TEN, ONE), matcher(fork(multiply, identity, identity), n_cells))
    whole = canvas(BLACK, astuple(side, side))
    first_places = apply(lbind(shift, first(pieces)), asindices(whole))
    second_places = apply(lbind(shift, last(pieces)), asindices(whole))
    joined = prapply(combine, first_places, second_places)
    fitting = extract(joined, matcher(toindices, asindices(whole)))
    output = paint(whole, fitting)
    return output


def solve_6c434453(I):
    """Every closed ring of eight cells turns into a red plus sign in the same place."""
    form = compose(toindices, normalize)
    rings = sfilter(objects(I, T, F, T), matcher(form, neighbors(UNITY)))
    middles = apply(center, rings)
    pluses = combine(middles, mapply(dneighbors, middles))
    output = fill(cover(I, merge(rings)), RED, pluses)
    return output


def solve_6d75e8bb(I):
    """The shape is filled up with red to a full rectangle."""
    shape_cells = not_of_color(I, groundcolor(I))
    output = fill(I, RED, delta(shape_cells))
    return output


def solve_7e0986d6(I):
    """Single cells of another color are noise: inside a rectangle they take its color, outside
    they go.
    """
    ground = groundcolor(I)
    hue = color(argmax(objects_on(I, T, F, ground), size))
    noise_hue = first(remove(hue, remove(ground, palette(I))))
    # Inside, a cell has neighbors in the rectangle both in its row and in its column.
    in_row = fork(combine, rbind(shift, LEFT), rbind(shift, RIGHT))
    in_column = fork(combine, rbind(shift, UP), rbind(shift, DOWN))
    flanked = compose(fork(intersection, in_row, in_column), rbind(ofcolor, hue))
    inside = fork(intersection, rbind(ofcolor, noise_hue), flanked)
    mend = fork(paint, identity, compose(lbind(recolor, hue), inside))
    # Over again, for noise whose neighbors were noise.
    output = replace(power(mend, FOUR)(I), noise_hue, ground)
    return output


def solve_7f4411dc(I):
    """Loose cells are noise and go, also where they touch a rectangle; the rectangles stay."""
    ground = groundcolor(I)
    hue = other(palette(I), ground)
    # A cell belongs to a rectangle if it is part of a two by two block.
    block = asindices(canvas(hue, TWO_BY_TWO))
    places = occurrences(I, recolor(hue, block))
    rectangles = copies_at(block, places)
    output = fill(canvas(ground, shape(I)), hue, rectangles)
    return output


def solve_810b9b61(I):
    """Shapes that close around a hole turn green; open ones stay as they are."""
    around_holes = mapply(dneighbors, enclosed_cells(I, mostcolor(I)))
    has_hole = compose(lbind(intersection, around_holes), toindices)
    output = fill(I, GREEN, mfilter(objects(I, T, F, T), has_hole))
    return output


def solve_91714a58(I):
    """Only the one large rectangle stays; all noise goes, also where it touches it."""
    ground = groundcolor(I)
    empty = canvas(ground, shape(I))
    # A cell can belong to a rectangle if it is part of a two by two block of its color.
    block_of = rbind(recolor, asindices(canvas(ground, TWO_BY_TWO)))
    wherever_it_is = fork(copies_at, identity, lbind(occurrences, I))
    solid_cells = mapply(compose(wherever_it_is, block_of), remove(ground, palette(I)))
    solid_part = argmax(objects_on(paint(empty, solid_cells), T, F, ground), size)
    cells = toindices(solid_part)
    # Of it, the largest full rectangle: its sides lie where the part ends somewhere.
    ends = compose(lbind(difference, cells), lbind(shift, cells))
    rows = apply(first, combine(ends(UP), ends(DOWN)))
    columns = apply(last, combine(ends(LEFT), ends(RIGHT)))
    rectangles = apply(backdrop, prapply(astuple, product(rows, columns), product(rows, columns)))
    full = sfilter(rectangles, compose(flip, rbind(difference, cells)))
    output = fill(empty, color(solid_part), argmax(full, size))
    return output


def solve_952a094c(I):
    """The four dots in the corners inside a frame jump out of it, each to the opposite corner."""
    frame = foreground(I)
    inner_corners = order(corners(inbox(frame)), identity)
    outer_corners = order(corners(outbox(frame)), identity)
    # The first corner gets the last dot's color, and so on.
    hues = apply(lbind(index, I), hmirror(inner_corners))
    dots = mpapply(recolor, hues, apply(initset, outer_corners))
    output = paint(cover(I, inner_corners), dots)
    return output


def solve_a1570a43(I):
    """The shape moves to where the four corners enclose it."""
    ground = groundcolor(I)
    things = remove(toobject(ofcolor(I, ground), I), partition(I))
    just_corners = sfilter(things, fork(equality, toindices, corners))
    enclosing = argmax(just_corners, compose(size, backdrop))
    moved = other(things, enclosing)
    way = subtract(increment(ulcorner(enclosing)), ulcorner(moved))
    output = paint(fill(I, ground, moved), shift(moved, way))
    return output


def solve_a61ba2ce(I):
    """The four corner pieces are put together to a ring, each in the corner that it fits."""
    pieces = apply(normalize, objects(I, T, F, T))
    # A piece lies in the corner opposite to the corner that its box lacks.
    lacking = chain(sign, first, fork(difference, corners, toindices))
    piece_that = compose(lbind(extract, pieces), lbind(matcher, lacking))
    upper_left = piece_that(UNITY)
    n_rows = add(height(upper_left), height(piece_that(RIGHT)))
    n_columns = add(width(upper_left), width(piece_that(DOWN)))
    whole = astuple(n_rows, n_columns)
    free = compose(lbind(subtract, whole), shape)
    place = fork(multiply, free, compose(lbind(subtract, UNITY), lacking))
    ring = mapply(fork(shift, identity, place), pieces)
    output = paint(canvas(mostcolor(I), whole), ring)
    return output


def solve_a61f2674(I):
    """Of the bars, which all stand on one edge, the longest turns blue and the shortest red;
    the others vanish.
    """
    cells = toindices(foreground(I))
    ground = ofcolor(I, mostcolor(I))
    # Toward the edge that they stand on, there is no ground below a bar.
    ground_below = chain(size, lbind(intersection, ground), lbind(shift, cells))
    to_edge = argmin(dneighbors(ORIGIN), ground_below)
    # Bars may stand side by side.
    across = branch(first(to_edge), vfrontier, hfrontier)
    bars = apply(compose(lbind(intersection, cells), across), cells)
    with_longest = fill(cover(I, cells), BLUE, argmax(bars, size))
    output = fill(with_longest, RED, argmin(bars, size))
    return output


def solve_a79310a0(I):
    """The shape moves one down and turns red."""
    shape_cells = foreground(I)
    output = fill(cover(I, shape_cells), RED, shift(shape_cells, DOWN))
    return output


def solve_a8c38be5(I):
    """The colored corners and wedges are put together on a gray nine by nine square, each at
    the side or corner it fits.
    """
    square_hue = get_color_rank(I, ONE)
    parts = objects(replace(I, square_hue, mostcolor(I)), T, F, T)
    # A part faces away from the cells that its box has and it has not.
    middle_twice = fork(add, ulcorner, lrcorner)
    way = compose(sign, fork(subtract, middle_twice, compose(middle_twice, delta)))
    room = compose(lbind(subtract, NINE), shape)
    place = compose(halve, fork(multiply, compose(increment, way), room))
    placed = mapply(fork(shift, normalize, place), parts)
    output = paint(canvas(square_hue, (9, 9)), placed)
    return output


def solve_a8d7556c(I):
    """Squares of two by two cells in the rarer color turn red, but for one whose left corners
    both belong to other such squares that reach beyond it.
    """
    hue = leastcolor(I)
    block = asindices(canvas(hue, TWO_BY_TWO))
    places = occurrences(I, recolor(hue, block))
    pinned = intersection(shift(places, UNITY), shift(places, UP_RIGHT))
    output = fill(I, RED, copies_at(block, difference(places, pinned)))
    return output


def solve_b230c067(I):
    """All shapes but one are the same and turn blue; the odd one out turns red."""
    shapes = objects(I, T, T, T)
    odd_form = leastcommon(apply(normalize, totuple(shapes)))
    odd = extract(shapes, matcher(normalize, odd_form))
    output = fill(fill(I, BLUE, merge(shapes)), RED, odd)
    return output


def solve_bb43febb(I):
    """The inside of each rectangle turns red; its outline stays as it is."""
    rectangles = sfilter(objects(I, T, F, F), is_solid)
    output = fill(I, RED, mapply(inside_of, rectangles))
    return output


def solve_c8cbb738(I):
    """The cells of each color mark a figure; all figures are laid over each other, their middles
    in one place, in a square of the largest one's size."""
    figures = fgpartition(I)
    dims = astuple(valmax(figures, height), valmax(figures, width))
    way_to_middle = compose(lbind(subtract, halve(dims)), center)
    moved = mapply(fork(shift, identity, way_to_middle), figures)
    output = paint(canvas(mostcolor(I), dims), moved)
    return output


def solve_ce9e57f2(I):
    """The half of each bar next to the edge that all stand on turns cyan; a cell in the middle
    keeps its color.
    """
    bars = objects(I, T, F, T)
    cells = merge(bars)
    upright = branch(uppermost(cells), DOWN, UP)
    level = branch(leftmost(cells), RIGHT, LEFT)
    to_edge = branch(vline(argmax(bars, size)), upright, level)
    far_half = chain(halve, increment, size)
    moved = fork(shift, identity, compose(lbind(multiply, to_edge), far_half))
    near_halves = mapply(fork(intersection, identity, moved), bars)
    output = fill(I, CYAN, near_halves)
    return output


def solve_d2abd087(I):
    """Shapes of six cells turn red, all others blue."""
    shapes = objects(I, T, F, T)
    all_blue = fill(I, BLUE, merge(shapes))
    output = fill(all_blue, RED, merge(sizefilter(shapes, SIX)))
    return output
