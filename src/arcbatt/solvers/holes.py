# Holes and what is enclosed: filled, counted, or telling which shape is meant.


def solve_00d62c1b(I):
    """Every place that the walls shut in is filled with yellow."""
    inside = enclosed_cells(I, mostcolor(I))
    output = fill(I, YELLOW, inside)
    return output


def solve_228f6490(I):
    """Every hole in a rectangle is filled by the piece that fits it, which leaves its
    place.
    """
    ground = groundcolor(I)
    inner = sfilter(parts_of(I, ground, F), compose(flip, rbind(bordering, I)))
    form = compose(normalize, toindices)
    fits = rbind(contained, apply(form, inner))
    pieces = sfilter(partition(I), compose(fits, form))
    hole_for = chain(lbind(extract, inner), lbind(matcher, form), form)
    cleared = fill(I, ground, merge(pieces))
    output = paint(cleared, mapply(fork(recolor, color, hole_for), pieces))
    return output


def solve_444801d8(I):
    """Each cup is filled with the color of the cell in it, up to a brim one row outside its
    opening.
    """
    parts = objects(I, T, F, T)
    cups = difference(parts, sizefilter(parts, ONE))
    hue = chain(rbind(other, mostcolor(I)), palette, compose(rbind(toobject, I), delta))
    opening = fork(difference, box, toindices)
    doorstep = fork(intersection, compose(lbind(mapply, dneighbors), opening), outbox)
    way_out = fork(subtract, compose(ulcorner, doorstep), compose(ulcorner, opening))
    cup_and_brim = fork(combine, backdrop, fork(shift, backdrop, way_out))
    filling = fork(difference, cup_and_brim, toindices)
    output = paint(I, mapply(fork(recolor, hue, filling), cups))
    return output


def solve_44d8ac46(I):
    """Holes in the shapes turn red if they are square."""
    areas = parts_of(I, mostcolor(I), F)
    outside = sfilter(areas, rbind(bordering, I))
    output = fill(I, RED, mfilter(difference(areas, outside), square))
    return output


def solve_50cb2852(I):
    """Every rectangle turns cyan inside; its edge keeps its color."""
    rectangles = objects_on(I, T, F, groundcolor(I))
    output = fill(I, CYAN, mapply(inside_of, rectangles))
    return output


def solve_7b6016b9(I):
    """The places that the lines shut in turn red, the ground outside turns green."""
    ground = mostcolor(I)
    output = fill(replace(I, ground, GREEN), RED, enclosed_cells(I, ground))
    return output


def solve_83302e8f(I):
    """Rooms that are shut in turn green; where the walls have gaps, all empty cells turn
    yellow.
    """
    # The corner of the grid belongs to a room.
    ground = index(I, ORIGIN)
    rooms = parts_of(I, ground, F)
    # A single cell is a gap in a crossing of walls.
    shut = mfilter(difference(rooms, sizefilter(rooms, ONE)), is_solid)
    output = fill(replace(I, ground, YELLOW), GREEN, shut)
    return output


def solve_868de0fa(I):
    """The inside of a frame turns red if the frame's side is an even number of cells, orange if
    it is odd.
    """
    frames = objects(I, T, F, T)
    even_frames = sfilter(frames, compose(even, height))
    all_orange = fill(I, ORANGE, mapply(delta, frames))
    output = fill(all_orange, RED, mapply(delta, even_frames))
    return output


def solve_9edfc990(I):
    """Blue flows into all gaps, those of the commonest color, that it touches."""
    gaps = parts_of(I, mostcolor(I), F)
    flooded = mfilter(gaps, rbind(adjacent, ofcolor(I, BLUE)))
    output = fill(I, BLUE, flooded)
    return output


def solve_a5313dff(I):
    """Empty places that walls shut in are filled with blue."""
    shut_in = enclosed_cells(I, mostcolor(I))
    output = fill(I, BLUE, shut_in)
    return output


def solve_b2862040(I):
    """Shapes that close around a hole turn cyan; open ones stay as they are."""
    beside_holes = mapply(dneighbors, enclosed_cells(I, mostcolor(I)))
    has_hole = compose(lbind(intersection, beside_holes), toindices)
    output = fill(I, CYAN, mfilter(objects(I, T, F, T), has_hole))
    return output


def solve_b9b7f026(I):
    """One cell in the color of the only rectangle that has a hole."""
    rectangles = objects(I, T, F, T)
    with_hole = extract(rectangles, delta)
    output = canvas(color(with_hole), UNITY)
    return output


def solve_c0f76784(I):
    """Every square frame is filled with the color five plus the inner side's length."""
    frames = objects(I, T, F, T)
    inner_color = chain(lbind(add, FIVE), width, delta)
    output = paint(I, mapply(fork(recolor, inner_color, delta), frames))
    return output


def solve_d4f3cd78(I):
    """A box has a gap in its wall: the inside fills with cyan, which runs out of the gap
    straight to the edge.
    """
    walls = toindices(foreground(I))
    filled = fill(I, CYAN, delta(walls))
    gaps = difference(box(walls), walls)
    in_front = chain(first, lbind(intersection, outbox(walls)), dneighbors)
    outwards = fork(subtract, in_front, identity)
    output = fill(filled, CYAN, mapply(fork(shoot, identity, outwards), gaps))
    return output


def solve_d5d6de2d(I):
    """The places inside the frames turn green; the frames vanish."""
    ground = mostcolor(I)
    output = fill(cover(I, foreground(I)), GREEN, enclosed_cells(I, ground))
    return output


def solve_e73095fd(I):
    """The inside of every box turns yellow; a place between lines that run on past its corners
    is not a box.
    """
    ground = ofcolor(I, mostcolor(I))
    gaps = parts_of(I, mostcolor(I), F)
    rectangles = sfilter(gaps, is_solid)
    leaks = chain(size, lbind(intersection, ground), outbox)
    shut = sfilter(rectangles, matcher(leaks, ZERO))
    beside_corners = chain(lbind(mapply, dneighbors), corners, outbox)
    past_corners = fork(difference, beside_corners, outbox)
    lines = difference(asindices(I), ground)
    running_on = chain(size, lbind(intersection, lines), past_corners)
    output = fill(I, YELLOW, mfilter(shut, matcher(running_on, ZERO)))
    return output
