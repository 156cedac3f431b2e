"""Messages to the model: the language, a task, and feedback on its programs."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from arcbatt.evaluation import run
from arcbatt.explainer import describe_rejection
from arcbatt.language import (
    SEARCH_BUDGET,
    ParsedProgram,
    Program,
    RejectedProgram,
    language_prompt,
    read_programs,
)
from arcbatt.tasks import Grid, Task

from .options import AskOptions

# Of an answer, and of all answers of a request.
MAX_PROGRAMS = 20
MAX_PROGRAMS_PER_TURN = 60
# Feedback of a turn: programs, texts that were none, and characters of a program's text.
MAX_SHOWN = 2
MAX_REJECTED = 2
MAX_PROGRAM_TEXT = 4_000

_INSTRUCTIONS = """\
You will be shown an ARC task: pairs of input and output grids, and test inputs. Find the rule that
turns every input into its output and that holds for the test inputs as well. Answer with one to
three different programs, the likeliest first, each in a code fence of its own:

```python
def solve(I):
    ...
```

Write nothing but the rule in one sentence, then the programs.
"""
_REPAIR = "None of these programs is right. Mend them, or try another rule.\n"


@dataclass(frozen=True, slots=True)
class Answer:
    """The programs in the answers of a request, each once, and texts that are not programs."""

    texts: tuple[str, ...]
    programs: tuple[ParsedProgram, ...]
    rejected: tuple[RejectedProgram, ...]


def read_answer(texts: Sequence[str]) -> Answer:
    """Find the programs in the answers of a request. They are data: nothing is run by Python."""
    programs: dict[Program, ParsedProgram] = {}
    rejected: list[RejectedProgram] = []
    for text in texts:
        for found in read_programs(text)[:MAX_PROGRAMS]:
            if isinstance(found, RejectedProgram):
                rejected.append(found)
            elif set(found.program.inputs) <= {"S", "I"}:
                programs.setdefault(found.program, found)
    return Answer(tuple(texts), tuple(programs.values())[:MAX_PROGRAMS_PER_TURN], tuple(rejected))


def first_messages(
    task: Task, best: Sequence[Program], options: AskOptions
) -> list[dict[str, Any]]:
    """Return the messages that begin a conversation: the language, the task, what is known.

    Names of tasks and files are left out: they could be any text.
    """
    text = describe_task(task)
    if best:
        text += "\nThe best programs so far, which are not right:\n"
        for each in best:
            program = replace(each, name="solve")  # it may be named after a task
            feedback = run(program, task, SEARCH_BUDGET, device="cpu", n_threads=1).feedback()
            text += f"\n```python\n{program.text[:MAX_PROGRAM_TEXT]}```\n{feedback}\n"
    content: Any = text
    if options.images:
        from arcbatt.drawing.png import png_task  # here, since it loads Pillow

        # Drawn with its id and the name of its file.
        nameless = replace(task, id="task", source="ARC")
        picture = b64encode(png_task(nameless)).decode("ascii")
        url = {"url": f"data:image/png;base64,{picture}"}
        content = [{"type": "text", "text": text}, {"type": "image_url", "image_url": url}]
    system = f"{language_prompt(options.dialect)}\n{_INSTRUCTIONS}"
    return [{"role": "system", "content": system}, {"role": "user", "content": content}]


def repair_messages(
    answer: Answer, ranked: Sequence[ParsedProgram], task: Task
) -> list[dict[str, Any]]:
    """Return an answer and the feedback on it; `ranked` are its programs, the best first."""
    parts = [_REPAIR]
    shown = ""
    for program in ranked[:MAX_SHOWN]:
        shown += f"```python\n{program.text[:MAX_PROGRAM_TEXT]}\n```\n"
        feedback = run(program, task, SEARCH_BUDGET, device="cpu", n_threads=1).feedback()
        parts.append(f"{feedback}\n")
    for rejected in answer.rejected[:MAX_REJECTED]:
        parts.append(f"{describe_rejection(rejected)}\n")
    if not ranked and not answer.rejected:
        parts.append("There was no program in your answer.\n")
    if not shown:
        shown = answer.texts[0][:MAX_PROGRAM_TEXT]
    return [
        {"role": "assistant", "content": shown},
        {"role": "user", "content": "\n".join(parts)},
    ]


def describe_task(task: Task) -> str:
    """Return the grids of a task as digits."""
    lines = []
    for number, demo in enumerate(task.demos, 1):
        lines += [f"Pair {number}, input {_size(demo.input)}:", *_rows(demo.input)]
        lines += [f"Pair {number}, output {_size(demo.output)}:", *_rows(demo.output), ""]
    for number, grid in enumerate(task.test_inputs, 1):
        lines += [f"Test input {number} {_size(grid)}:", *_rows(grid), ""]
    return "\n".join(lines)


def _size(grid: Grid) -> str:
    return f"({len(grid)} rows, {len(grid[0])} columns)"


def _rows(grid: Grid) -> list[str]:
    return ["".join(map(str, row)) for row in grid]
