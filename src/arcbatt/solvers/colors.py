# Colour logic: panels laid over each other, colour maps, swaps, common and rare colours.


def solve_fafffa47(S, I):
    """The two halves are laid over each other. Cells that are empty in both get the colour
    that only the demo outputs have.
    """
    top = tophalf(I)
    bottom = bottomhalf(I)
    new_color = c_zo_n(S, p_g, first)
    empty_in_both = intersection(ofcolor(top, BLACK), ofcolor(bottom, BLACK))
    output = fill(canvas(BLACK, shape(top)), new_color, empty_in_both)
    return output


def solve_99b1bc43(I):
    """The halves above and below the yellow bar are compared: a cell is green where one of
    them is coloured and the other is not.
    """
    blue = ofcolor(tophalf(I), BLUE)
    red = ofcolor(bottomhalf(I), RED)
    only_one = difference(combine(blue, red), intersection(blue, red))
    output = fill(canvas(BLACK, shape(tophalf(I))), GREEN, only_one)
    return output


def solve_cf98881b(I):
    """Three panels stand side by side and are stacked: yellow lies on top, brown below it,
    blue at the bottom.
    """
    panels = hsplit(I, THREE)
    blue_below = last(panels)
    brown_on_it = fill(blue_below, BROWN, ofcolor(second(panels), BROWN))
    output = fill(brown_on_it, YELLOW, ofcolor(first(panels), YELLOW))
    return output


def solve_0d3d703e(I):
    """Every colour has a partner that it changes places with: green and yellow, blue and
    gray, red and magenta, cyan and brown.
    """
    green_yellow = switch(I, GREEN, YELLOW)
    blue_gray = switch(green_yellow, BLUE, GRAY)
    red_magenta = switch(blue_gray, RED, MAGENTA)
    output = switch(red_magenta, CYAN, BROWN)
    return output


def solve_f76d97a5(I):
    """The gray cells take on the grid's other colour, and whatever had that colour before
    is emptied.
    """
    bright = other(palette(I), GRAY)
    emptied = replace(I, bright, BLACK)
    output = replace(emptied, GRAY, bright)
    return output


def solve_9565186b(I):
    """The commonest colour stays; all the other cells turn gray."""
    common = ofcolor(I, mostcolor(I))
    others = difference(asindices(I), common)
    output = fill(I, GRAY, others)
    return output


def solve_b1948b0a(S, I):
    """One colour is put for another: the colour that leaves in the demos becomes the one
    that arrives there.
    """
    leaving = c_iz_n(S, p_g, first)
    arriving = c_zo_n(S, p_g, first)
    output = replace(I, leaving, arriving)
    return output
