# Templates: a shape that is there whole is completed, stamped or recolored elsewhere.


def solve_321b1fc6(I):
    """The shape of several colors is copied onto every cyan one of its form, and goes from its
    own place."""
    shapes = objects(I, F, F, T)
    not_blank = compose(flip, matcher(palette, initset(CYAN)))
    model = argmax(shapes, fork(astuple, numcolors, not_blank))
    places = apply(ulcorner, remove(model, shapes))
    copies = copies_at(normalize(model), places)
    output = paint(cover(I, model), copies)
    return output


def solve_39e1d7f9(I):
    """In the lattice one block has others around it; every other block of its color gets the
    same ones around it.
    """
    lines = frontiers(I)
    row_pitch = increment(valmin(sfilter(lines, hline), uppermost))
    column_pitch = increment(valmin(sfilter(lines, vline), leftmost))
    # Stretched so that blocks are squares.
    stretched = vupscale(hupscale(I, row_pitch), column_pitch)
    blocks = downscale(stretched, multiply(row_pitch, column_pitch))
    groups = objects(blocks, F, T, T)
    model = argmax(groups, size)
    hue = color(argmin(groups, size))
    middle_block = ulcorner(sfilter(model, matcher(first, hue)))
    around = shift(model, invert(middle_block))
    copied = paint(blocks, copies_at(around, ofcolor(blocks, hue)))
    full_size = crop(hupscale(vupscale(copied, row_pitch), column_pitch), ORIGIN, shape(I))
    output = paint(full_size, merge(lines))
    return output


def solve_3e980e27(I):
    """Two-colored shapes contain a green or a red cell. Each loose green dot becomes such a
    shape again, each loose red dot its mirror image.
    """
    shapes = objects(I, F, T, T)
    loose = merge(sizefilter(shapes, ONE))
    models = difference(shapes, sizefilter(shapes, ONE))
    is_green = matcher(first, GREEN)
    is_red = matcher(first, RED)
    green_model = mfilter(models, compose(lbind(contained, GREEN), palette))
    red_model = mapply(vmirror, sfilter(models, compose(lbind(contained, RED), palette)))
    from_green = rbind(subtract, ulcorner(sfilter(green_model, is_green)))
    from_red = rbind(subtract, ulcorner(sfilter(red_model, is_red)))
    green_ways = apply(from_green, toindices(sfilter(loose, is_green)))
    red_ways = apply(from_red, toindices(sfilter(loose, is_red)))
    with_green = paint(I, copies_at(green_model, green_ways))
    output = paint(with_green, copies_at(red_model, red_ways))
    return output


def solve_447fd412(I):
    """One shape is complete; wherever its marks stand alone, at its size or enlarged, the rest of
    the shape is added at that scale."""
    ground = mostcolor(I)
    parts = objects(I, F, T, T)
    model = argmax(parts, numcolors)
    lone = remove(model, parts)
    factors = interval(ONE, increment(valmax(lone, height)), ONE)
    scaled = apply(lbind(upscale, normalize(model)), factors)
    marks = rbind(sfilter, matcher(first, color(first(lone))))
    # Marks must have the ground all around, so that none is part of a larger one.
    near = chain(lbind(mapply, neighbors), toindices, marks)
    around = fork(difference, near, compose(toindices, marks))
    key = fork(combine, marks, compose(lbind(recolor, ground), around))
    blank = canvas(ground, add(shape(I), TWO))
    with_margin = paint(blank, shift(asobject(cover(I, model)), UNITY))
    places = chain(lbind(occurrences, with_margin), normalize, key)
    anchored = fork(shift, identity, chain(invert, ulcorner, key))
    copies = fork(copies_at, anchored, places)
    output = paint(I, shift(mapply(copies, scaled), NEG_UNITY))
    return output


def solve_57aa92db(I):
    """One shape is complete. The others, which may be larger, show only the key color that
    all have and one block beside it; each is completed likewise, in its size and color.
    """
    figures = objects(I, F, T, T)
    key = mostcommon(mapply(p_g, totuple(figures)))
    key_part = rbind(sfilter, matcher(first, key))
    model = argmax(figures, fork(divide, size, compose(size, key_part)))
    offset = subtract(ulcorner(model), ulcorner(key_part(model)))
    scale = compose(width, key_part)
    place = fork(add, compose(ulcorner, key_part), compose(lbind(multiply, offset), scale))
    enlarged = fork(shift, compose(lbind(upscale, normalize(model)), scale), place)
    hue = compose(rbind(other, key), palette)
    completed = paint(I, mapply(fork(recolor, hue, enlarged), figures))
    output = fill(completed, key, ofcolor(I, key))
    return output


def solve_6a1e5592(I):
    """The pieces go up into the gaps of the ceiling, each into one that its upper part just fills,
    so that no gap is left; they turn blue. The ceiling may also be at another edge.
    """
    ground = mostcolor(I)
    # Turned so that the ceiling, whose outermost row has no gaps, is at the top.
    turned = compose(lbind(mir_rot, I), lbind(add, THREE))
    has_ceiling = chain(flip, lbind(contained, ground), compose(first, turned))
    n_turns = extract((4, 1, 2, 3), has_ceiling)
    upright = turned(n_turns)
    hue = index(upright, ORIGIN)
    piece_hue = other(remove(hue, palette(I)), ground)
    top_shape = astuple(increment(lowermost(ofcolor(upright, hue))), width(upright))
    top_cells = asindices(canvas(hue, top_shape))
    parts = rbind(rbind(rbind(objects, F), F), T)
    cells_of = lbind(apply, toindices)
    top = rbind(rbind(crop, top_shape), ORIGIN)
    gaps = chain(cells_of, rbind(colorfilter, ground), compose(parts, top))
    pieces = chain(cells_of, rbind(colorfilter, piece_hue), parts)
    # Of a gap and a piece: the first cell of the piece comes to the first cell of the gap.
    way = fork(subtract, compose(first, first), compose(first, last))
    placed = fork(shift, last, way)
    fits = fork(equality, first, compose(lbind(intersection, top_cells), placed))
    for_first_gap = fork(product, chain(initset, first, gaps), pieces)
    in_blue = compose(lbind(recolor, BLUE), placed)
    change = fork(combine, compose(lbind(recolor, ground), last), in_blue)
    changes = compose(lbind(apply, change), compose(rbind(sfilter, fits), for_first_gap))
    fill_one_gap = lbind(mapply, fork(lbind(prapply, paint), initset, changes))
    filled = first(power(fill_one_gap, size(gaps(upright)))(initset(upright)))
    output = power(rot270, n_turns)(filled)
    return output


def solve_6aa20dc0(I):
    """One figure is complete; of the others only the two marked corners are there. They are
    completed as it is, mirrored and enlarged as the corners say.
    """
    figure = argmax(objects(I, F, T, T), numcolors)
    # Upside down, left to right, half a turn, as it is.
    turned = apply(lbind(mir_rot, subgrid(figure, I)), (0, 2, 5, 7))
    enlarged = prapply(upscale, turned, interval(ONE, SIX, ONE))
    without_filling = rbind(rbind(replace, mostcolor(I)), mostcolor(figure))
    corners_alone = compose(asobject, without_filling)
    places = compose(lbind(occurrences, cover(I, figure)), corners_alone)
    copies = fork(copies_at, asobject, places)
    output = paint(I, mapply(copies, enlarged))
    return output


def solve_72322fa7(I):
    """Shapes of two colors are whole; where only the cells of one of the colors stand,
    the shape is completed.
    """
    whole = sfilter(objects(I, F, T, T), compose(rbind(greater, ONE), numcolors))
    one_part = fork(sfilter, identity, chain(lbind(matcher, first), first, palette))
    other_part = fork(sfilter, identity, chain(lbind(matcher, first), last, palette))
    ways = fork(lbind(prapply, subtract), lbind(occurrences, I), compose(initset, ulcorner))
    all_ways = fork(combine, compose(ways, one_part), compose(ways, other_part))
    copies = compose(merge, fork(lbind(prapply, shift), initset, all_ways))
    output = paint(I, mapply(copies, whole))
    return output


def solve_776ffc46(I):
    """Shapes of the same form as the one in the closed frame take its color."""
    shapes = objects(I, T, F, T)
    frame = argmax(sfilter(shapes, is_outline), size)
    sample = not_of_color(toobject(delta(frame), I), mostcolor(I))
    form = compose(normalize, toindices)
    alike = mfilter(shapes, matcher(form, form(sample)))
    output = fill(I, color(sample), alike)
    return output


def solve_7df24a62(I):
    """A rectangle of one color holds some dots. Wherever the dots lie like that, also turned or
    mirrored, the rectangle is drawn around them; it may reach beyond the edge.
    """
    ground = mostcolor(I)
    hue = color(argmax(objects(I, T, F, T), size))
    sought = replace(subgrid(ofcolor(I, hue), I), hue, ground)
    two = insert(sought, initset(vmirror(sought)))
    four = combine(two, apply(hmirror, two))
    turned = combine(four, apply(rot90, four))
    with_margin = paint(canvas(ground, add(shape(I), TWO)), shift(asobject(I), UNITY))
    places = compose(lbind(occurrences, with_margin), asobject)
    found = mapply(fork(lbind(prapply, add), asindices, places), turned)
    output = underfill(I, hue, shift(found, NEG_UNITY))
    return output


def solve_88a10436(I):
    """The many-colored shape is stamped once more, with its middle on each mark."""
    stamp = argmax(objects(I, F, T, T), size)
    marks = difference(foreground(I), stamp)
    offsets = apply(rbind(subtract, center(stamp)), toindices(marks))
    output = paint(cover(I, marks), copies_at(stamp, offsets))
    return output


def solve_890034e9(I):
    """The frame is drawn once more around the other empty rectangle of the same size."""
    # Of the frame's color there is nothing but the outline of a rectangle.
    frame = extract(partition(I), is_outline)
    places = occurrences(I, toobject(delta(frame), I))
    output = paint(I, copies_at(normalize(frame), apply(decrement, places)))
    return output


def solve_90f3ed37(I):
    """The largest drawing runs to the edge; the others are beginnings of it, moved to the
    right or not, which blue cells carry on.
    """
    drawings = objects(I, T, T, T)
    whole = argmax(drawings, size)
    up_and_down = interval(invert(height(I)), height(I), ONE)
    ways = product(up_and_down, interval(ZERO, width(I), ONE))
    copies = apply(lbind(shift, toindices(whole)), ways)
    # A copy must not reach a gap in or beside the beginning, and should cover most of it.
    with_margins = compose(backdrop, fork(combine, rbind(shift, UP), rbind(shift, DOWN)))
    gaps = fork(difference, with_margins, toindices)
    avoids_gaps = chain(lbind(compose, flip), lbind(lbind, intersection), gaps)
    covered = chain(lbind(compose, size), lbind(lbind, intersection), toindices)
    best_copy = fork(argmax, compose(lbind(sfilter, copies), avoids_gaps), covered)
    carried_on = mapply(best_copy, remove(whole, drawings))
    output = fill(I, BLUE, difference(carried_on, toindices(merge(drawings))))
    return output


def solve_97a05b5b(I):
    """Each small piece has some of the big rectangle's color, which, turned, fits a hole in it; the
    piece goes there, and the rectangle is cut out."""
    ground = groundcolor(I)
    parts = objects_on(I, F, F, ground)
    big = argmax(parts, size)
    hue = mostcolor(big)
    pieces = apply(rbind(subgrid, I), remove(big, parts))
    turned = prapply(mir_rot, pieces, interval(FOUR, EIGHT, ONE))
    gap = rbind(ofcolor, hue)
    near = fork(combine, asindices, compose(lbind(mapply, dneighbors), gap))
    wall = fork(difference, near, gap)
    empty = compose(lbind(recolor, ground), gap)
    hole = fork(combine, compose(lbind(recolor, hue), wall), empty)
    places = chain(lbind(occurrences, I), normalize, hole)
    anchored = fork(shift, asobject, chain(invert, ulcorner, hole))
    output = subgrid(big, paint(I, mapply(fork(copies_at, anchored, places), turned)))
    return output


def solve_9aec4887(I):
    """The shape is put into the frame; each of its cells takes the color of the nearest side
    of the frame. Cells that are equally near to two sides keep their color.
    """
    figures = objects(I, F, T, T)
    frame = subgrid(argmax(figures, numcolors), I)
    shape_color = color(argmin(figures, numcolors))
    cells = shift(normalize(ofcolor(I, shape_color)), UNITY)
    # Black and the ground are exchanged, since colors spread over zeros.
    exchange = rbind(rbind(switch, BLACK), mostcolor(I))
    spread_out = chain(last, rbind(spread, ZERO), compose(lbind(astuple, ORIGIN), exchange))
    nearest = compose(exchange, spread_out)
    # Of equally near sides, turned around the other one comes first.
    nearest_turned = rot180(nearest(rot180(frame)))
    colors_inside = cellwise(nearest(frame), nearest_turned, shape_color)
    output = paint(frame, toobject(cells, colors_inside))
    return output


def solve_e6721834(I):
    """Shapes of the busier half go to the other half, where some of their cells are found again;
    those that fit nowhere, or in many places, are left out."""
    left_edge = apply(first, I)
    right_edge = apply(last, I)
    same_above = equality(first(left_edge), first(right_edge))
    stacked = either(same_above, equality(last(left_edge), last(right_edge)))
    halves = branch(stacked, vsplit(I, TWO), hsplit(I, TWO))
    target = argmin(halves, numcolors)
    shapes = objects(argmax(halves, numcolors), F, F, T)
    marks = rbind(sfilter, compose(rbind(contained, palette(target)), first))
    places = chain(lbind(occurrences, target), normalize, marks)
    fitting = sfilter(shapes, matcher(compose(size, places), ONE))
    way = fork(subtract, compose(first, places), compose(ulcorner, marks))
    output = paint(target, mapply(fork(shift, identity, way), fitting))
    return output


def solve_e76a88a6(I):
    """The gray blocks become copies of the one that has a pattern."""
    blocks = objects_on(I, F, F, groundcolor(I))
    pattern = argmax(blocks, numcolors)
    places = apply(ulcorner, remove(pattern, blocks))
    output = paint(I, copies_at(normalize(pattern), places))
    return output
