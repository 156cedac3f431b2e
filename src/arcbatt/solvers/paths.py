# Paths: lines that turn, bounce, spiral, or find their way around what stands there.


def solve_234bbc79(I):
    """Shapes with joints of one color move up to each other from the left to the right, so that
    each left joint comes right beside the right joint before it; joints take their shape's color.
    """
    joint_hue = mostcommon(mapply(p_g, objects_t(I, F, T, T)))
    is_joint = matcher(first, joint_hue)
    hue = compose(rbind(other, joint_hue), palette)
    # Joints are kept, under the shape's own color, until all is joined.
    coated = fork(combine, identity, fork(recolor, hue, identity))
    shapes = order(apply(coated, objects(I, F, T, T)), leftmost)
    joints = compose(toindices, rbind(sfilter, is_joint))
    left_joint = compose(rbind(argmin, last), joints)
    beyond_right_joint = chain(rbind(add, RIGHT), rbind(argmax, last), joints)
    way = fork(subtract, compose(beyond_right_joint, first), compose(left_joint, second))
    joined = fork(combine, first, fork(shift, second, way))
    others = fork(remove, second, fork(remove, first, identity))
    join_first_two = fork(combine, compose(rbind(repeat, ONE), joined), others)
    joined_all = first(power(join_first_two, decrement(size(shapes)))(shapes))
    colored = not_of_color(joined_all, joint_hue)
    room = astuple(height(I), increment(rightmost(colored)))
    output = paint(canvas(mostcolor(I), room), colored)
    return output


def solve_239be575(I):
    """One cell of the chain's color if a chain of its cells, corners included, links the two
    squares of two by two cells, an empty one if not.
    """
    ground = mostcolor(I)
    blocks = sfilter(sizefilter(objects(I, T, F, T), FOUR), square)
    square_hue = mostcommon(apply(color, totuple(blocks)))
    square_cells = ofcolor(I, square_hue)
    hue = other(remove(square_hue, palette(I)), ground)
    webs = parts_of(replace(I, square_hue, hue), hue, T)
    squares_in = chain(size, lbind(intersection, square_cells), toindices)
    linked = equality(valmax(webs, squares_in), size(square_cells))
    output = canvas(branch(linked, hue, ground), UNITY)
    return output


def solve_28e73c20(I):
    """A green wall winds from the upper left corner along the edge and on inward as a
    spiral, with a free way of one cell between its turns.
    """
    # Rings, each with a gap below its first corner, and upper sides that begin one cell before.
    side = minimum(shape(I))
    corner_at = lbind(add, ORIGIN)
    opposite = lbind(subtract, decrement(shape(I)))
    ring = compose(box, fork(insert, corner_at, compose(initset, opposite)))
    rings = mapply(ring, interval(ZERO, halve(increment(side)), TWO))
    gaps = apply(lbind(add, DOWN), interval(ZERO, halve(decrement(side)), TWO))
    upper_end = fork(astuple, identity, compose(last, opposite))
    upper_side = fork(connect, lbind(add, LEFT), upper_end)
    upper_sides = mapply(upper_side, interval(ZERO, increment(halve(side)), TWO))
    output = fill(I, GREEN, combine(difference(rings, gaps), upper_sides))
    return output


def solve_2dd70a9a(I):
    """The green bar runs on along its line until a wall stops it, turns aside, is stopped
    again on the line of the red bar, and turns to reach it; it goes the way that is free.
    """
    upright = vline(ofcolor(I, GREEN))
    grid = branch(upright, I, dmirror(I))
    walls = toindices(not_of_color(not_of_color(foreground(grid), GREEN), RED))
    start = ulcorner(ofcolor(grid, GREEN))
    goal = ulcorner(ofcolor(grid, RED))
    lane = intersection(vfrontier(start), asindices(grid))
    beside_wall = compose(rbind(adjacent, intersection(lane, walls)), initset)
    stops = sfilter(difference(lane, walls), beside_wall)
    turning = compose(rbind(astuple, last(goal)), first)
    beyond = fork(add, turning, compose(sign, fork(subtract, turning, identity)))
    last_leg = compose(rbind(connect, goal), turning)
    legs_on = fork(combine, fork(connect, identity, turning), last_leg)
    path = fork(combine, lbind(connect, start), legs_on)
    walls_in_path = chain(size, lbind(intersection, walls), path)
    not_stopped = chain(flip, rbind(contained, walls), beyond)
    drawn = underfill(grid, GREEN, path(argmin(stops, fork(astuple, walls_in_path, not_stopped))))
    output = branch(upright, drawn, dmirror(drawn))
    return output


def solve_a2fd1cf0(I):
    """A cyan path goes level from the red cell, then up or down to the green one."""
    start = first(ofcolor(I, RED))
    goal = first(ofcolor(I, GREEN))
    bend = astuple(first(start), last(goal))
    path = combine(connect(start, bend), connect(bend, goal))
    output = underfill(I, CYAN, path)
    return output


def solve_b782dc8a(I):
    """From the colored cells the two colors go on through all open ways of the maze, by turns."""
    middle_hue = leastcolor(I)
    arm_hue = leastcolor(not_of_color(I, middle_hue))
    start = first(ofcolor(I, middle_hue))
    # Beside the middle cell is wall where no arm is, and at a crossing at its corners.
    beside = toobject(difference(dneighbors(start), ofcolor(I, arm_hue)), I)
    wall_hue = mostcolor(branch(beside, beside, toobject(ineighbors(start), I)))
    open_ways = areas_between(I, ofcolor(I, wall_hue))
    reached = extract(open_ways, lbind(contained, start))
    parity = compose(even, fork(add, first, last))
    alike = sfilter(reached, matcher(parity, parity(start)))
    output = fill(fill(I, arm_hue, reached), middle_hue, alike)
    return output


def solve_d4a91cb9(I):
    """A yellow path goes up or down from the cyan dot to the red one's row, then along it
    to the red dot.
    """
    start = ofcolor(I, CYAN)
    goal = ofcolor(I, RED)
    bend = astuple(uppermost(goal), leftmost(start))
    path = combine(connect(ulcorner(start), bend), connect(bend, ulcorner(goal)))
    output = underfill(I, YELLOW, path)
    return output


def solve_d9f24cd1(I):
    """Lines grow up from the dots on an edge; before an obstacle a line steps one to its
    right and goes on.
    """
    # Turned so that the dots are in the last row.
    dots_below = chain(decrement, compose(size, dedupe), last)
    n_turns = extract((4, 1, 2, 3), chain(dots_below, lbind(mir_rot, I), lbind(add, THREE)))
    upright = power(rot90, n_turns)(I)
    ground = mostcolor(I)
    hue = other(last(upright), ground)
    obstacles = toindices(not_of_color(not_of_color(upright, ground), hue))
    upward = rbind(shoot, UP)
    shadow = chain(lbind(mapply, upward), lbind(intersection, obstacles), upward)
    paths = lbind(mapply, fork(difference, upward, shadow))
    stopped_by = chain(lbind(intersection, obstacles), rbind(shift, UP), paths)
    sidesteps = compose(rbind(shift, UNITY), stopped_by)
    # With every round the lines get one more step aside.
    all_starts = power(fork(combine, identity, sidesteps), increment(size(obstacles)))
    drawn = fill(upright, hue, paths(all_starts(ofcolor(upright, hue))))
    output = power(rot270, n_turns)(drawn)
    return output


def solve_e179c5f4(I):
    """The dot in the corner goes off diagonally along the grid, thrown back from side to side; the
    rest is cyan.
    """
    upright = branch(portrait(I), I, dmirror(I))
    hue = leastcolor(I)
    corner_cell = first(ofcolor(upright, hue))
    swing = double(decrement(width(upright)))
    # The rows where the path stands at the dot's side, some of them outside the grid.
    rows_up = interval(first(corner_cell), invert(swing), invert(swing))
    rows_down = interval(first(corner_cell), add(height(upright), swing), swing)
    turns = product(combine(rows_up, rows_down), initset(last(corner_cell)))
    path = merge(prapply(shoot, turns, ineighbors(ORIGIN)))
    drawn = fill(canvas(CYAN, shape(upright)), hue, path)
    output = branch(portrait(I), drawn, dmirror(drawn))
    return output
