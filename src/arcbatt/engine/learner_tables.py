"""The features and codes that learned rules refer to, rendered for `native/learners`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum
from textwrap import fill

from arcbatt.language.primitives import cell_columns, cell_features, grid_objects, object_effects

_HEAD = "// Made from the language by arcbatt.engine.table; do not edit.\n"


def _enum(name: str, members: Iterable[str]) -> str:
    return fill(f"enum {name} {{ {', '.join(members)} }};", 110, subsequent_indent="  ") + "\n"


def _int_enum(codes: type[IntEnum]) -> str:
    return _enum(codes.__name__, (f"{code.name} = {code.value}" for code in codes))


def _array(name: str, numbers: Sequence[int], kind: str = "u8") -> str:
    text = f"constexpr {kind} {name}[] = {{ {', '.join(str(int(k)) for k in numbers)} }};"
    return fill(text, 110, subsequent_indent="  ") + "\n"


def render_object_codes() -> str:
    """Return the text of `object_codes.inc`: features of objects, references and effects."""
    features = grid_objects.FEATURES
    numbers = {
        name: vars(object_effects)[name]
        for name in "N_WAYS BY_CONSTANT MAX_STEP MAX_OBLIQUE_STEP N_EFFECTS N_PAINTS".split()
    } | {"N_SEGMENTATIONS": grid_objects.N_SEGMENTATIONS}
    return "".join(
        [
            _HEAD,
            _int_enum(grid_objects.Segmentation),
            _enum("Reference", [*(each.name for each in grid_objects.REFERENCES), "N_REFERENCES"]),
            _enum("ObjectFeature", [*(each.name for each in features), "N_OBJECT_FEATURES"]),
            _array("IS_COUNTED", [each.is_counted for each in features]),
            *map(_int_enum, (object_effects.Effect, object_effects.Way, object_effects.Paint)),
            *(f"constexpr i32 {name} = {number};\n" for name, number in numbers.items()),
        ]
    )


def render_cell_features() -> str:
    """Return the text of `cell_features.inc`: traits, simplicities and groups of cell features."""
    features = cell_features.FEATURES
    traits = ("IS_COLOR", "IS_TAKEN", "TURNS", "NAMES")
    return "".join(
        [
            _HEAD,
            _enum("CellTrait", [f"{name} = {vars(cell_columns)[name]}" for name in traits]),
            f"constexpr i32 N_CELL_FEATURES = {len(features)};\n",
            _array("TRAITS", [feature.traits for feature in features]),
            _array("SIMPLICITIES", [feature.simplicity for feature in features]),
            _array("GROUP_ENDS", cell_features.GROUP_ENDS, "i32"),
        ]
    )
