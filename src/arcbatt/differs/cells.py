# Differs for single cells: which are right, and which were changed wrongly.
#
# A differ scores another program's `output` against the `target` and returns a pair: a score from 0
# to 1000, which is 1000 if the differ finds no fault, and the element at fault. The comment above a
# differ is its weight in the credit. Outputs are first cut to 31 by 31, which bounds the cost: a
# target has at most 30 rows and columns, so a cut output is still wrong.


# weight: 2
def differ_size(S, I, output, target):
    """Size: the share of locations in both grids among those in either. Picks the number of
    missing rows and columns (negative if there are too many).
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


# weight: 1
def differ_cells(S, I, output, target):
    """Cells: the share of cells in both grids among those in either. Picks the cells of the
    target that the output lacks.
    """
    got = asobject(crop(output, ORIGIN, (31, 31)))
    wanted = asobject(target)
    missing = difference(wanted, got)
    right = subtract(size(wanted), size(missing))
    in_either = add(size(got), size(missing))
    score = divide(multiply(1000, right), in_either)
    return astuple(score, missing)


# weight: 6
def differ_changes(S, I, output, target):
    """Changes to the input: the share of cells changed rightly among those that are or should be
    changed. Picks the cells that are changed wrongly, needlessly or not at all.
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


# weight: 1
def differ_box(S, I, output, target):
    """Box around the output's cells of other colors than the most common one: the share of right
    cells. Without such cells, the box is the whole output. Picks the wrong cells of the box.
    """
    shown = crop(output, ORIGIN, (31, 31))
    got = asobject(shown)
    drawn = merge(fgpartition(shown))
    inside = toobject(backdrop(either(drawn, got)), shown)
    wrong = difference(inside, asobject(target))
    right = subtract(size(inside), size(wrong))
    score = divide(multiply(1000, right), size(inside))
    return astuple(score, wrong)
