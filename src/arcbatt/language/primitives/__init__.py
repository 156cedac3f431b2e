"""All primitives, by family. Importing this package declares them."""

from . import (
    codes,
    containers,
    demos,
    functions,
    grids,
    learned,
    numbers,
    objects,
    patches,
    picture_drawing,
    picture_lists,
    pictures,
    pieces,
    ranks,
    rewriting,
    symmetry,
)

# In reading order: each family builds on those before it.
FAMILIES = (
    numbers,
    containers,
    functions,
    patches,
    pieces,
    grids,
    objects,
    codes,
    ranks,
    demos,
    pictures,
    picture_drawing,
    picture_lists,
    learned,
    rewriting,
    symmetry,
)
