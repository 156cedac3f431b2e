"""The batt pipeline: deal, fuse, run, score, slice, validate, keep, repeat."""
