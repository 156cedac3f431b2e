# The output is a part of the input: the odd one out, the smallest, the commonest, the
# framed part, a separated cell.


def solve_0b148d64(I):
    """Of the speckled blocks one has a color of its own; that block is the output."""
    # The other colors reach all over the grid.
    odd_block = argmin(partition(I), compose(size, backdrop))
    output = subgrid(odd_block, I)
    return output


def solve_1c786137(I):
    """In a noisy picture a rectangle is outlined in one color; the output is what it frames."""
    # Of the frame's color there is nothing but the outline of a rectangle.
    frame = extract(partition(I), is_outline)
    output = trim(subgrid(frame, I))
    return output


def solve_1cf80156(I):
    """The one shape there is, cut out."""
    figure = first(objects(I, T, T, T))
    output = subgrid(figure, I)
    return output


def solve_1f85a75f(I):
    """Dots are scattered all over, and one shape hangs together; the output is that shape."""
    largest = argmax(objects(I, T, T, T), size)
    output = subgrid(largest, I)
    return output


def solve_23b5c85d(I):
    """Of several rectangles, some behind others, the output is the smallest one."""
    smallest = argmin(fgpartition(I), compose(size, backdrop))
    output = subgrid(smallest, I)
    return output


def solve_2dc579da(I):
    """Lines cut the grid into panels; the output is the one with a speck in it."""
    speck = ofcolor(I, leastcolor(I))
    panels = objects(fill(I, mostcolor(I), speck), T, F, F)
    has_speck = compose(lbind(contained, first(speck)), toindices)
    output = subgrid(extract(panels, has_speck), I)
    return output


def solve_2dee498d(I):
    """The picture is three tiles in a row or column; the first of them is left."""
    # Enlarged, so that any side can be cut in three.
    large = upscale(I, THREE)
    across = hsplit(large, THREE)
    alike = equality(first(across), last(across))
    tiles = branch(alike, across, vsplit(large, THREE))
    output = downscale(first(tiles), THREE)
    return output


def solve_39a8645d(I):
    """Of several small shapes the output is the one that occurs most often."""
    shapes = totuple(objects(I, T, T, T))
    commonest = mostcommon(apply(normalize, shapes))
    output = paint(canvas(mostcolor(I), shape(commonest)), commonest)
    return output


def solve_3de23699(I):
    """The part between four corner cells is cut out, and its shapes take their color."""
    just_corners = fork(equality, toindices, corners)
    marks = argmax(sfilter(partition(I), just_corners), compose(size, backdrop))
    ground = index(I, add(ulcorner(marks), RIGHT))
    inside = subgrid(inbox(marks), I)
    output = replace(inside, other(palette(inside), ground), color(marks))
    return output


def solve_3f7978a0(I):
    """The part between the two lines is cut out, with the dots at their ends."""
    parts_in = lbind(rbind(parts_of, F), I)
    # Dots are strewn all over the grid, and there are but two lines.
    hue = argmin(remove(mostcolor(I), palette(I)), compose(size, parts_in))
    lines = ofcolor(I, hue)
    along = branch(vline(first(parts_in(hue))), DOWN, RIGHT)
    with_ends = combine(shift(lines, along), shift(lines, invert(along)))
    output = subgrid(with_ends, I)
    return output


def solve_48d8fb45(I):
    """A dot of a color of its own marks one of the shapes, which is cut out without the dot."""
    # In generated pairs the dot may have a color that noise has too; in the task it has its own.
    dot = extract(partition(I), matcher(size, ONE))
    around_dot = neighbors(ulcorner(dot))
    touches_dot = compose(lbind(intersection, around_dot), toindices)
    marked = extract(objects(I, T, T, T), touches_dot)
    output = subgrid(marked, cover(I, dot))
    return output


def solve_5bd6f4ac(I):
    """The square of three in the upper right corner."""
    start = tojvec(subtract(width(I), THREE))
    output = crop(I, start, THREE_BY_THREE)
    return output


def solve_72ca375d(I):
    """Of the shapes the output is the one that is its own mirror image."""
    shapes = objects(I, T, T, T)
    symmetric = extract(shapes, fork(contained, identity, fork(astuple, vmirror, hmirror)))
    output = subgrid(symmetric, I)
    return output


def solve_7b7f7511(I):
    """The picture is one tile twice, side by side or one above the other; the tile is left."""
    left = lefthalf(I)
    side_by_side = equality(hconcat(left, left), I)
    output = branch(side_by_side, left, tophalf(I))
    return output


def solve_8731374e(I):
    """The rectangle of mostly one color is cut out of the noise; each cell of another color
    in it becomes a cross of a whole row and column.
    """
    largest = argmax(objects(I, T, F, F), size)
    in_hue = lbind(recolor, color(largest))
    lying = connect(ORIGIN, (0, 3))
    standing = connect(ORIGIN, (3, 0))
    # Noise that hangs on to the rectangle is hardly ever four cells both wide and high.
    in_lying = copies_at(lying, occurrences(I, in_hue(lying)))
    in_standing = copies_at(standing, occurrences(I, in_hue(standing)))
    cells = intersection(toindices(largest), intersection(in_lying, in_standing))
    rectangle = subgrid(cells, I)
    odd_color = leastcolor(rectangle)
    crosses = mapply(cross_at, ofcolor(rectangle, odd_color))
    output = fill(rectangle, odd_color, crosses)
    return output


def solve_88a62173(I):
    """Three of the four little squares are the same; the output is the other one."""
    squares = mapply(rbind(hsplit, TWO), vsplit(I, TWO))
    output = leastcommon(squares)
    return output


def solve_8efcae92(I):
    """Of the rectangles the output is the one with the most dots."""
    rectangles = objects_on(I, F, F, groundcolor(I))
    pictures = apply(rbind(subgrid, I), rectangles)
    output = argmax(pictures, rbind(colorcount, leastcolor(I)))
    return output


def solve_a740d043(I):
    """The box of all shapes is cut out, and the background in it becomes black."""
    ground = groundcolor(I)
    things = not_of_color(I, ground)
    output = replace(subgrid(things, I), ground, BLACK)
    return output


def solve_be94b721(I):
    """Of the shapes the output is the one with most cells."""
    largest = argmax(objects(I, T, F, T), size)
    output = subgrid(largest, I)
    return output


def solve_c909285e(I):
    """The frame, the one color that is just the outline of its box, is cut out with what it
    holds.
    """
    frame = extract(partition(I), is_outline)
    output = subgrid(frame, I)
    return output


def solve_d10ecb37(I):
    """The upper left corner of the pattern, two by two cells, is cut out."""
    output = crop(I, ORIGIN, TWO_BY_TWO)
    return output


def solve_d23f8c26(I):
    """Only the middle column stays; all else is wiped off."""
    middle_column = vfrontier(tojvec(halve(width(I))))
    rest = difference(asindices(I), middle_column)
    output = cover(I, rest)
    return output
