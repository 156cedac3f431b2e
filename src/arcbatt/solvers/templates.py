# Templates: a shape that is there whole is completed, stamped or recoloured elsewhere.


def solve_321b1fc6(I):
    """The coloured shape is copied onto every cyan one of its form, and goes from its own place."""
    blanks = colorfilter(objects(I, T, F, T), CYAN)
    model = first(objects(replace(I, CYAN, BLACK), F, T, T))
    copies = mapply(lbind(shift, normalize(model)), apply(ulcorner, blanks))
    output = paint(cover(I, model), copies)
    return output


def solve_39e1d7f9(I):
    """In the lattice one block has others around it; every other block of its colour gets the
    same ones around it.
    """
    lines = frontiers(I)
    pitch = increment(valmin(sfilter(lines, hline), uppermost))
    blocks = downscale(I, pitch)
    model = argmax(objects(blocks, F, T, T), size)
    middle_block = center(model)
    likes = ofcolor(blocks, index(blocks, middle_block))
    around = shift(model, invert(middle_block))
    copied = paint(blocks, mapply(lbind(shift, around), likes))
    full_size = crop(upscale(copied, pitch), ORIGIN, shape(I))
    output = paint(full_size, merge(lines))
    return output


def solve_3e980e27(I):
    """Two-coloured shapes contain a green or a red cell. Each loose green dot becomes such a
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
    with_green = paint(I, mapply(lbind(shift, green_model), green_ways))
    output = paint(with_green, mapply(lbind(shift, red_model), red_ways))
    return output


def solve_447fd412(I):
    """One shape is complete; wherever its marks stand alone, at its size or enlarged, the rest of
    the shape is added at that scale."""
    parts = objects(I, F, T, T)
    model = argmax(parts, numcolors)
    lone_marks = remove(model, parts)
    factors = interval(ONE, increment(valmax(lone_marks, height)), ONE)
    scaled = apply(lbind(upscale, normalize(model)), factors)
    marks = rbind(sfilter, matcher(first, color(first(lone_marks))))
    # Marks must have black all around, so that none is part of a larger one.
    near = chain(lbind(mapply, neighbors), toindices, marks)
    around = fork(difference, near, compose(toindices, marks))
    key = fork(combine, marks, compose(lbind(recolor, BLACK), around))
    places = chain(lbind(occurrences, cover(I, model)), normalize, key)
    anchored = fork(shift, identity, chain(invert, ulcorner, key))
    copies = fork(mapply, compose(lbind(lbind, shift), anchored), places)
    output = paint(I, mapply(copies, scaled))
    return output


def solve_57aa92db(I):
    """One shape is complete. The others, which may be larger, show only the key colour that
    all have and one block beside it; each is completed likewise, in its size and colour.
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


def solve_6aa20dc0(I):
    """One figure is complete; of the others only the two marked corners are there. They are
    completed as it is, mirrored and enlarged as the corners say.
    """
    figure = argmax(objects(I, F, T, T), numcolors)
    # Upside down, left to right, half a turn, as it is.
    turned = apply(lbind(mir_rot, subgrid(figure, I)), (0, 2, 5, 7))
    enlarged = apply(asobject, prapply(upscale, turned, interval(ONE, SIX, ONE)))
    variants = apply(rbind(sfilter, compose(flip, matcher(first, mostcolor(I)))), enlarged)
    marks = rbind(sfilter, compose(flip, matcher(first, mostcolor(figure))))
    places = compose(lbind(occurrences, I), marks)
    copies = fork(mapply, lbind(lbind, shift), places)
    output = paint(I, mapply(copies, variants))
    return output


def solve_72322fa7(I):
    """Shapes of two colours are whole; where only the cells of one of the colours stand,
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
    """Blue shapes of the same form as the one in the closed gray frame take its colour."""
    shapes = objects(I, T, F, T)
    frame = extract(colorfilter(shapes, GRAY), fork(equality, toindices, box))
    sample = sfilter(toobject(delta(frame), I), compose(positive, first))
    form = compose(normalize, toindices)
    alike = mfilter(colorfilter(shapes, BLUE), matcher(form, form(sample)))
    output = fill(I, color(sample), alike)
    return output


def solve_7df24a62(I):
    """A blue rectangle holds some yellow dots. Wherever the dots lie like that, also turned or
    mirrored, the blue rectangle is drawn around them; it may reach beyond the edge.
    """
    sought = replace(subgrid(ofcolor(I, BLUE), I), BLUE, BLACK)
    two = insert(sought, initset(vmirror(sought)))
    four = combine(two, apply(hmirror, two))
    turned = combine(four, apply(rot90, four))
    with_margin = paint(canvas(BLACK, add(shape(I), TWO)), shift(asobject(I), UNITY))
    places = compose(lbind(occurrences, with_margin), asobject)
    found = mapply(fork(lbind(prapply, add), asindices, places), turned)
    output = underfill(I, BLUE, shift(found, NEG_UNITY))
    return output


def solve_890034e9(I):
    """The frame is drawn once more around the other black rectangle of the same size."""
    # Of the frame's colour there is nothing but the outline of a rectangle.
    frame = extract(partition(I), fork(equality, toindices, box))
    places = occurrences(I, recolor(BLACK, delta(frame)))
    frame_around = compose(lbind(shift, normalize(frame)), decrement)
    output = paint(I, mapply(frame_around, places))
    return output


def solve_90f3ed37(I):
    """The largest drawing runs to the edge; the others are beginnings of it, moved to the
    right or not, which blue cells carry on.
    """
    drawings = objects(I, T, T, T)
    whole = argmax(drawings, size)
    row_below = compose(rbind(subtract, uppermost(whole)), uppermost)
    ways = chain(rbind(product, interval(ZERO, width(I), ONE)), initset, row_below)
    copies = compose(lbind(lbind(prapply, shift), initset(toindices(whole))), ways)
    # A copy must not reach a gap of the beginning, and should cover as much of it as it can.
    avoids_gaps = chain(lbind(compose, flip), lbind(lbind, intersection), delta)
    covered = chain(lbind(compose, size), lbind(lbind, intersection), toindices)
    best_copy = fork(argmax, fork(sfilter, copies, avoids_gaps), covered)
    carried_on = mapply(best_copy, remove(whole, drawings))
    output = fill(I, BLUE, difference(carried_on, toindices(merge(drawings))))
    return output


def solve_97a05b5b(I):
    """The red in each small piece, turned, fits a hole in the big red rectangle; the
    piece goes there, and the rectangle is cut out."""
    parts = objects(I, F, F, T)
    big = argmax(parts, size)
    pieces = apply(rbind(subgrid, I), remove(big, parts))
    turned = prapply(mir_rot, pieces, interval(FOUR, EIGHT, ONE))
    gap = rbind(ofcolor, RED)
    near = fork(combine, asindices, compose(lbind(mapply, dneighbors), gap))
    wall = fork(difference, near, gap)
    hole = fork(combine, compose(lbind(recolor, RED), wall), compose(lbind(recolor, BLACK), gap))
    places = chain(lbind(occurrences, I), normalize, hole)
    anchored = fork(shift, asobject, chain(invert, ulcorner, hole))
    copies = fork(mapply, compose(lbind(lbind, shift), anchored), places)
    output = subgrid(big, paint(I, mapply(copies, turned)))
    return output


def solve_9aec4887(I):
    """The shape is put into the frame; each of its cells takes the colour of the nearest side
    of the frame, those on the diagonals keep theirs.
    """
    figures = objects(I, F, T, T)
    frame = subgrid(argmax(figures, numcolors), I)
    shape_color = color(argmin(figures, numcolors))
    cells = shift(normalize(ofcolor(I, shape_color)), UNITY)
    area = asindices(frame)
    falling = connect(ulcorner(area), lrcorner(area))
    rising = connect(llcorner(area), urcorner(area))
    nearest_side = last(spread(astuple(ORIGIN, frame), ZERO))
    colors_inside = fill(nearest_side, shape_color, combine(falling, rising))
    output = paint(frame, toobject(cells, colors_inside))
    return output


def solve_e6721834(I):
    """Shapes of the busier half go to the other half, where the cells that are not of their main
    colour are found again; those that fit nowhere, or in many places, are left out."""
    halves = branch(portrait(I), vsplit(I, TWO), hsplit(I, TWO))
    target = argmin(halves, numcolors)
    shapes = objects(argmax(halves, numcolors), F, F, T)
    marks = fork(difference, identity, fork(recolor, mostcolor, identity))
    places = chain(lbind(occurrences, target), normalize, marks)
    fitting = sfilter(shapes, matcher(compose(size, places), ONE))
    way = fork(subtract, compose(first, places), compose(ulcorner, marks))
    output = paint(target, mapply(fork(shift, identity, way), fitting))
    return output


def solve_e76a88a6(I):
    """The gray blocks become copies of the one that has a pattern."""
    blocks = objects(I, F, F, T)
    pattern = argmax(blocks, numcolors)
    places = apply(ulcorner, remove(pattern, blocks))
    output = paint(I, mapply(lbind(shift, normalize(pattern)), places))
    return output
