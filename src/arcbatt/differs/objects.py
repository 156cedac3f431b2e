# Differs over objects: connected cells of one color other than the grid's most common.


# weight: 1
def differ_objects_missing(S, I, output, target):
    """Objects of the target: the share that the output has. Picks the missing ones."""
    got = objects(crop(output, ORIGIN, (31, 31)), T, T, T)
    wanted = objects(target, T, T, T)
    missing = difference(wanted, got)
    found = subtract(size(wanted), size(missing))
    share = divide(multiply(1000, found), maximum(astuple(size(wanted), ONE)))
    score = branch(wanted, share, 1000)
    return astuple(score, missing)


# weight: 2
def differ_objects_extra(S, I, output, target):
    """Objects of the output: the share that the target has. Picks the others."""
    got = objects(crop(output, ORIGIN, (31, 31)), T, T, T)
    wanted = objects(target, T, T, T)
    extra = difference(got, wanted)
    right = subtract(size(got), size(extra))
    share = divide(multiply(1000, right), maximum(astuple(size(got), ONE)))
    score = branch(got, share, 1000)
    return astuple(score, extra)


# weight: 1
def differ_shapes(S, I, output, target):
    """Shapes of objects, whatever their color and position: the share in both grids among those
    in either. Picks the target's shapes that the output lacks.
    """
    shape_of = compose(normalize, toindices)
    got = apply(shape_of, objects(crop(output, ORIGIN, (31, 31)), T, T, T))
    wanted = apply(shape_of, objects(target, T, T, T))
    missing = difference(wanted, got)
    right = subtract(size(wanted), size(missing))
    in_either = add(size(got), size(missing))
    share = divide(multiply(1000, right), maximum(astuple(in_either, ONE)))
    score = branch(in_either, share, 1000)
    return astuple(score, missing)
