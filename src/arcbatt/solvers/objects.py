# Something is done to connected objects, or one of them is chosen: recolouring, moving,
# filling, framing, removing noise.


def solve_00d62c1b(I):
    """Every place that green walls shut in is filled with yellow."""
    gaps = colorfilter(objects(I, T, F, F), BLACK)
    outside = mfilter(gaps, rbind(bordering, I))
    inside = difference(ofcolor(I, BLACK), toindices(outside))
    output = fill(I, YELLOW, inside)
    return output


def solve_05f2a901(I):
    """The red shape slides towards the cyan square until it touches it."""
    shape_cells = recolor(RED, ofcolor(I, RED))
    way = gravitate(shape_cells, ofcolor(I, CYAN))
    output = move(I, shape_cells, way)
    return output


def solve_1caeab9d(I):
    """The red and the yellow shape move up or down until all stand level with the blue one."""
    shapes = fgpartition(I)
    level = uppermost(ofcolor(I, BLUE))
    way_to_level = chain(toivec, lbind(subtract, level), uppermost)
    moved = mapply(fork(shift, identity, way_to_level), shapes)
    output = paint(cover(I, merge(shapes)), moved)
    return output


def solve_543a7ed5(I):
    """Every pink shape gets a green frame around it, and its holes are filled with yellow."""
    shapes = objects(I, T, F, T)
    in_frames = fill(I, GREEN, mapply(outbox, shapes))
    output = fill(in_frames, YELLOW, mapply(delta, shapes))
    return output


def solve_67385a82(I):
    """Green shapes of three or more cells turn cyan."""
    # Green may be the commonest colour, so no background is left out.
    shapes = colorfilter(objects(I, T, F, F), GREEN)
    big = mfilter(shapes, compose(rbind(greater, TWO), size))
    output = fill(I, CYAN, big)
    return output


def solve_6c434453(I):
    """Every closed blue ring turns into a red plus sign in the same place."""
    # A ring is the only shape here with eight cells.
    rings = sizefilter(objects(I, T, F, T), EIGHT)
    middles = apply(center, rings)
    pluses = combine(middles, mapply(dneighbors, middles))
    output = fill(cover(I, merge(rings)), RED, pluses)
    return output


def solve_7f4411dc(I):
    """Loose cells are noise and go, also where they touch a rectangle; the rectangles stay."""
    hue = other(palette(I), BLACK)
    # A cell belongs to a rectangle if it is part of a two by two block.
    block = asindices(canvas(hue, TWO_BY_TWO))
    places = occurrences(I, recolor(hue, block))
    rectangles = mapply(lbind(shift, block), places)
    output = fill(canvas(BLACK, shape(I)), hue, rectangles)
    return output


def solve_810b9b61(I):
    """Blue shapes that close around a hole turn green; open ones stay blue."""
    regions = objects(I, T, F, F)
    gaps = colorfilter(regions, BLACK)
    enclosed = difference(merge(gaps), mfilter(gaps, rbind(bordering, I)))
    closed = mfilter(colorfilter(regions, BLUE), rbind(adjacent, enclosed))
    output = fill(I, GREEN, closed)
    return output


def solve_a61f2674(I):
    """Of the gray bars the longest turns blue and the shortest red; the others vanish."""
    bars = objects(I, T, F, T)
    cleared = cover(I, merge(bars))
    with_longest = fill(cleared, BLUE, argmax(bars, size))
    output = fill(with_longest, RED, argmin(bars, size))
    return output


def solve_b230c067(I):
    """Two of the three shapes are the same and turn blue; the odd one out turns red."""
    shapes = objects(I, T, T, T)
    odd_form = leastcommon(apply(normalize, totuple(shapes)))
    odd = extract(shapes, matcher(normalize, odd_form))
    output = fill(replace(I, CYAN, BLUE), RED, odd)
    return output
