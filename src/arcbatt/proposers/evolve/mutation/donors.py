"""Donors: programs whose parts are put into other programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import overload

from arcbatt.language import Node, Program
from arcbatt.language.infer import type_of
from arcbatt.language.types import Type

from .roles import shape_of

Part = tuple[Node, int]  # a node, and the number of the donor that it comes from


class Donors(Sequence[Program]):
    """Programs with an index of their parts by shape, built when first needed.

    Pass one instance to several `Mutator`s, so that they share the index.
    """

    def __init__(self, programs: Sequence[Program]) -> None:
        self._programs = tuple(programs)

    def __len__(self) -> int:
        return len(self._programs)

    @overload
    def __getitem__(self, place: int) -> Program: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Program]: ...
    def __getitem__(self, place: int | slice) -> Program | Sequence[Program]:
        return self._programs[place]

    def __iter__(self) -> Iterator[Program]:
        return iter(self._programs)

    def make_index(self) -> None:
        """Build the index now."""
        assert self._parts is not None

    def parts(self, shape: Type) -> Sequence[Part]:
        """Return the distinct calls and functions of a shape, in the order of donors and steps."""
        return self._parts.get(shape, ())

    def place(self, program: Program) -> int:
        """Return the index of one of the programs."""
        return self._places[program]

    @cached_property
    def _places(self) -> Mapping[Program, int]:
        return {program: k for k, program in enumerate(self._programs)}

    @cached_property
    def _parts(self) -> Mapping[Type, list[Part]]:
        parts: dict[Type, list[Part]] = {}
        seen: set[Node] = set()
        for k, program in enumerate(self._programs):
            for node in program.nodes():
                if node in seen:
                    continue
                seen.add(node)
                if node.kind == "input" and node.name not in ("I", "S"):
                    raise ValueError(f"{program.name} is not a solver: it reads {node.name}")
                given = type_of(node)
                if given is not None and node.kind not in ("input", "constant"):
                    parts.setdefault(shape_of(given), []).append((node, k))
        return parts
