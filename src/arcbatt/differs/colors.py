# Differs over colors: which are there, how often, and which stand for which.


# weight: 1
def differ_colors_missing(S, I, output, target):
    """Colors of the target: the share that the output has. Picks the missing ones."""
    wanted = palette(target)
    missing = difference(wanted, palette(asobject(crop(output, ORIGIN, (31, 31)))))
    found = subtract(size(wanted), size(missing))
    score = divide(multiply(1000, found), size(wanted))
    return astuple(score, missing)


# weight: 1
def differ_colors_extra(S, I, output, target):
    """Colors of the output: the share that the target has. Picks the others."""
    got = palette(asobject(crop(output, ORIGIN, (31, 31))))
    extra = difference(got, palette(target))
    right = subtract(size(got), size(extra))
    score = divide(multiply(1000, right), size(got))
    return astuple(score, extra)


# weight: 3
def differ_color_counts(S, I, output, target):
    """Color counts: the share of colors with the same number of cells in both grids. Picks the
    target's other colors.
    """
    shown = asobject(crop(output, ORIGIN, (31, 31)))
    got = apply(fork(astuple, identity, lbind(colorcount, shown)), palette(shown))
    wanted = apply(fork(astuple, identity, lbind(colorcount, target)), palette(target))
    missing = difference(wanted, got)
    right = subtract(size(wanted), size(missing))
    extra = difference(palette(shown), palette(target))
    in_either = add(size(wanted), size(extra))
    score = divide(multiply(1000, right), in_either)
    return astuple(score, apply(first, missing))


# weight: 2
def differ_recolored(S, I, output, target):
    """Right up to a recoloring: the share of cells in colors that are exactly where the target
    has some color. Picks the target's locations of the other colors.
    """
    shown = crop(output, ORIGIN, (31, 31))
    got = apply(toindices, partition(shown))
    wanted = apply(toindices, partition(target))
    missing = difference(asindices(target), merge(intersection(wanted, got)))
    rows = minimum(astuple(height(shown), height(target)))
    columns = minimum(astuple(width(shown), width(target)))
    covered = size(asobject(target))
    extra = subtract(size(asobject(shown)), multiply(rows, columns))
    score = divide(multiply(1000, subtract(covered, size(missing))), add(covered, extra))
    return astuple(score, missing)
