"""Check program text on a task: errors, the value of every line, and fitted pairs."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

from arcbatt.api import judge_answers
from arcbatt.checking import (
    DIFFER,
    KnownTask,
    ProgramCheck,
    check_program,
    is_differ,
)
from arcbatt.drawing import describe
from arcbatt.drawing.pages import render_page
from arcbatt.explainer import Explanation, all_pairs, explain, read_source, why_too_large
from arcbatt.explainer.page import explanation_values
from arcbatt.explainer.trace import LineTrace
from arcbatt.explainer.wording import why_no_value
from arcbatt.language import ParsedProgram, ProgramError, parse_programs
from arcbatt.language.budget import SEARCH_BUDGET
from arcbatt.scoring import Answers, known_answers
from arcbatt.tasks import Task

from .draw_tasks import read_drawn
from .jobs_protocol import SendEvent

CHECKED = "checked"
ALL = "all"
# An assignment.
_ASSIGNED = re.compile(r"\s+([A-Za-z_]\w*)\s*(?::[^=]*)?=")


def check_written(given: dict[str, Any], send: SendEvent) -> None:
    """Parse, explain and check a program; if it is invalid, the lines before the error."""
    known = _find_task(given)
    text = given["text"]
    try:
        program = parse_one(text)
    except ProgramError as error:
        place = {"line": max(error.line, 1), "column": max(error.column, 1)}
        result: dict[str, Any] = {
            "error": {**place, "message": error.message},
            "pairs": [
                {"pair": f"{kind} {k + 1}", "result": None, "reason": None}
                for kind, k in all_pairs(known.task)
            ],
        }
        if before := _part_before(text, error.line):
            program, text = before
            explanation = _explain(program, known, given["pair"])
            # Names unused so far may be used in the lines that follow.
            lines = tuple(replace(line, is_used=True) for line in explanation.lines)
            result |= _show(replace(explanation, lines=lines))
        send(CHECKED, result)
        return
    check = check_program(program, known, SEARCH_BUDGET)
    result = {"pairs": [pair.to_json() for pair in check.pairs], "summary": _summarize(check)}
    send(CHECKED, result | _show(_explain(program, known, given["pair"])))


def _explain(program: ParsedProgram, known: KnownTask, pair: str) -> Explanation:
    """Explain a program on the pair with this label, or on all pairs."""
    pairs = all_pairs(known.task)
    chosen = [(kind, k) for kind, k in pairs if pair in (ALL, f"{kind} {k + 1}")] or pairs[:1]
    return explain(program, read_source(program), known.task, chosen, judge_answers(known))


def _show(explanation: Explanation) -> dict[str, Any]:
    """Return the notes below the lines, and drawings of their values."""
    return {
        "lines": [_line_note(explanation, number) for number in range(len(explanation.lines))],
        "html": render_page(
            "arcbatt.explainer", "explanation_body.html", **explanation_values(explanation)
        ),
    }


def _part_before(text: str, line: int) -> tuple[ParsedProgram, str] | None:
    """Return the program before a line, with its text, or None."""
    lines = text.split("\n")[: max(line - 1, 0)]
    names = [match.group(1) for match in map(_ASSIGNED.match, lines) if match]
    if not names:
        return None
    part = "\n".join([*lines, f"    return {names[-1]}", ""])
    try:
        return parse_one(part), part
    except ProgramError:
        return None


def parse_one(text: str) -> ParsedProgram:
    """Return the single program of a text that can be run on tasks and shown."""
    programs = list(parse_programs(text))
    if not programs:
        raise ProgramError("expected a program: def solve(I):", line=1, column=1)
    if len(programs) > 1:
        raise ProgramError("one program at a time", line=programs[1].line, column=1)
    trouble = DIFFER if is_differ(programs[0]) else why_too_large(programs[0])
    if trouble is not None:
        raise ProgramError(trouble, line=programs[0].line, column=1)
    return programs[0]


def _find_task(given: dict[str, Any]) -> KnownTask:
    """Return the drawn task, or the task of a source, with the known answers."""
    if given["source"] is None:
        return read_drawn(given["task"]).known()
    task = Task.of(given["task"], id=given["id"], source=given["source"])
    return KnownTask(task, _answers(given["source"]))


@lru_cache(maxsize=4)
def _answers(source: str) -> Answers | None:
    return known_answers(source)


def _line_note(explanation: Explanation, index: int) -> dict[str, Any]:
    """Return the note below a line: its value on the first pair, or why there is none."""
    line = explanation.lines[index]
    state, note = _say(explanation.pairs[0].lines[index])
    if line.warning:
        state, note = "failed", f"cannot work: {line.warning}"
    elif not line.is_used:
        note += "; unused"
    last = line.statement.number + line.statement.text.count("\n")
    return {"line": last, "state": state, "note": note}


def _say(trace: LineTrace) -> tuple[str, str]:
    step = trace.step
    if step.state == "value":
        return step.state, describe(step.outcome, step.type).caption
    if step.state == "failed":
        return step.state, f"failed: {step.outcome}"
    return step.state, why_no_value(step)


def _summarize(check: ProgramCheck) -> dict[str, Any]:
    """Return a short verdict on a program."""
    n_right = sum(pair.result == "right" for pair in check.pairs)
    n_judged = sum(pair.result != "unjudged" for pair in check.pairs)
    words = f"right on {n_right} of {n_judged} pairs"
    if n_judged < len(check.pairs):
        words += f", {len(check.pairs) - n_judged} without an answer"
    return {"words": words, "right": bool(check.right), "reason": check.reason}
