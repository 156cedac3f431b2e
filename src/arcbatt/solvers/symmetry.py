# Tasks about symmetry: mirrors and turns, completing symmetric pictures, symmetric parts.


def solve_ed36ccf7(I):
    """The picture is turned a quarter to the left."""
    output = rot270(I)
    return output


def solve_f25ffba3(I):
    """The picture in the lower half is mirrored into the empty upper half."""
    lower = bottomhalf(I)
    output = vconcat(hmirror(lower), lower)
    return output


def solve_e3497940(I):
    """The right side is folded over the gray line onto the left side."""
    left = lefthalf(I)
    folded = vmirror(righthalf(I))
    # The folded side is seen where the left side is black.
    output = underpaint(left, asobject(folded))
    return output


def solve_2013d3e2(I):
    """The picture is made of four turned or mirrored quarters; only the upper left is kept."""
    picture = subgrid(merge(fgpartition(I)), I)
    output = lefthalf(tophalf(picture))
    return output


def solve_8e5a5113(I):
    """The two empty panels get the first panel turned by a quarter and by a half."""
    panel = crop(I, ORIGIN, THREE_BY_THREE)
    bar = canvas(GRAY, (3, 1))
    two_panels = hconcat(hconcat(panel, bar), rot90(panel))
    output = hconcat(hconcat(two_panels, bar), rot180(panel))
    return output


def solve_4938f0c2(I):
    """The red shape is mirrored across the green square, sideways and downwards, so that there
    is one in each corner.
    """
    green = ofcolor(I, GREEN)
    red = ofcolor(I, RED)
    # A frame around the green square, far outside the grid: together with it, whatever lies
    # inside is mirrored about the green square.
    far_frame = power(outbox, 30)
    red_in_frame = combine(far_frame(green), red)
    upper = combine(red_in_frame, vmirror(red_in_frame))
    four = combine(upper, hmirror(upper))
    output = underfill(I, RED, four)
    return output


def solve_2bcee788(I):
    """The red line is a mirror: the shape is continued by its image on the side where
    the line is, the red is gone and the ground becomes green.
    """
    red = ofcolor(I, RED)
    figure = extract(fgpartition(I), compose(flip, matcher(color, RED)))
    sideways = hmatching(figure, red)
    axis = branch(sideways, RIGHT, DOWN)
    image = branch(sideways, vmirror(figure), hmirror(figure))
    # One shape's height or width, towards the red line.
    step = multiply(multiply(axis, position(figure, red)), shape(figure))
    ground = canvas(GREEN, shape(I))
    output = paint(paint(ground, figure), shift(image, step))
    return output


def solve_b8825c91(I):
    """The picture is symmetric, left to right and top to bottom; what yellow patches hide is
    seen in the mirror images.
    """
    seen_sideways = toobject(ofcolor(I, YELLOW), vmirror(I))
    repaired = paint(I, seen_sideways)
    # Where the mirror image was hidden as well, yellow is left.
    seen_upside_down = toobject(ofcolor(repaired, YELLOW), hmirror(repaired))
    output = paint(repaired, seen_upside_down)
    return output


def solve_3631a71a(I):
    """A symmetric picture is partly hidden by brown patches; they are replaced by what the
    mirror images show. The middle lies one cell right of and below the grid's middle.
    """
    seen_diagonally = toobject(ofcolor(I, BROWN), dmirror(I))
    once = paint(I, seen_diagonally)
    # The first two columns, and rows, have no partner: only the others are mirrored.
    sideways = shift(asobject(vmirror(crop(once, (0, 2), (30, 28)))), (0, 2))
    twice = paint(once, toobject(ofcolor(once, BROWN), paint(once, sideways)))
    upside_down = shift(asobject(hmirror(crop(twice, (2, 0), (28, 30)))), (2, 0))
    output = paint(twice, toobject(ofcolor(twice, BROWN), paint(twice, upside_down)))
    return output
