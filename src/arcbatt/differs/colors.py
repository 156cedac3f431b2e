# Differs over colours: which are there, how often, and which stand for which.


def differ_colors_missing(S, I, output, target):
    """Colours of the target: those that the output has. Picks those that it has not."""
    wanted = palette(target)
    missing = difference(wanted, palette(asobject(crop(output, ORIGIN, (31, 31)))))
    found = subtract(size(wanted), size(missing))
    score = divide(multiply(1000, found), size(wanted))
    return astuple(score, missing)


def differ_colors_extra(S, I, output, target):
    """Colours of the output: those that the target has. Picks those that it has not."""
    got = palette(asobject(crop(output, ORIGIN, (31, 31))))
    extra = difference(got, palette(target))
    right = subtract(size(got), size(extra))
    score = divide(multiply(1000, right), size(got))
    return astuple(score, extra)


def differ_color_counts(S, I, output, target):
    """Colours of either grid: those of which both have equally many cells. Picks the target's
    others.
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


def differ_recolored(S, I, output, target):
    """Right up to a recolouring: the cells of colours whose cells stand exactly where the target
    has all cells of some colour. Picks the target's locations of the other colours.
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
