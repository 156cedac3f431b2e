"""All primitives, by family. Importing this package declares them."""

from . import (
    cell_trees,
    classes,
    codes,
    containers,
    demos,
    functions,
    grids,
    learned,
    numbers,
    object_actions,
    object_bars,
    objects,
    panels,
    patches,
    patterns,
    picture_drawing,
    picture_lists,
    picture_pairs,
    pictures,
    pieces,
    ranks,
    rewriting,
    shapes,
    symmetry,
    templates,
    views,
)

# What these have learnt, in words: declared by being imported.
from . import learned_words as learned_words
from . import panel_words as panel_words

# In reading order: each family builds on those before it.
FAMILIES = (
    numbers,
    containers,
    functions,
    patches,
    shapes,
    pieces,
    grids,
    objects,
    codes,
    ranks,
    demos,
    pictures,
    picture_drawing,
    picture_lists,
    picture_pairs,
    learned,
    object_actions,
    views,
    cell_trees,
    rewriting,
    symmetry,
    classes,
    panels,
    templates,
    object_bars,
    patterns,
)
