# Differs over single cells: which are right, which were changed wrongly.
#
# A differ judges another program's `output` by the `target` and returns a pair: a score, which is
# 1000 if there is nothing to find fault with and 0 at the least, and what is at fault. Outputs are
# cut to 31 by 31 first: a target has at most 30 rows and columns, so one that was cut still is wrong,
# and what a differ costs has a bound.


def differ_size(S, I, output, target):
    """The size of the output: what it and the target both cover, of what either covers. Picks
    how many rows and columns are missing (less than zero: too many).
    """
    shown = crop(output, ORIGIN, (31, 31))
    covered = size(asobject(shown))
    rows = minimum(astuple(height(shown), height(target)))
    columns = minimum(astuple(width(shown), width(target)))
    by_both = multiply(rows, columns)
    by_either = subtract(add(covered, size(asobject(target))), by_both)
    score = divide(multiply(1000, by_both), by_either)
    missing = subtract(shape(target), shape(shown))
    return astuple(score, missing)


def differ_cells(S, I, output, target):
    """Cells: those that output and target share, of those that either has. Picks the cells of
    the target that the output has not.
    """
    got = asobject(crop(output, ORIGIN, (31, 31)))
    wanted = asobject(target)
    missing = difference(wanted, got)
    right = subtract(size(wanted), size(missing))
    in_either = add(size(got), size(missing))
    score = divide(multiply(1000, right), in_either)
    return astuple(score, missing)


def differ_changes(S, I, output, target):
    """Changes to the input: the cells that the output changes rightly, of all that it changes or
    should change. Picks where it changes what should stay, does not change what should, or
    changes it to a wrong colour.
    """
    before = asobject(I)
    made = difference(asobject(crop(output, ORIGIN, (31, 31))), before)
    wanted = difference(asobject(target), before)
    missing = difference(wanted, made)
    in_either = add(size(made), size(missing))
    right = subtract(size(wanted), size(missing))
    share = divide(multiply(1000, right), maximum(astuple(in_either, ONE)))
    score = branch(in_either, share, 1000)
    wrong = difference(made, wanted)
    at_fault = toindices(combine(missing, wrong))
    return astuple(score, at_fault)


def differ_box(S, I, output, target):
    """Inside the box around all cells of the output that are not of its commonest colour: the
    cells that are right. Where there are none such, the box is the whole output. Picks the cells
    of the box that are wrong.
    """
    shown = crop(output, ORIGIN, (31, 31))
    got = asobject(shown)
    drawn = merge(fgpartition(shown))
    inside = toobject(backdrop(either(drawn, got)), shown)
    wrong = difference(inside, asobject(target))
    right = subtract(size(inside), size(wrong))
    score = divide(multiply(1000, right), size(inside))
    return astuple(score, wrong)
