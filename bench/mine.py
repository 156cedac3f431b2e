"""What recurs in the bundled library: subprograms with holes, how often, what they would save.

    python bench/mine.py                what recurs, the most useful first
    python bench/mine.py --write        and make the macros of mutation anew

Needs stitch: pip install '.[mine]'. It finds, one after the other, what shortens all programs
most if it had a name of its own; what one finds may contain what was found before, and is shown
written out. The same library gives the same table. Uses: places where it stands, those within
others included. Utility: by how much all programs get shorter, counted in hundredths of a leaf.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from arcbatt.language import Node
from arcbatt.library import library_programs
from arcbatt.proposers.evolve.mutation import macros

MACROS = Path(macros.__file__).with_name(macros.FILE)
# Stands for a value that a program uses more than once.
SHARED = "shared"
# Of macros: a name for one leaf of a program is none.
LEAST_USES, LEAST_CALLS = 4, 2


@dataclass(frozen=True)
class Recurring:
    """A subprogram as a macro (`mutation/macros.py`), how often it is used, what it saves."""

    macro: Any
    n_uses: int
    utility: int

    @property
    def n_calls(self) -> int:
        return _n_calls(self.macro)

    @property
    def text(self) -> str:
        return _text(self.macro)


def _n_calls(macro: Any) -> int:
    return 1 + sum(map(_n_calls, macro[1:])) if isinstance(macro, list) else 0


def _text(macro: Any) -> str:
    match macro:
        case [name, *args]:
            return f"{name}({', '.join(map(_text, args))})"
        case {"value": value}:
            return str(value)
        case int():
            return f"#{macro}"
    return str(macro)


def expressions() -> tuple[list[str], list[str]]:
    """Return all programs as expressions for stitch, and the name of the program of each.

    What a program uses more than once is an expression of its own: written out at every use, it
    would count as often.
    """
    found, names = [], []
    for parsed in library_programs():
        nodes = list(parsed.program.nodes())
        n_uses = Counter(arg for node in nodes for arg in node.args)

        def written(node: Node, n_uses: Counter[Node] = n_uses, *, is_whole: bool = False) -> str:
            if not node.args:
                return _leaf(node)
            if n_uses[node] > 1 and not is_whole:
                return SHARED
            head = node.name if node.kind == "call" else "invoke"
            return f"({' '.join([head, *(written(arg) for arg in node.args)])})"

        for node in nodes:
            if node.args and (n_uses[node] > 1 or node is parsed.program.result):
                found.append(written(node, is_whole=True))
                names.append(parsed.name)
    return found, names


def _leaf(node: Node) -> str:
    if node.kind != "constant":
        return node.name
    # What stitch reads has no blanks, parentheses or quotes.
    text = repr(node.value).translate(str.maketrans("(){}", "[]<>", " '"))
    return f"={text}"


def mine(n_rounds: int) -> list[Recurring]:
    """Return what recurs, in the order in which it was found."""
    import stitch_core  # a heavy package that nothing else needs

    texts, names = expressions()
    result = stitch_core.compress(
        texts,
        tasks=names,
        iterations=n_rounds,
        max_arity=3,
        threads=1,
        silent=True,
        no_curried_metavars=True,
        no_curried_bodies=True,
    ).json
    bodies: dict[str, Any] = {}
    found: list[Recurring] = []
    for each in result["abstractions"]:
        body = _written_out(_read(each["body"]), bodies)
        bodies[each["name"]] = body
        new = Recurring(_numbered(body), each["num_uses"], each["utility"])
        # What was a hole of its own and what was a shared value may come out alike.
        if new.macro not in [other.macro for other in found]:
            found.append(new)
    return found


def _read(text: str) -> Any:
    """Read an expression of stitch: nested lists of words."""
    stack: list[list[Any]] = [[]]
    for word in text.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            stack.append([])
        elif word == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word)
    (read,) = stack[0]
    return read


def _written_out(body: Any, bodies: dict[str, Any]) -> Any:
    """Put for names what they stand for."""
    head, *args = body if isinstance(body, list) else [body]
    args = [_written_out(arg, bodies) for arg in args]
    if head in bodies:
        return _with_holes(bodies[head], args)
    return [head, *args] if isinstance(body, list) else head


def _with_holes(body: Any, args: list[Any]) -> Any:
    if isinstance(body, list):
        return [_with_holes(each, args) for each in body]
    return args[int(body[1:])] if body.startswith("#") else body


def _numbered(body: Any) -> Any:
    """Return a body as a macro: holes numbered as they come, each shared value is a hole, too."""
    numbers: dict[object, int] = {}

    def made(part: Any) -> Any:
        if isinstance(part, list):
            return [part[0], *map(made, part[1:])]
        if part.startswith("#"):
            return numbers.setdefault(part, len(numbers))
        if part == SHARED:
            return numbers.setdefault(object(), len(numbers))
        if part.startswith("="):
            return {"value": json.loads(part[1:].replace("True", "true").replace("False", "false"))}
        return part

    return made(body)


def can_be_macro(each: Recurring) -> bool:
    """Whether it is worth a draw; calls of values that are functions are not made by mutation."""
    is_plain = "invoke(" not in each.text and "<" not in each.text
    return is_plain and each.n_uses >= LEAST_USES and each.n_calls >= LEAST_CALLS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=100, help="how many to look for")
    parser.add_argument("--write", action="store_true", help=f"make {MACROS.name} anew")
    args = parser.parse_args()
    console = Console(width=130)
    try:
        found = mine(args.rounds)
    except ImportError as error:
        parser.error(f"{error}; pip install '.[mine]' brings it")
    table = Table(title=f"what recurs in {len(library_programs())} programs")
    for heading in ("subprogram", "uses", "utility", "macro"):
        table.add_column(heading, justify="left" if heading == "subprogram" else "right")
    for each in sorted(found, key=lambda each: -each.utility):
        is_macro = "yes" if can_be_macro(each) else ""
        table.add_row(each.text, str(each.n_uses), f"{each.utility:,}", is_macro)
    console.print(table)
    if args.write:
        kept = [each.macro for each in found if can_be_macro(each)]
        lines = ",\n".join(f"  {json.dumps(macro)}" for macro in kept)
        MACROS.write_text(f'{{"macros": [\n{lines}\n]}}\n', "utf-8")
        console.print(f"{len(kept)} macros: {MACROS}")


if __name__ == "__main__":
    main()
