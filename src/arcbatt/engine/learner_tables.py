"""The features and codes that learned rules refer to, rendered for `native/learners`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from textwrap import fill

from arcbatt.language.learners import object_fates, object_predicates
from arcbatt.language.primitives import cell_columns, cell_features, grid_objects, object_effects

_HEAD = "// Made from the language by arcbatt.engine.table; do not edit.\n"


def _enum(name: str, members: Iterable[str]) -> str:
    return fill(f"enum {name} {{ {', '.join(members)} }};", 110, subsequent_indent="  ") + "\n"


def _int_enum(codes: type[IntEnum]) -> str:
    return _int_enum_of(codes.__name__, {code.name: code.value for code in codes})


def _int_enum_of(name: str, codes: Mapping[str, int]) -> str:
    return _enum(name, (f"{each} = {value}" for each, value in codes.items()))


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


def render_fate_codes() -> str:
    """Return the text of `fate_codes.inc`: cuts, predicates of objects, fates and their bits."""
    predicates, codes = object_predicates, object_fates

    def names(members: Iterable[Sequence[object]]) -> list[str]:
        return [str(each[0]) for each in members]

    def sixteenths(bits: Iterable[float]) -> list[int]:
        return [round(16 * each) for each in bits]

    features, places = predicates.FEATURES, predicates.PLACES
    n_by_reference = len(predicates.SIDES) * (len(predicates.REFERENCES) + 1)
    return "".join(
        [
            _HEAD,
            f"constexpr CutCode CUTS[] = {{ {', '.join(names(predicates.CUTS))} }};\n",
            _array("CUT_BITS", sixteenths(each[2] for each in predicates.CUTS)),
            _enum("Scale", [each.name for each in predicates.Scale]),
            _enum("Measure", [*(f"{n}_OF" for n in names(predicates.MEASURES)), "N_MEASURES"]),
            _enum("Kinship", [*(f"SAME_{n}" for n in names(predicates.KINSHIPS)), "N_KINSHIPS"]),
            _enum("Flag", [*names(predicates.FLAGS), "N_FLAGS"]),
            _enum("Category", [*names(predicates.CATEGORIES), "N_CATEGORIES"]),
            _enum("Reference", [*names(predicates.REFERENCES), "N_REFERENCES"]),
            _enum("Relation", [*names(predicates.RELATIONS), "N_RELATIONS"]),
            f"constexpr i32 N_FEATURES = {len(features)};\n",
            _array("SCALES", [each.scale for each in features]),
            _array("FEATURE_BITS", sixteenths(each.bits for each in features)),
            *map(_int_enum, (codes.Fate, codes.Like, codes.FateKind, codes.Crop, codes.Count)),
            *map(_int_enum, (codes.Listing, codes.Order)),
            f"constexpr i32 N_FATES = {len(codes.FATE_BITS)};\n",
            _array("FATE_BITS", sixteenths(codes.FATE_BITS)),
            _int_enum_of("NewPlace", {p.name: k for k, p in enumerate(places) if p.name}),
            _enum("Side", [*names(predicates.SIDES), "N_SIDES"]),
            f"constexpr i32 MAX_STEP = {predicates.MAX_STEP}, N_PLACES = {len(places)},\n",
            f"  BY_REFERENCE = {len(places) - n_by_reference},",
            f" COPY_BITS = {round(16 * codes.COPY_BITS)};\n",
            _array("PLACE_BITS", sixteenths(each.bits for each in places)),
        ]
    )
