# Differs that forgive a wrong place: a turn, a mirror, a shift.


# weight: 1
def differ_turned(S, I, output, target):
    """Right up to a mirror or rotation: all or nothing. Picks the code of the turn from the
    target to the output (as for `mir_rot`; 7, which changes nothing, if there is none).
    """
    shown = asobject(crop(output, ORIGIN, (31, 31)))
    codes = interval(0, 8, 1)
    turned = apply(compose(asobject, lbind(mir_rot, target)), codes)
    best = maximum(pair(apply(lbind(equality, shown), turned), codes))
    score = multiply(1000, first(best))
    return astuple(score, last(best))


# weight: 1
def differ_shifted(S, I, output, target):
    """Right up to a shift: the cells of other colors than the most common one, moved to the upper
    left; the share in both grids among those in either. Picks the target's moved cells that the
    output lacks.
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
