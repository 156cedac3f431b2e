# Differs that forgive a wrong place: a turn, a mirror, a shift.


def differ_turned(S, I, output, target):
    """Right up to a mirror or rotation: all or nothing. Picks the code of the turn that makes the
    output of the target (as for `mir_rot`; 7 leaves it as it is, and is picked if none does).
    """
    shown = asobject(crop(output, ORIGIN, (31, 31)))
    codes = interval(0, 8, 1)
    turned = apply(compose(asobject, lbind(mir_rot, target)), codes)
    best = maximum(pair(apply(lbind(equality, shown), turned), codes))
    score = multiply(1000, first(best))
    return astuple(score, last(best))


def differ_shifted(S, I, output, target):
    """Right up to a shift: cells that are not of their grid's commonest colour, both grids' moved
    to the upper left; those that both have, of those that either has. Picks the moved cells of
    the target that the output has not.
    """
    shown = crop(output, ORIGIN, (31, 31))
    got = normalize(merge(fgpartition(shown)))
    wanted = normalize(merge(fgpartition(target)))
    missing = difference(wanted, got)
    right = subtract(size(wanted), size(missing))
    in_either = add(size(got), size(missing))
    share = divide(multiply(1000, right), maximum(astuple(in_either, ONE)))
    score = branch(in_either, share, 1000)
    return astuple(score, missing)
