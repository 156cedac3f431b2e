# Paths: lines that turn, bounce, spiral, or find their way around what stands there.


def solve_234bbc79(I):
    """Shapes with gray joints move up to each other from the left to the right, so that each
    left joint comes right beside the right joint before it; joints take their shape's color.
    """
    is_joint = matcher(first, GRAY)
    hue = compose(rbind(other, GRAY), palette)
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
    colored = not_of_color(joined_all, GRAY)
    room = astuple(height(I), increment(rightmost(colored)))
    output = paint(canvas(mostcolor(I), room), colored)
    return output


def solve_239be575(I):
    """One cyan cell if a chain of cyan cells, corners included, links the red squares, an
    empty one if not.
    """
    reds = ofcolor(I, RED)
    ground = first(difference(palette(I), (2, 8)))
    webs = parts_of(replace(I, RED, CYAN), CYAN, T)
    reds_in = chain(size, lbind(intersection, reds), toindices)
    linked = equality(valmax(webs, reds_in), size(reds))
    output = canvas(branch(linked, CYAN, ground), UNITY)
    return output


def solve_28e73c20(I):
    """A green wall winds from the upper left corner along the edge and on inward as a
    spiral, with a free way of one cell between its turns.
    """
    core_side = branch(even(height(I)), TWO, ONE)
    core_square = canvas(GREEN, astuple(core_side, core_side))
    # Each turn from the core out puts a wall and a way on top of the turned spiral.
    one_row = lbind(astuple, ONE)
    wall = chain(lbind(canvas, GREEN), one_row, height)
    free_cells = chain(lbind(canvas, mostcolor(I)), one_row, compose(decrement, height))
    way = compose(rbind(hconcat, canvas(GREEN, UNITY)), free_cells)
    wind = fork(vconcat, wall, fork(vconcat, way, rot90))
    wind_all = power(wind, subtract(height(I), core_side))
    output = wind_all(core_square)
    return output


def solve_2dd70a9a(I):
    """The green bar runs on along its line until a cyan wall stops it, turns aside, is stopped
    again on the line of the red bar, and turns to reach it; it goes the way that is free.
    """
    upright = vline(ofcolor(I, GREEN))
    grid = branch(upright, I, dmirror(I))
    walls = ofcolor(grid, CYAN)
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
    arm_hue = get_color_rank(I, TWO)
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
    """Lines grow up from the dots at the bottom; below an obstacle a line steps one to the
    right and goes on up.
    """
    ground = mostcolor(I)
    bottom_row = crop(I, toivec(decrement(height(I))), shape(I))
    hue = other(palette(bottom_row), ground)
    obstacles = difference(asindices(I), combine(ofcolor(I, ground), ofcolor(I, hue)))
    upward = rbind(shoot, UP)
    shadow = chain(lbind(mapply, upward), lbind(intersection, obstacles), upward)
    paths = lbind(mapply, fork(difference, upward, shadow))
    stopped_by = chain(lbind(intersection, obstacles), rbind(shift, UP), paths)
    sidesteps = compose(rbind(shift, UNITY), stopped_by)
    # With every round the lines get one more step aside.
    all_starts = power(fork(combine, identity, sidesteps), increment(size(obstacles)))
    output = fill(I, hue, paths(all_starts(ofcolor(I, hue))))
    return output


def solve_e179c5f4(I):
    """The dot in the corner goes up (or down) diagonally, thrown back from side to side; the
    rest is cyan.
    """
    hue = leastcolor(I)
    corner_cell = first(ofcolor(I, hue))
    swing = double(decrement(width(I)))
    # The rows where the path stands at the dot's side, some of them outside the grid.
    rows_up = interval(first(corner_cell), invert(swing), invert(swing))
    rows_down = interval(first(corner_cell), add(height(I), swing), swing)
    turns = product(combine(rows_up, rows_down), initset(last(corner_cell)))
    path = merge(prapply(shoot, turns, ineighbors(ORIGIN)))
    output = fill(canvas(CYAN, shape(I)), hue, path)
    return output
