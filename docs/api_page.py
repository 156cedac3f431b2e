"""Render the page about `import arcbatt` from the docstrings of public names."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import arcbatt

# Every public name once, in reading order.
SECTIONS = {
    "Tasks": ("load", "find_task", "Task", "Pair", "TaskSet", "TaskError"),
    "Looking at things": ("show", "explain", "Explanation"),
    "Programs": (
        "parse_program",
        "parse_file",
        "read_file",
        "read_programs",
        "Program",
        "ParsedProgram",
        "RejectedProgram",
        "ProgramError",
        "run",
        "TaskRun",
        "interpret",
        "language_prompt",
        "Result",
        "Failure",
        "Budget",
    ),
    "Many programs on many samples": ("Batt", "Samples", "BattResult"),
    "Solving": ("solve", "solve_all", "evolve", "Solution", "Solutions", "Watcher"),
    "Scoring": ("score", "Score"),
    "Keeping programs": ("Pool", "PoolProgram"),
    "Own primitives and proposers": (
        "primitive",
        "Proposer",
        "Context",
        "Offer",
        "Proposal",
        "load_plugin",
        "PluginError",
    ),
}
LINES_OF_SIGNATURE = 88


def render_api() -> str:
    """Return the page."""
    named = [name for names in SECTIONS.values() for name in names]
    missing = set(arcbatt.__all__) ^ {*named, "__version__"}
    if missing:
        raise SystemExit(f"docs/api_page.py: names of arcbatt and sections differ: {missing}")
    lines = [
        "# Python API",
        "",
        "This page lists what `import arcbatt` offers. It is generated from the docstrings by "
        "`make docs`; do not edit. [The tutorial](tutorial.md) shows the API at work, and "
        "[notebooks](notebooks.md) what a notebook draws. Names are loaded at first use.",
        "",
    ]
    anchors = _anchors()
    for title, names in SECTIONS.items():
        links = ", ".join(f"[`{name}`](#{anchors[name]})" for name in names)
        lines += [f"**{title}**: {links}", ""]
    for title, names in SECTIONS.items():
        lines += [f"## {title}", ""]
        for name in names:
            lines += _describe(name, getattr(arcbatt, name))
    return "\n".join(lines).rstrip() + "\n"


def _anchors() -> dict[str, str]:
    """Return the anchor of each name; headings that differ only in case are numbered."""
    anchors: dict[str, str] = {}
    for title, names in SECTIONS.items():
        for heading in (title, *names):
            slug = heading.lower().replace(" ", "-")
            n_before = sum(each.lower().replace(" ", "-") == slug for each in anchors)
            anchors[heading] = f"{slug}-{n_before}" if n_before else slug
    return anchors


def _describe(name: str, thing: Any) -> Iterator[str]:
    yield from (f"### {name}", "")
    if not inspect.isclass(thing):
        yield from (*_signature(f"arcbatt.{name}", thing), *_doc(thing))
        return
    if dataclasses.is_dataclass(thing) or issubclass(thing, Exception):
        yield from (f"class `arcbatt.{name}`", "")
    elif getattr(thing, "_is_protocol", False):
        yield from (f"class `arcbatt.{name}`, an interface", "")
    else:
        yield from _signature(f"arcbatt.{name}", thing)
    yield from _doc(thing)
    fields = [f for f in _fields(thing) if not f.name.startswith("_")]
    if fields:
        yield from (
            "Fields: " + ", ".join(f"`{f.name}: {_text(f.type)}`" for f in fields) + ".",
            "",
        )
    for member_name, member in vars(thing).items():
        if member_name.startswith("_") or member_name in {f.name for f in fields}:
            continue
        found = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        if isinstance(found, property) or type(found).__name__ == "cached_property":
            getter = found.fget if isinstance(found, property) else found.func
            given = _text(getter.__annotations__.get("return", ""))
            yield from (f"`{name}.{member_name}`: `{given}`", "", *_quote(getter))
        elif inspect.isfunction(found):
            yield from (*_signature(f"{name}.{member_name}", found), *_quote(found))


def _fields(thing: type) -> tuple[Any, ...]:
    return dataclasses.fields(thing) if dataclasses.is_dataclass(thing) else ()


def _signature(name: str, thing: Callable[..., Any]) -> Iterator[str]:
    """Yield the call as code, with one parameter per line if it is long."""
    signature = inspect.signature(thing)
    parameters = [p for p in signature.parameters.values() if p.name not in ("self", "cls")]
    returned = signature.return_annotation
    result = "" if returned is inspect.Signature.empty else f" -> {_text(returned)}"
    parts = []
    for parameter in parameters:
        is_first_keyword = parameter.kind is parameter.KEYWORD_ONLY and not any(
            "*" in part for part in parts
        )
        parts += ["*"] if is_first_keyword else []
        parts.append(_parameter(parameter))
    line = f"{name}({', '.join(parts)}){result}"
    if len(line) > LINES_OF_SIGNATURE:
        line = "\n".join([f"{name}(", *(f"    {part}," for part in parts), f"){result}"])
    yield from ("```text", line, "```", "")


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    text = stars + parameter.name
    if parameter.annotation is not parameter.empty:
        text += f": {_text(parameter.annotation)}"
    if parameter.default is not parameter.empty:
        text += f" = {parameter.default!r}"
    return text


def _text(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    # The page lists a class by its public name, not by its module.
    return re.sub(r"\barcbatt\.[\w.]*\.(?=[A-Z])", "", text).strip("'\"")


def _doc(thing: Any) -> list[str]:
    return [inspect.getdoc(thing) or "", ""]


def _quote(thing: Any) -> list[str]:
    """Return a member's docstring, indented below that of its class."""
    return [f"> {line}".rstrip() for line in (inspect.getdoc(thing) or "").split("\n")] + [""]
