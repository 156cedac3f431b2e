"""Learners: primitives that search for a rule, each implemented once, in native/learners.

A module here declares the types, documentation, examples and words of its learners; the decorated
functions have no body.
"""
