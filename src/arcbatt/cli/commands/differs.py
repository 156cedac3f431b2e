"""`arcbatt differs`: list the differs, or show what they say about a program."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from arcbatt.checking.differ_scores import ScoredDemo, credit_of, score_demos, score_of
from arcbatt.drawing import Kind, describe, draw_pair, draw_value
from arcbatt.evaluation.differs import BEST_SCORE, bundled_differs
from arcbatt.explainer import read_source
from arcbatt.language import Failure
from arcbatt.language.interpreter import Outcome
from arcbatt.library import library_differs
from arcbatt.tasks import Pair

from ..completion import complete_task
from ..console import print_blocks, print_json
from ..lookup import get_program, get_task
from ..options import AsJson, ProgramName, TaskSource

EXAMPLES = (
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
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            "--task",
            metavar="ID",
            help="The task to judge it on: an id, or a task file.",
            autocompletion=complete_task,
        ),
    ] = None,
    data: TaskSource = None,
    name: ProgramName = None,
    as_json: AsJson = False,
) -> None:
    """List the differs, which score how near an output comes, or run them on a program.

    A differ is a program that scores how near an output comes to the target, from 0 to 1000, and
    picks the element at fault, which is drawn over the right output. The credit is the weighted
    mean of the scores. A program that is right on all demos fits. It runs within the budget of the
    search, 1,000,000 steps.
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
    demos = score_demos(chosen, known)
    credit = credit_of(demos)
    fits = all(demo.is_right for demo in demos)
    if as_json:
        summary = {"program": chosen.name, "task": known.id, "fits": fits, "credit": credit}
        details = [{"scores": demo.scores, "right": demo.is_right} for demo in demos]
        print_json({**summary, "demos": details})
        return
    for number, demo in enumerate(demos, 1):
        print_blocks(Rule(f"demo {number} of {len(demos)}", align="left", style="dim"))
        print_blocks(_draw(demo), Text())
    total = Text(f"credit {credit} of {BEST_SCORE}{', fits' * fits}", style="bold")
    print_blocks(total.append(f"  {chosen.name} on {known.id}", style="not bold dim"))


def _listed() -> list[dict[str, Any]]:
    weights = {differ.name: differ.weight for differ in bundled_differs()}
    listed = []
    for parsed in library_differs():
        source = read_source(parsed)
        listed.append(
            {"name": parsed.name, "weight": weights[parsed.name], "doc": source.doc or ""}
        )
    return listed


def _list_table(listed: list[dict[str, Any]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("differ", no_wrap=True)
    table.add_column("weight", justify="right")
    table.add_column("score and picked element", overflow="fold")
    for differ in listed:
        table.add_row(differ["name"], str(differ["weight"]), " ".join(differ["doc"].split()))
    return table


def _draw(scored: ScoredDemo) -> RenderableType:
    wanted = draw_pair(Pair(scored.demo.input, scored.demo.output))
    if isinstance(scored.output, Failure):
        failed = Text(f"failed: {scored.output}; every differ scores 0", style="bold red")
        return Group(wanted, failed)
    verdict = Text("right", "bold green") if scored.is_right else Text("wrong", "bold red")
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("differ", no_wrap=True)
    table.add_column("score", justify="right")
    table.add_column("picks")
    for name, outcome in scored.outcomes.items():
        score = score_of(outcome)
        style = "green" if score == BEST_SCORE else "yellow" if score else "red"
        table.add_row(name, Text(str(score), style=style), _draw_pick(outcome, scored.demo))
    got = draw_value(scored.output, over=scored.demo.input)
    return Group(wanted, Text.assemble("the program's output: ", verdict), got, table)


def _draw_pick(outcome: Outcome, demo: Pair) -> RenderableType:
    if isinstance(outcome, Failure):
        return Text(f"failed: {outcome}", style="red")
    assert isinstance(outcome, tuple)  # a Differ ends in astuple
    picked = outcome[1]
    if describe(picked).kind is Kind.EMPTY:
        return Text("nothing", style="dim")
    return draw_value(picked, over=demo.output)
