"""Render one page per command from the help of the command line."""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import Any

from arcbatt.cli.app import command_names, load_command
from arcbatt.cli.help import default_of, name_of

FOLDER = "commands"
# Options that every command has.
SHARED = ("timing", "install_completion", "show_completion")


def render_commands() -> dict[str, str]:
    """Return the pages by their paths below docs."""
    pages = {}
    rows = []
    for name in command_names():
        command, examples = load_command(name)
        pages[f"{FOLDER}/{name}.md"] = "\n".join(_page(name, command, examples)).rstrip() + "\n"
        first = _paragraphs(command.help)[0]
        rows.append(f"| [`arcbatt {name}`]({FOLDER}/{name}.md) | {_cell(first)} |")
    head = [
        "# Commands",
        "",
        "This page lists the commands. It is generated from their help by `make docs`; do not "
        "edit. `arcbatt help COMMAND` shows the first sentence of every option. Every command "
        "takes `--timing`, which prints time by phase at the end.",
        "",
        "| command | what it does |",
        "| --- | --- |",
    ]
    pages["commands.md"] = "\n".join([*head, *rows]) + "\n"
    return pages


def _page(name: str, command: Any, examples: Any) -> list[str]:
    lines = [f"# arcbatt {name}", ""]
    lines += _body(f"arcbatt {name}", command)
    for part, inner in getattr(command, "commands", {}).items():
        lines += [f"## arcbatt {name} {part}", "", *_body(f"arcbatt {name} {part}", inner)]
    width = max(len(example) for example, _ in examples)
    lines += ["## Examples", "", "```"]
    lines += [f"{example:{width}}  {purpose}" for example, purpose in examples]
    return [*lines, "```"]


def _body(called: str, command: Any) -> list[str]:
    params = [p for p in command.params if not getattr(p, "hidden", False) and p.name != "help"]
    arguments = [p for p in params if p.param_type_name == "argument"]
    options = [p for p in params if p.param_type_name == "option" and p.name not in SHARED]
    words = [called, *(name_of(p) for p in arguments), *(["[OPTIONS]"] if options else [])]
    if hasattr(command, "commands"):
        words = [called, "COMMAND"]
    lines = ["```", " ".join(words), "```", ""]
    for paragraph in _paragraphs(command.help):
        lines += [paragraph, ""]
    if arguments:
        lines += ["| argument | |", "| --- | --- |"]
        lines += [f"| `{_cell(name_of(p))}` | {_prose(p)} |" for p in arguments]
        lines += [""]
    if options:
        lines += ["| option | | default |", "| --- | --- | --- |"]
        lines += [
            f"| `{_cell(name_of(p))}` | {_prose(p)} | {_cell(_code(default_of(p)))} |"
            for p in options
        ]
        lines += [""]
    return lines


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def _paragraphs(text: str | None) -> list[str]:
    parts = re.split(r"\n\s*\n", cleandoc((text or "").replace("\b", "")))
    return [_escape(" ".join(part.split())) for part in parts]


def _prose(param: Any) -> str:
    return _escape(_cell(param.help or ""))


def _escape(text: str) -> str:
    """Escape angle brackets outside code, which would be read as HTML."""
    parts = text.split("`")
    return "`".join(p if k % 2 else p.replace("<", "\\<") for k, p in enumerate(parts))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
