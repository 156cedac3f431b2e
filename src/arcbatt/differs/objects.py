# Differs over objects: connected cells of one colour other than the grid's commonest.


def differ_objects_missing(S, I, output, target):
    """Objects of the target: those that the output has. Picks those that it has not."""
    got = objects(crop(output, ORIGIN, (31, 31)), T, T, T)
    wanted = objects(target, T, T, T)
    missing = difference(wanted, got)
    found = subtract(size(wanted), size(missing))
    share = divide(multiply(1000, found), maximum(astuple(size(wanted), ONE)))
    score = branch(wanted, share, 1000)
    return astuple(score, missing)


def differ_objects_extra(S, I, output, target):
    """Objects of the output: those that the target has. Picks those that it has not."""
    got = objects(crop(output, ORIGIN, (31, 31)), T, T, T)
    wanted = objects(target, T, T, T)
    extra = difference(got, wanted)
    right = subtract(size(got), size(extra))
    share = divide(multiply(1000, right), maximum(astuple(size(got), ONE)))
    score = branch(got, share, 1000)
    return astuple(score, extra)


def differ_shapes(S, I, output, target):
    """Shapes of objects, whatever their colour and place: those that output and target share, of
    those that either has. Picks the target's shapes that the output has not.
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
