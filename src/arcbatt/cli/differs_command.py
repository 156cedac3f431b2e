"""`arcbatt differs`: how far outputs are from the wanted ones."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from arcbatt.drawing import Kind, describe, draw_pair, draw_value
from arcbatt.evaluation.differs import BEST_SCORE, bundled_differs
from arcbatt.evaluation.judging import JudgedDemo, credit_of, judge, score_of
from arcbatt.explainer import read_source
from arcbatt.language import Failure
from arcbatt.language.interpreter import Outcome
from arcbatt.library import library_differs
from arcbatt.tasks import Pair

from .completion import complete_task
from .console import print_blocks, print_json
from .finding import get_program, get_task
from .options import AsJson, ProgramName, TaskSource

DIFFERS_EXAMPLES = (
    ("arcbatt differs", "list them: what each looks at, and its weight"),
    ("arcbatt differs --program mine.py --task 00d62c1b", "what they say about a program"),
)


def differs(
    ctx: typer.Context,
    program: Annotated[
        Path | None,
        typer.Option(
            "--program",
            metavar="FILE",
            help="Judge a program of this file; needs --task.",
            show_default=False,
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            "--task",
            metavar="ID",
            help="The task to judge it on: an id, or a task file.",
            autocompletion=complete_task,
            show_default=False,
        ),
    ] = None,
    data: TaskSource = None,
    name: ProgramName = None,
    as_json: AsJson = False,
) -> None:
    """List the differs, or show what each says about a program's outputs on the demos.

    A differ scores an output from 0 to 1000 and picks what is at fault, which is drawn over the
    right output. The credit is the weighted mean of the scores. A program that is right on all
    demos fits. It runs within the budget of the search, 1,000,000 steps.
    """
    if program is None and task is None and name is None and data is None:
        listed = _listed()
        if as_json:
            print_json({"differs": listed})
        else:
            print_blocks(_list_table(listed))
        return
    if program is None or task is None:
        ctx.fail("give both --program FILE and --task ID, or neither for the list of differs")
    known = get_task(task, data)
    chosen = get_program(program, name, known.id).program
    judged = judge(chosen, known)
    credit = credit_of(judged)
    fits = all(demo.is_right for demo in judged)
    if as_json:
        demos = [{"scores": demo.scores, "right": demo.is_right} for demo in judged]
        found = {"program": chosen.name, "task": known.id, "fits": fits, "credit": credit}
        print_json({**found, "demos": demos})
        return
    for number, demo in enumerate(judged, 1):
        print_blocks(Rule(f"demo {number} of {len(judged)}", align="left", style="dim"))
        print_blocks(_draw(demo), Text())
    total = Text(f"credit {credit} of {BEST_SCORE}{', fits' * fits}", style="bold")
    print_blocks(total.append(f"  {chosen.name} on {known.id}", style="not bold dim"))


def _listed() -> list[dict[str, Any]]:
    weights = {differ.name: differ.weight for differ in bundled_differs()}
    listed = []
    for parsed in library_differs():
        source = read_source(parsed, Path(parsed.file).read_text("utf-8"))
        listed.append(
            {"name": parsed.name, "weight": weights[parsed.name], "doc": source.doc or ""}
        )
    return listed


def _list_table(listed: list[dict[str, Any]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("differ", no_wrap=True)
    table.add_column("weight", justify="right")
    table.add_column("what it scores and what it picks", overflow="fold")
    for differ in listed:
        table.add_row(differ["name"], str(differ["weight"]), " ".join(differ["doc"].split()))
    return table


def _draw(judged: JudgedDemo) -> RenderableType:
    wanted = draw_pair(Pair(judged.demo.input, judged.demo.output))
    if isinstance(judged.output, Failure):
        failed = Text(f"failed: {judged.output}; every differ counts 0", style="bold red")
        return Group(wanted, failed)
    verdict = Text("right", "bold green") if judged.is_right else Text("wrong", "bold red")
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("differ", no_wrap=True)
    table.add_column("score", justify="right")
    table.add_column("picks")
    for name, outcome in judged.outcomes.items():
        score = score_of(outcome)
        style = "green" if score == BEST_SCORE else "yellow" if score else "red"
        table.add_row(name, Text(str(score), style=style), _draw_pick(outcome, judged.demo))
    got = draw_value(judged.output, over=judged.demo.input)
    return Group(wanted, Text.assemble("the program's output: ", verdict), got, table)


def _draw_pick(outcome: Outcome, demo: Pair) -> RenderableType:
    if isinstance(outcome, Failure):
        return Text(f"failed: {outcome}", style="red")
    assert isinstance(outcome, tuple)  # a Differ ends in astuple
    picked = outcome[1]
    if describe(picked).kind is Kind.EMPTY:
        return Text("nothing", style="dim")
    return draw_value(picked, over=demo.output)
