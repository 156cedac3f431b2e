"""Generate the pages that are made from the package itself.

docs/primitives.md and its pictures come from the registry, docs/api.md from docstrings,
docs/commands from the commands' help, docs/library from the bundled solvers, and the pictures of
`arcbatt show` and of a task from the drawing code.

python docs/generate.py          write them
python docs/generate.py --check  list outdated ones, and exit 1 if there are any
"""

from __future__ import annotations

import sys
from pathlib import Path

from api_page import render_api
from command_pages import FOLDER, render_commands
from library_pages import FOLDER as LIBRARY_FOLDER
from library_pages import PICTURES as TASK_PICTURES
from library_pages import render_library
from terminal_pictures import record_show

from arcbatt.drawing import svg_call, svg_task
from arcbatt.language import Failure, Program, Value, all_primitives, format_value, interpret
from arcbatt.language.constants import CONSTANTS
from arcbatt.language.families import FAMILIES
from arcbatt.language.parse import parse_expression
from arcbatt.language.registry import Primitive, Searched, spellings
from arcbatt.language.types import NAMED
from arcbatt.tasks import find_task

DOCS = Path(__file__).parent
PAGE = DOCS / "primitives.md"
PICTURES = DOCS / "img" / "primitives"


def drawn(value: Value) -> bool:
    """Return whether a picture of the value says more than its text."""
    return isinstance(value, frozenset | tuple) and any(isinstance(v, tuple) for v in value)


def example_picture(example: str) -> str | None:
    """Return the example as a picture, or None if its text says as much."""
    call = parse_expression(example.split(" == ")[0])
    args = []
    for node in call.args:
        outcome = interpret(Program(node), {"I": ()}).outcome
        assert not isinstance(outcome, Failure)
        args.append(outcome)
    result = interpret(Program(call), {"I": ()}).outcome
    assert not isinstance(result, Failure)
    return svg_call(args, result) if any(map(drawn, [*args, result])) else None


def describe_search(primitive: Primitive, how: Searched) -> str:
    """Return how the search tries a primitive."""
    if how.codes:
        tried = ", ".join(map(str, how.codes))
    else:
        tried = "all codes" if primitive.codes else ""
    if NAMED["Dims"] in primitive.signatures[0].parameters:
        tried = " and ".join(filter(None, ("the input's and the output's size", tried)))
    where = ", where that color occurs" if how.needs_color else ""
    return (f"with {tried}" if tried else "as it is") + where


def describe(primitive: Primitive, pages: dict[Path, str]) -> list[str]:
    """Return the section of one primitive, and add its pictures to the pages."""
    other_names = sorted(s for s, n in spellings().items() if n == primitive.name != s)
    lines = [f"### {primitive.name}", "", f"`{primitive.usage}`", "", primitive.doc]
    if primitive.notes:
        lines += ["", primitive.notes]
    if primitive.ties:
        lines += ["", f"*Ties:* {primitive.ties}."]
    lines += ["", "*Types:* " + "; ".join(f"`{signature}`" for signature in primitive.signatures)]
    if primitive.codes:
        ranges = [
            f"`{primitive.parameters[k]}` {codes[0]} to {codes[-1]}" for k, codes in primitive.codes
        ]
        lines += ["", f"*Ranges:* {', '.join(ranges)}."]
    if primitive.searched:
        lines += ["", f"*Searched:* {describe_search(primitive, primitive.searched)}."]
    if other_names:
        lines += ["", "*Also:* " + ", ".join(f"`{name}`" for name in other_names)]
    lines += [""]
    for number, example in enumerate(primitive.examples, start=1):
        lines.append(f"- `{example}`")
        picture = example_picture(example)
        if picture is not None:
            path = PICTURES / f"{primitive.name}_{number}.svg"
            pages[path] = picture
            lines += ["", f"  ![{primitive.name}]({path.relative_to(DOCS).as_posix()})", ""]
    return [*lines, ""]


def render() -> dict[Path, str]:
    """Return the texts of all generated files."""
    pages: dict[Path, str] = {}
    primitives = all_primitives()
    lines = [
        "# Primitives",
        "",
        "This page lists every primitive of the language. It is generated from the registry by "
        "`make docs`; do not edit.",
        "",
        f"{len(primitives)} primitives, {len(spellings())} names. In types, small letters stand "
        "for any type, `C[a]` for a tuple or set (the same kind wherever the letter returns), and "
        "`(a -> b)` for a function. Color, Count, Code and the like are integers, Direction and "
        "Dims are pairs; a number outside a stated range, such as `Code[0..3]`, fails as out of "
        "range. `arcbatt solve` enumerates with the primitives that are marked as searched. "
        "[`budget.py`](../src/arcbatt/language/budget.py) defines what a call costs, and "
        "[`values.py`](../src/arcbatt/language/values.py) the order of values.",
        "",
    ]
    modules = {module.__name__.rpartition(".")[2]: module for module in FAMILIES}
    families = {primitive.family: modules[primitive.family] for primitive in primitives.values()}
    for family in families:
        names = [name for name, primitive in primitives.items() if primitive.family == family]
        links = " ".join(f"[`{name}`](#{name})" for name in names)
        lines += [f"**[{family}](#{family})**: {links}", ""]
    for family, module in families.items():
        lines += [f"## {family}", "", (module.__doc__ or "").strip(), ""]
        for primitive in primitives.values():
            if primitive.family == family:
                lines += describe(primitive, pages)
    lines += ["## constants", "", "| name | value |", "| --- | --- |"]
    by_value: dict[str, list[str]] = {}
    for name, value in CONSTANTS.items():
        by_value.setdefault(format_value(value), []).append(f"`{name}`")
    lines += [f"| {', '.join(names)} | `{text}` |" for text, names in by_value.items()]
    pages[PAGE] = "\n".join(lines).rstrip() + "\n"
    pages[DOCS / "img" / "show.svg"] = record_show("00d62c1b")
    pages[DOCS / "img" / "task.svg"] = svg_task(find_task("67a3c6ac"))
    pages[DOCS / "api.md"] = render_api()
    for made in (render_commands(), render_library()):
        pages.update((DOCS / name, text) for name, text in made.items())
    return pages


def stale(pages: dict[Path, str]) -> list[Path]:
    """Return files that are outdated, missing, or no longer generated."""
    wrong = [p for p, text in pages.items() if not p.exists() or p.read_text("utf-8") != text]
    made = (
        *PICTURES.glob("*.svg"),
        *(DOCS / TASK_PICTURES).glob("*.svg"),
        *(path for folder in (FOLDER, LIBRARY_FOLDER) for path in (DOCS / folder).glob("*.md")),
    )
    return wrong + [path for path in made if path not in pages]


def main() -> None:
    pages = render()
    wrong = stale(pages)
    if "--check" in sys.argv[1:]:
        for path in wrong:
            print(f"stale: {path.relative_to(DOCS.parent)}; run make docs")
        raise SystemExit(bool(wrong))
    for path in wrong:
        if path in pages:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(pages[path], "utf-8")
        else:
            path.unlink()
    print(f"{len(wrong)} of {len(pages)} files written")


if __name__ == "__main__":
    main()
