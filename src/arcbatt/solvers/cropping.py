# The output is a part of the input: the odd one out, the smallest, the commonest, the
# framed part, a separated cell.


def solve_0b148d64(I):
    """Of the four speckled blocks one has a colour of its own; that block is the output."""
    output = subgrid(ofcolor(I, leastcolor(I)), I)
    return output


def solve_1c786137(I):
    """In a noisy picture a rectangle is outlined in one colour; the output is what it frames."""
    frame = extract(partition(I), fork(equality, toindices, box))
    output = trim(subgrid(frame, I))
    return output


def solve_1f85a75f(I):
    """All colours are scattered in dots but one, which forms a shape; the output is that shape."""
    gathered = argmin(fgpartition(I), compose(size, backdrop))
    output = subgrid(gathered, I)
    return output


def solve_23b5c85d(I):
    """Of several rectangles, some behind others, the output is the smallest one."""
    smallest = argmin(fgpartition(I), size)
    output = subgrid(smallest, I)
    return output


def solve_2dc579da(I):
    """A cross cuts the grid into four squares; the output is the one with a speck in it."""
    squares = colorfilter(objects(I, T, F, F), mostcolor(I))
    speck = ofcolor(I, leastcolor(I))
    around_speck = extract(squares, rbind(adjacent, speck))
    output = subgrid(around_speck, I)
    return output


def solve_39a8645d(I):
    """Of several small shapes the output is the one that occurs most often."""
    shapes = totuple(objects(I, T, T, T))
    pictures = apply(rbind(subgrid, I), shapes)
    output = mostcommon(pictures)
    return output


def solve_48d8fb45(I):
    """A gray dot marks one of the shapes; the output is the shape right below it."""
    dot = ofcolor(I, GRAY)
    marked = extract(objects(I, T, T, T), rbind(adjacent, dot))
    output = subgrid(marked, I)
    return output


def solve_72ca375d(I):
    """Of the shapes the output is the one whose left side mirrors its right side."""
    pictures = apply(rbind(subgrid, I), objects(I, T, T, T))
    output = extract(pictures, fork(equality, identity, vmirror))
    return output


def solve_88a62173(I):
    """Three of the four little squares are the same; the output is the other one."""
    squares = mapply(rbind(hsplit, TWO), vsplit(I, TWO))
    output = leastcommon(squares)
    return output


def solve_8efcae92(I):
    """Of the blue rectangles the output is the one with the most red dots."""
    # Blue may be the commonest colour, so no background is left out.
    rectangles = colorfilter(objects(I, T, F, F), BLUE)
    pictures = apply(rbind(subgrid, I), rectangles)
    output = argmax(pictures, rbind(colorcount, RED))
    return output
