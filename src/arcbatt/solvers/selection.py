# One thing of many is chosen by what it is like, and shown.


def solve_445eab21(I):
    """A two by two square in the color of the frame that covers the largest area."""
    frames = objects(I, T, F, T)
    largest = argmax(frames, compose(size, backdrop))
    output = canvas(color(largest), TWO_BY_TWO)
    return output


def solve_5117e062(I):
    """The shape that has a cell of another color is cut out, that cell in the color of the
    rest.
    """
    chosen = argmax(objects(I, F, T, T), numcolors)
    picture = subgrid(chosen, I)
    output = replace(picture, leastcolor(chosen), mostcolor(chosen))
    return output


def solve_6455b5f5(I):
    """Of the fields between the lines the largest turns blue, the smallest ones turn cyan."""
    fields = parts_of(I, mostcolor(I), F)
    smallest = sizefilter(fields, valmin(fields, size))
    largest = sizefilter(fields, valmax(fields, size))
    output = fill(fill(I, CYAN, merge(smallest)), BLUE, merge(largest))
    return output


def solve_662c240a(I):
    """Of the square blocks in a column or row, the one that is not symmetric along its
    diagonal is given.
    """
    n_blocks = divide(maximum(shape(I)), minimum(shape(I)))
    blocks = branch(portrait(I), vsplit(I, n_blocks), hsplit(I, n_blocks))
    symmetric = fork(equality, identity, dmirror)
    output = extract(blocks, compose(flip, symmetric))
    return output


def solve_a87f7484(I):
    """A strip of square pictures, each of its own color: all but one have the same shape.
    The output is that one.
    """
    side = minimum(shape(I))
    across = rbind(hsplit, divide(width(I), side))
    pictures = mapply(across, vsplit(I, divide(height(I), side)))
    ground = mostcommon(mapply(p_g, pictures))
    gaps = rbind(ofcolor, ground)
    odd_gaps = leastcommon(apply(gaps, pictures))
    output = extract(pictures, matcher(gaps, odd_gaps))
    return output


def solve_ae4f1146(I):
    """Of the squares the output is the one with the most cells of the rarer color."""
    pictures = apply(rbind(subgrid, I), objects_on(I, F, F, groundcolor(I)))
    output = argmax(pictures, rbind(colorcount, leastcolor(I)))
    return output


def solve_d9fac9be(I):
    """One cell has all around it cells of one other color: the answer is its color."""
    hues = remove(mostcolor(I), palette(I))
    rings = apply(rbind(recolor, neighbors(UNITY)), hues)
    middle_of_ring = add(first(mapply(lbind(occurrences, I), rings)), UNITY)
    output = canvas(index(I, middle_of_ring), UNITY)
    return output


def solve_e50d258f(I):
    """Of the speckled rectangles the output is the one with most red cells."""
    rectangles = objects_on(I, F, F, groundcolor(I))
    most_red = argmax(rectangles, rbind(colorcount, RED))
    output = subgrid(most_red, I)
    return output


def solve_fcb5c309(I):
    """The frame with the most dots is cut out with the dots in it, and takes their color."""
    things = objects(I, T, F, T)
    frame_hue = color(argmax(things, size))
    dot_hue = other(remove(mostcolor(I), palette(I)), frame_hue)
    n_dots = compose(rbind(colorcount, dot_hue), rbind(subgrid, I))
    inside = subgrid(argmax(colorfilter(things, frame_hue), n_dots), I)
    output = replace(inside, frame_hue, dot_hue)
    return output
