# Tasks about symmetry: mirrors and turns, completing symmetric pictures, symmetric parts.


def solve_11852cab(I):
    """The figure is completed so that it looks the same from all four sides and mirrored."""
    given = foreground(I)
    left_right = combine(given, vmirror(given))
    upside_down = combine(left_right, hmirror(left_right))
    whole = combine(upside_down, dmirror(upside_down))
    output = paint(I, whole)
    return output


def solve_1b60fb0c(I):
    """A shape that looks the same after every quarter turn lacks one of its four arms; the arm
    is added in red.
    """
    given = ofcolor(I, leastcolor(I))
    quarter_turn = lbind(apply, fork(astuple, last, compose(invert, first)))
    turned = compose(normalize, quarter_turn)
    # Where the turned shape may lie so that both together fit into a square.
    lacking = subtract(height(given), width(given))
    opposite = add(ulcorner(given), multiply(lacking, DOWN_LEFT))
    places = corners(insert(ulcorner(given), initset(opposite)))
    completed = compose(lbind(combine, given), lbind(shift, turned(given)))
    looks_the_same = fork(equality, normalize, turned)
    whole = argmin(sfilter(apply(completed, places), looks_the_same), size)
    output = fill(I, RED, difference(whole, given))
    return output


def solve_2013d3e2(I):
    """The picture is made of four turned or mirrored quarters; only the upper left is kept."""
    picture = subgrid(foreground(I), I)
    output = lefthalf(tophalf(picture))
    return output


def solve_2bcee788(I):
    """The line beside the shape is a mirror: the shape is continued by its image on the side
    where the line is, the line is gone and the ground becomes green.
    """
    parts = fgpartition(I)
    line = argmin(parts, size)
    figure = other(parts, line)
    sideways = hmatching(figure, line)
    axis = branch(sideways, RIGHT, DOWN)
    image = branch(sideways, vmirror(figure), hmirror(figure))
    # One shape's height or width, toward the line.
    step = multiply(multiply(axis, position(figure, line)), shape(figure))
    ground = canvas(GREEN, shape(I))
    output = paint(paint(ground, figure), shift(image, step))
    return output


def solve_3345333e(I):
    """A block hides part of a figure that is its own mirror image; it is taken away and the
    figure is completed.
    """
    parts = fgpartition(I)
    block = extract(parts, is_solid)
    figure = other(parts, block)
    numbers = interval(-30, 30, ONE)
    sideways = prapply(shift, initset(vmirror(figure)), apply(tojvec, numbers))
    upside_down = prapply(shift, initset(hmirror(figure)), apply(toivec, numbers))
    # An image may show new cells only where the block has hidden them.
    room = toindices(merge(parts))
    has_room = chain(flip, rbind(difference, room), toindices)
    images = sfilter(combine(sideways, upside_down), has_room)
    image = argmax(images, compose(size, lbind(intersection, figure)))
    output = paint(cover(I, block), image)
    return output


def solve_3631a71a(I):
    """A symmetric picture is partly hidden by patches of one color; they are replaced by what
    the mirror images show.
    """
    # Mirrored over the diagonal, hardly anything but the patches moves.
    # Small generated pictures have further symmetries by chance; those of the task are large.
    cells = lbind(ofcolor, I)
    n_moved = compose(size, fork(difference, cells, lbind(ofcolor, dmirror(I))))
    hidden = argmax(palette(I), n_moved)
    output = close_symmetry(I, hidden, ZERO)
    return output


def solve_3af2c5a8(I):
    """The grid is unfolded to the right, then both downward, by mirroring."""
    wide = hconcat(I, vmirror(I))
    output = vconcat(wide, hmirror(wide))
    return output


def solve_3c9b0459(I):
    """The picture is turned upside down: half a turn."""
    output = rot180(I)
    return output


def solve_4290ef0e(I):
    """The colors form square rings, each the same when mirrored, some only partly seen; they
    are put into each other around one middle, and completed.
    """
    # Each ring is flipped so that its upper left corner is seen, if any is: there most
    # cells lie on the first row and column.
    views = chain(lbind(apply, normalize), rbind(lbind(prapply, mir_rot), (0, 1, 2, 3)), initset)
    edges = combine(shoot(ORIGIN, DOWN), shoot(ORIGIN, RIGHT))
    n_on_edges = chain(size, lbind(intersection, edges), toindices)
    rings = apply(compose(rbind(argmax, n_on_edges), views), fgpartition(I))
    # A gap in a side is in its middle.
    left_side = rbind(sfilter, matcher(compose(last, last), ZERO))
    middle_part = compose(fork(either, delta, toindices), left_side)
    n_rows = chain(increment, fork(add, uppermost, lowermost), middle_part)
    side = compose(maximum, fork(astuple, n_rows, compose(n_rows, dmirror)))
    n_wide = valmax(rings, side)
    depth = chain(halve, lbind(subtract, n_wide), side)
    placed = mapply(fork(shift, identity, fork(astuple, depth, depth)), rings)
    corner_drawn = paint(canvas(mostcolor(I), astuple(n_wide, n_wide)), placed)
    drawn = rbind(not_of_color, mostcolor(I))
    upper = paint(corner_drawn, drawn(vmirror(corner_drawn)))
    output = paint(upper, drawn(hmirror(upper)))
    return output


def solve_44f52bb0(I):
    """One blue cell if the picture is its own mirror image, an orange one if not."""
    symmetric = either(equality(I, vmirror(I)), equality(I, hmirror(I)))
    hue = branch(symmetric, BLUE, ORANGE)
    output = canvas(hue, UNITY)
    return output


def solve_46442a0e(I):
    """Four copies make a square, each a quarter turn on from the last, going round clockwise."""
    upper = hconcat(I, rot90(I))
    lower = hconcat(rot270(I), rot180(I))
    output = vconcat(upper, lower)
    return output


def solve_47c1f68c(I):
    """The cross goes; the shape in one quarter is mirrored into all four and takes the color
    of the cross.
    """
    cross_color = color(first(frontiers(I)))
    quarters = compress(I)
    shape_color = leastcolor(quarters)
    both_sides = fill(quarters, shape_color, ofcolor(vmirror(quarters), shape_color))
    all_four = fill(both_sides, shape_color, ofcolor(hmirror(both_sides), shape_color))
    output = replace(all_four, shape_color, cross_color)
    return output


def solve_4938f0c2(I):
    """The shape is mirrored across the square, sideways and up or down, so that there
    is one in each corner.
    """
    things = fgpartition(I)
    middle_square = argmax(sfilter(things, square), size)
    shape_cells = other(things, middle_square)
    # A frame around the square, far outside the grid: together with it, whatever lies
    # inside is mirrored about the square.
    far_frame = power(outbox, 30)
    in_frame = combine(far_frame(middle_square), toindices(shape_cells))
    two = combine(in_frame, vmirror(in_frame))
    four = combine(two, hmirror(two))
    output = underfill(I, color(shape_cells), four)
    return output


def solve_496994bd(I):
    """The stripes at the top are mirrored at the bottom (those at one side at the other)."""
    stripes = foreground(I)
    lying = equality(width(stripes), width(I))
    mirrored = branch(lying, hmirror(I), vmirror(I))
    output = paint(mirrored, stripes)
    return output


def solve_4c4377d9(I):
    """The grid, and above it its mirror image."""
    output = vconcat(hmirror(I), I)
    return output


def solve_4c5c2cf0(I):
    """A small diagonal cross is the middle of a symmetric picture, of which one quarter is
    given; it is mirrored left to right, upside down, and both.
    """
    colors = fgpartition(I)
    cross_form = insert(UNITY, ineighbors(UNITY))
    cross = extract(colors, matcher(compose(normalize, toindices), cross_form))
    quarter = other(colors, cross)
    way = subtract(double(center(cross)), add(ulcorner(quarter), lrcorner(quarter)))
    beside = shift(vmirror(quarter), tojvec(last(way)))
    below = shift(hmirror(quarter), toivec(first(way)))
    opposite = shift(vmirror(hmirror(quarter)), way)
    output = paint(I, combine(beside, combine(below, opposite)))
    return output


def solve_6150a2bd(I):
    """The grid is turned by half a turn."""
    output = rot180(I)
    return output


def solve_62c24649(I):
    """The grid is mirrored to the right, and the whole of that downward."""
    upper = hconcat(I, vmirror(I))
    output = vconcat(upper, hmirror(upper))
    return output


def solve_67a3c6ac(I):
    """The grid is mirrored, left for right."""
    output = vmirror(I)
    return output


def solve_67e8384a(I):
    """The picture is mirrored to the right, and both together are mirrored downward."""
    upper = hconcat(I, vmirror(I))
    output = vconcat(upper, hmirror(upper))
    return output


def solve_6855a6e4(I):
    """The shapes outside the brackets are mirrored into them, across the wall next
    to them.
    """
    colors = fgpartition(I)
    lacks_corners = fork(difference, corners, toindices)
    framing = sfilter(colors, compose(flip, lacks_corners))
    brackets = argmax(framing, compose(size, delta))
    walls = toindices(brackets)
    shapes = toindices(other(colors, brackets))
    upside_down = apply(lbind(multiply, (-1, 1)), shapes)
    sideways = apply(lbind(multiply, (1, -1)), shapes)
    # A mirror in row r takes row i to 2r - i; what does not land between the walls is none.
    over_top = shift(upside_down, toivec(double(uppermost(walls))))
    over_bottom = shift(upside_down, toivec(double(lowermost(walls))))
    over_left = shift(sideways, tojvec(double(leftmost(walls))))
    over_right = shift(sideways, tojvec(double(rightmost(walls))))
    images = combine(combine(over_top, over_bottom), combine(over_left, over_right))
    inside = intersection(images, delta(walls))
    output = fill(cover(I, shapes), color(other(colors, brackets)), inside)
    return output


def solve_68b16354(I):
    """The grid is turned upside down."""
    output = hmirror(I)
    return output


def solve_6d0aefbc(I):
    """The grid, with its mirror image to the right."""
    output = hconcat(I, vmirror(I))
    return output


def solve_6fa7a44f(I):
    """Below the picture comes its mirror image."""
    output = vconcat(I, hmirror(I))
    return output


def solve_73251a56(I):
    """Patches of one color hide cells. They are filled from the mirror image along the main
    diagonal. Right of the diagonal each row shows the colors of the first row, in runs one cell
    longer than those of the row above; the diagonal has its own color.
    """
    # Mirrored over the diagonal, hardly anything but the patches moves.
    cells = lbind(ofcolor, I)
    n_moved = compose(size, fork(difference, cells, lbind(ofcolor, dmirror(I))))
    hidden = argmax(palette(I), n_moved)
    seen_in = compose(rbind(not_of_color, hidden), rbind(toobject, I))
    mirrored = paint(dmirror(I), seen_in(asindices(I)))
    # Where the mirror image is hidden too, the cell's run is found in the first row.
    from_diagonal = fork(subtract, maximum, minimum)
    nth_run = fork(divide, from_diagonal, compose(lbind(add, TWO), minimum))
    in_first_row = chain(lbind(astuple, ZERO), compose(increment, double), nth_run)
    cell = fork(astuple, compose(lbind(index, mirrored), in_first_row), identity)
    filled = paint(mirrored, apply(cell, ofcolor(mirrored, hidden)))
    diagonal = shoot(ORIGIN, UNITY)
    output = fill(filled, mostcolor(seen_in(diagonal)), diagonal)
    return output


def solve_7468f01a(I):
    """The rectangle is cut out and mirrored, left and right."""
    rectangle = not_of_color(I, groundcolor(I))
    output = vmirror(subgrid(rectangle, I))
    return output


def solve_74dd1130(I):
    """The grid is flipped along its main diagonal: rows become columns."""
    output = dmirror(I)
    return output


def solve_760b3cac(I):
    """The shape is mirrored to the side at which the upper tip of the arrow below it is."""
    things = fgpartition(I)
    arrow = argmax(things, uppermost)
    drawing = other(things, arrow)
    side = branch(contained(ulcorner(arrow), toindices(arrow)), LEFT, RIGHT)
    way = multiply(side, width(drawing))
    output = paint(I, shift(vmirror(drawing), way))
    return output


def solve_8be77c9e(I):
    """The grid, and below it its mirror image."""
    output = vconcat(I, hmirror(I))
    return output


def solve_8e5a5113(I):
    """The two empty panels get the first panel turned by a quarter and by a half."""
    side = height(I)
    panel = crop(I, ORIGIN, astuple(side, side))
    wall = crop(I, tojvec(side), astuple(side, ONE))
    two_panels = hconcat(hconcat(panel, wall), rot90(panel))
    output = hconcat(hconcat(two_panels, wall), rot180(panel))
    return output


def solve_9d9215db(I):
    """The dots of one corner are mirrored into all four; dots that are not on a diagonal are
    joined, along the nearest edge, by dotted lines with their mirror images.
    """
    ground = mostcolor(I)
    # Black and the ground are exchanged, since only zeros count as empty.
    mirrored = last(mirror_fill(astuple(ORIGIN, switch(I, ground, BLACK)), TWO))
    dots = foreground(mirrored)
    to_ends = fork(astuple, last, compose(lbind(subtract, decrement(shape(I))), last))
    from_edge = chain(lbind(apply, minimum), dmirror, to_ends)
    of_rows = sfilter(dots, compose(fork(greater, last, first), from_edge))
    of_columns = sfilter(dots, compose(fork(greater, first, last), from_edge))
    blank = canvas(BLACK, shape(I))
    rows = last(bridge(astuple(ORIGIN, paint(blank, of_rows)), ZERO))
    columns = last(bridge(astuple(ORIGIN, paint(blank, of_columns)), ONE))
    lines = combine(foreground(rows), foreground(columns))
    dotted = sfilter(lines, chain(even, fork(add, first, last), last))
    output = switch(paint(mirrored, dotted), ground, BLACK)
    return output


def solve_9dfd6313(I):
    """The grid is flipped along its diagonal line."""
    diagonal = toobject(shoot(ORIGIN, UNITY), I)
    from_upper_left = flip(contained(mostcolor(I), palette(diagonal)))
    output = branch(from_upper_left, dmirror(I), cmirror(I))
    return output


def solve_9ecd008a(I):
    """A rectangle of one color hides a part of a symmetric picture; the output is the hidden
    part.
    """
    solid_rectangles = sfilter(partition(I), is_solid)
    cover_up = argmax(solid_rectangles, size)
    output = subgrid(cover_up, close_symmetry(I, color(cover_up), F))
    return output


def solve_b775ac94(I):
    """At a corner of each shape there are dots of other colors; each dot is completed to a
    mirror image of the shape, in its own color.
    """
    parts = objects(I, T, T, T)
    dots = sizefilter(parts, ONE)
    shapes = apply(toindices, difference(parts, dots))
    touching = chain(lbind(compose, size), lbind(lbind, intersection), compose(neighbors, ulcorner))
    own_shape = compose(lbind(extract, shapes), touching)
    to_right = fork(shift, vmirror, compose(tojvec, width))
    to_left = fork(shift, vmirror, chain(tojvec, invert, width))
    downwards = fork(shift, hmirror, compose(toivec, height))
    upwards = fork(shift, hmirror, chain(toivec, invert, height))
    in_row = fork(insert, to_right, fork(insert, to_left, initset))
    above_or_below = fork(combine, lbind(apply, downwards), lbind(apply, upwards))
    images = compose(fork(combine, identity, above_or_below), in_row)
    has_dot = compose(lbind(lbind, contained), ulcorner)
    image_with = fork(extract, compose(images, own_shape), has_dot)
    output = paint(I, mapply(fork(recolor, color, image_with), dots))
    return output


def solve_b8825c91(I):
    """The picture is symmetric, left to right and top to bottom; what patches of one color hide
    is seen in the mirror images.
    """
    # Mirrored, hardly anything but the patches moves.
    cells = lbind(ofcolor, I)
    n_moved = compose(size, fork(difference, cells, lbind(ofcolor, vmirror(I))))
    hidden = argmax(palette(I), n_moved)
    seen_sideways = toobject(cells(hidden), vmirror(I))
    repaired = paint(I, seen_sideways)
    # Where the mirror image was hidden as well, patches are left.
    seen_upside_down = toobject(ofcolor(repaired, hidden), hmirror(repaired))
    output = paint(repaired, seen_upside_down)
    return output


def solve_c9e6f938(I):
    """The grid's mirror image is put to its right."""
    output = hconcat(I, vmirror(I))
    return output


def solve_dc0a314f(I):
    """The part of a symmetric pattern that is hidden by a square of one color."""
    cover_up = argmax(sfilter(partition(I), is_solid), size)
    output = subgrid(cover_up, close_symmetry(I, color(cover_up), ZERO))
    return output


def solve_e3497940(I):
    """The right side is folded over the gray line onto the left side."""
    left = lefthalf(I)
    folded = vmirror(righthalf(I))
    # The folded side is seen where the left side is black.
    output = underpaint(left, asobject(folded))
    return output


def solve_e40b9e2f(I):
    """The figure is turned by quarters about the middle of its core, the largest square in it
    that looks the same turned, and all four images are drawn together."""
    figure = foreground(I)
    hue = color(figure)
    sides = interval(ONE, increment(width(figure)), ONE)
    squares = apply(chain(asobject, lbind(canvas, hue), fork(astuple, identity, identity)), sides)
    places = lbind(occurrences, fill(I, hue, figure))
    placed = mapply(fork(lbind(prapply, shift), initset, places), squares)
    looks_same = compose(fork(equality, identity, rot90), rbind(subgrid, I))
    core_cells = argmax(sfilter(placed, looks_same), size)
    # A ring about the core, far outside the grid, makes its middle the middle of every turn.
    far_ring = recolor(hue, power(outbox, 30)(core_cells))
    ringed = combine(figure, far_ring)
    with_quarter = combine(ringed, vmirror(dmirror(ringed)))
    output = paint(I, combine(with_quarter, hmirror(vmirror(with_quarter))))
    return output


def solve_ed36ccf7(I):
    """The picture is turned a quarter to the left."""
    output = rot270(I)
    return output


def solve_f25ffba3(I):
    """The picture in one half is mirrored into the empty other half."""
    stacked = contained(ONE, apply(numcolors, astuple(tophalf(I), bottomhalf(I))))
    mirrored = branch(stacked, hmirror(I), vmirror(I))
    output = underpaint(I, asobject(mirrored))
    return output


def solve_f8a8fe49(I):
    """The cells between two brackets are mirrored outward, each over the nearer bracket."""
    parts = fgpartition(I)
    brackets = argmax(parts, compose(size, backdrop))
    hue = color(other(parts, brackets))
    pieces = parts_of(I, color(brackets), F)
    side_by_side = hmatching(first(pieces), last(pieces))
    upright = branch(side_by_side, dmirror(I), I)
    walls = ofcolor(upright, color(brackets))
    cells = ofcolor(upright, hue)
    upper = sfilter(cells, compose(lbind(greater, first(center(walls))), first))
    turned_over = lbind(multiply, UP_RIGHT)
    above = shift(apply(turned_over, upper), toivec(double(uppermost(walls))))
    lower = apply(turned_over, difference(cells, upper))
    below = shift(lower, toivec(double(lowermost(walls))))
    thrown_out = fill(cover(upright, cells), hue, combine(above, below))
    output = branch(side_by_side, dmirror(thrown_out), thrown_out)
    return output


def solve_ff805c23(I):
    """A square of one color hides a part of a symmetric picture; the output is the hidden part."""
    solid_rectangles = sfilter(partition(I), is_solid)
    cover_up = argmax(solid_rectangles, size)
    output = subgrid(cover_up, close_symmetry(I, color(cover_up), F))
    return output
