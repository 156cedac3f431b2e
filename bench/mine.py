"""Find recurring subprograms (with holes) in the bundled library, and their savings as macros.

    python bench/mine.py                list them, the most useful first
    python bench/mine.py --write        and rewrite the macros of mutation

Needs stitch: pip install '.[mine]'. It repeatedly finds the subprogram that would shorten all
programs most as a macro. A subprogram may contain earlier ones and is shown expanded. The result is
deterministic. Uses: occurrences, including nested ones. Utility: by how much all programs get
shorter, in hundredths of a leaf.
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
# A placeholder for a value that a program uses more than once.
SHARED = "shared"
# The minimum size of a macro: a single leaf is not worth a name.
LEAST_USES, LEAST_CALLS = 4, 2


@dataclass(frozen=True)
class Recurring:
    """A subprogram as a macro (`mutation/macros.py`), its uses and its utility."""

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
    """Return all programs as expressions for stitch, with their names.

    A value that a program uses several times is a separate expression, so that it counts once.
    """
    texts, names = [], []
    for parsed in library_programs():
        nodes = list(parsed.program.nodes())
        n_uses = Counter(arg for node in nodes for arg in node.args)

        def format_node(
            node: Node, n_uses: Counter[Node] = n_uses, *, is_whole: bool = False
        ) -> str:
            if not node.args:
                return _leaf(node)
            if n_uses[node] > 1 and not is_whole:
                return SHARED
            head = node.name if node.kind == "call" else "invoke"
            return f"({' '.join([head, *(format_node(arg) for arg in node.args)])})"

        for node in nodes:
            if node.args and (n_uses[node] > 1 or node is parsed.program.result):
                texts.append(format_node(node, is_whole=True))
                names.append(parsed.name)
    return texts, names


def _leaf(node: Node) -> str:
    if node.kind != "constant":
        return node.name
    # Tokens of stitch have no blanks, parentheses or quotes.
    text = repr(node.value).translate(str.maketrans("(){}", "[]<>", " '"))
    return f"={text}"


def mine(n_rounds: int) -> list[Recurring]:
    """Return the recurring subprograms in the order of discovery."""
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
    recurring: list[Recurring] = []
    for each in result["abstractions"]:
        body = _expand(_read(each["body"]), bodies)
        bodies[each["name"]] = body
        new = Recurring(_to_macro(body), each["num_uses"], each["utility"])
        # A separate hole and a shared value may give the same macro.
        if new.macro not in [other.macro for other in recurring]:
            recurring.append(new)
    return recurring


def _read(text: str) -> Any:
    """Parse an expression of stitch into nested lists of words."""
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


def _expand(body: Any, bodies: dict[str, Any]) -> Any:
    """Expand names to their definitions."""
    head, *args = body if isinstance(body, list) else [body]
    args = [_expand(arg, bodies) for arg in args]
    if head in bodies:
        return _fill_holes(bodies[head], args)
    return [head, *args] if isinstance(body, list) else head


def _fill_holes(body: Any, args: list[Any]) -> Any:
    if isinstance(body, list):
        return [_fill_holes(each, args) for each in body]
    return args[int(body[1:])] if body.startswith("#") else body


def _to_macro(body: Any) -> Any:
    """Return a body as a macro: number the holes in order, including shared values."""
    numbers: dict[object, int] = {}

    def convert(part: Any) -> Any:
        if isinstance(part, list):
            return [part[0], *map(convert, part[1:])]
        if part.startswith("#"):
            return numbers.setdefault(part, len(numbers))
        if part == SHARED:
            return numbers.setdefault(object(), len(numbers))
        if part.startswith("="):
            return {"value": json.loads(part[1:].replace("True", "true").replace("False", "false"))}
        return part

    return convert(body)


def can_be_macro(each: Recurring) -> bool:
    """Return whether mutation can use a macro: it does not create calls of function values."""
    is_plain = "invoke(" not in each.text and "<" not in each.text
    return is_plain and each.n_uses >= LEAST_USES and each.n_calls >= LEAST_CALLS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=100, help="maximum number of subprograms")
    parser.add_argument("--write", action="store_true", help=f"rewrite {MACROS.name}")
    args = parser.parse_args()
    console = Console(width=130)
    try:
        recurring = mine(args.rounds)
    except ImportError as error:
        parser.error(f"{error}; install it with pip install '.[mine]'")
    table = Table(title=f"recurring subprograms of {len(library_programs())} programs")
    for heading in ("subprogram", "uses", "utility", "macro"):
        table.add_column(heading, justify="left" if heading == "subprogram" else "right")
    for each in sorted(recurring, key=lambda each: -each.utility):
        is_macro = "yes" if can_be_macro(each) else ""
        table.add_row(each.text, str(each.n_uses), f"{each.utility:,}", is_macro)
    console.print(table)
    if args.write:
        kept = [each.macro for each in recurring if can_be_macro(each)]
        lines = ",\n".join(f"  {json.dumps(macro)}" for macro in kept)
        MACROS.write_text(f'{{"macros": [\n{lines}\n]}}\n', "utf-8")
        console.print(f"{len(kept)} macros: {MACROS}")


if __name__ == "__main__":
    main()
