"""The page of a task, alone or with the results of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arcbatt.api import judge_answers
from arcbatt.checking import KnownTask, check_program
from arcbatt.drawing.grid_diff import describe_difference, differing_cells
from arcbatt.drawing.layout import lay_out_task
from arcbatt.explainer import Explanation, all_pairs, make_page, read_source, why_too_large
from arcbatt.explainer import explain as trace
from arcbatt.explainer.page import explanation_values
from arcbatt.explainer.picture import lay_out_explanation
from arcbatt.language import Failure, ParsedProgram, Value, parse_programs
from arcbatt.library import library_programs
from arcbatt.pool import PoolError
from arcbatt.scoring import Answers, known_answers
from arcbatt.scoring.disclosure import show_answer
from arcbatt.solving.descriptions import describe_candidate, say_reasons
from arcbatt.solving.ledger import RankedCandidate, TaskKnowledge, read_knowledge
from arcbatt.solving.ranking import weigh
from arcbatt.solving.report.views import TaskView, rename_program, view_values
from arcbatt.tasks import Grid, Task
from arcbatt.tasks.program_names import program_name

from .catalog import find_task, task_key
from .draw import BUDGETS_S
from .responses import catalog_of, export_file, export_page, export_scene, show_page
from .run_data import ShownRun, read_run

# Candidates of a task that are listed.
MAX_OFFERED = 40
# The longer side of a grid on the task page in pixels, and the largest cell.
SIDE = 210
MAX_CELL = 24


@dataclass(frozen=True, slots=True)
class ShownTask:
    """A task as its page shows it; `run` is None for a task of a set."""

    address: str
    place: str
    task: Task
    tasks: Sequence[Task]
    answers: Answers | None
    run: ShownRun | None = None
    view: TaskView | None = None
    knowledge: TaskKnowledge | None = None

    @property
    def here(self) -> str:
        """The address of the page."""
        return self.address_of(self.task)

    def address_of(self, task: Task) -> str:
        """Return the address of another task of the same set or run."""
        return f"{self.address}/tasks/{task_key(task.id)}"

    def neighbor(self, step: int) -> Task | None:
        """Return the task before or after this one."""
        at = [task.id for task in self.tasks].index(self.task.id) + step
        return self.tasks[at] if 0 <= at < len(self.tasks) else None

    @property
    def known(self) -> KnownTask:
        return KnownTask(self.task, self.answers)

    def wanted(self, test: int) -> Grid | None:
        """Return the answer to a test input, if it is known."""
        return None if self.answers is None else show_answer(self.answers, self.task.id, test)

    def differing(self, test: int, grid: Sequence[Sequence[int]]) -> frozenset[tuple[int, int]]:
        """Return the cells of an attempt that differ from the answer."""
        wanted = self.wanted(test)
        given = tuple(map(tuple, grid))
        return (differing_cells(wanted, given) or frozenset()) if wanted else frozenset()

    def say_differing(self, test: int, grid: Sequence[Sequence[int]]) -> str:
        """Describe how an attempt differs from the answer; empty if it does not."""
        wanted = self.wanted(test)
        given = tuple(map(tuple, grid))
        return "" if wanted is None or wanted == given else describe_difference(wanted, given)

    @property
    def offered(self) -> list[RankedCandidate]:
        return [] if self.knowledge is None else self.knowledge.offered()

    @property
    def programs(self) -> list[tuple[ParsedProgram, str]]:
        """The programs that can be explained here, by number, with their text.

        For a task of a run these are its candidates, for a task of a set the bundled solver.
        """
        name = program_name(self.task.id)
        if self.knowledge is not None:
            originals = [each.candidate.program.text for each in self.offered]
        elif self.view is not None and self.view.best is not None:
            originals = [self.view.best["program"]]
        else:
            bundled = [each for each in library_programs() if each.name == name]
            return [(each, Path(each.file).read_text("utf-8")) for each in bundled]
        texts = [rename_program(text, name) for text in originals]
        return [(next(iter(parse_programs(text, "program"))), text) for text in texts]


def find_shown(request: Request) -> ShownTask:
    """Return the task of a request, in a set or in a run."""
    catalog = catalog_of(request)
    key = request.path_params["task"]
    if "set" in request.path_params:
        source = catalog.source(request.path_params["set"])
        tasks: Sequence[Task] = catalog.task_set(source.name)
        task = find_task(tasks, key, source.name)
        answers = known_answers(source.name)
        return ShownTask(f"/sets/{source.key}", source.name, task, tasks, answers)
    run = read_run(catalog, request.path_params["run"])
    task = find_task(run.tasks, key, f"the run {run.key}")
    knowledge = _knowledge(run, task)
    row: Mapping[str, Any] | None
    if run.is_running and knowledge is not None:
        row = knowledge.to_json()
    else:
        row = next((each for each in run.results["by_task"] if each["task"] == task.id), None)
    view = None
    if row is not None:
        right = None if run.right is None or run.is_running else run.right.get(task.id)
        explanation = f"{run.address}/tasks/{key}/programs/{_first_program(row, knowledge)}"
        view = TaskView(task, row, explanation, right)
    answers = known_answers(run.data)
    return ShownTask(run.address, run.title, task, run.tasks, answers, run, view, knowledge)


def _first_program(row: Mapping[str, Any], knowledge: TaskKnowledge | None) -> int:
    """Return the number, from 1, of the program that gave the first attempt."""
    best = row["tests"][0]["attempts"][0]["best"]
    kept = [] if knowledge is None or best is None else knowledge.candidates.kept
    texts = [each.program.text for each in kept]
    if best is None or best["program"] not in texts:
        return 1
    return texts.index(best["program"]) + 1


def _knowledge(run: ShownRun, task: Task) -> TaskKnowledge | None:
    try:
        return read_knowledge(run.path, task)
    except PoolError:  # a folder that was copied without its ledger can still be shown
        return None


def show_task(request: Request) -> Response:
    """Show a task with all that is known about it."""
    shown = find_shown(request)
    # Otherwise a search among the training tasks would find their bundled solvers again.
    return show_page(request, "task.html", budgets_s=BUDGETS_S, library=False, **task_values(shown))


def task_values(shown: ShownTask) -> dict[str, Any]:
    """Return the template values of a task page."""
    return {
        **view_values(),
        "shown": shown,
        "task": shown.task,
        "view": shown.view,
        "side": SIDE,
        "max_cell": MAX_CELL,
        "offered": list(_say_offered(shown)),
        "n_offered": len(shown.offered),
        "work": list(_say_work(shown)),
        "misses": list(_misses(shown)),
    }


@dataclass(frozen=True, slots=True)
class _OfferRow:
    """A candidate in words: its origin, its result, and the deductions from its weight."""

    number: int
    proposer: str
    n_fitted: int
    credit: int
    size: int
    fate: str
    why: str
    what: str


def _say_offered(shown: ShownTask) -> Any:
    """Yield the candidates of a task, best first, with why each won or lost."""
    for number, each in enumerate(shown.offered[:MAX_OFFERED], 1):
        candidate = each.candidate
        yield _OfferRow(
            number,
            candidate.proposer,
            candidate.trial.n_fitted,
            candidate.trial.credit,
            candidate.program.n_calls,
            ", ".join(map(_say_place, each.places)),
            say_reasons(weigh(candidate).reasons),
            describe_candidate(candidate),
        )


def _say_place(place: int | None) -> str:
    if place is None:
        return "no grid"
    return f"attempt {place + 1}" if place < 2 else f"lost, place {place + 1}"


def _say_work(shown: ShownTask) -> Any:
    """Yield the finished work of proposers on a task: proposer, item, result, cut off."""
    for each in [] if shown.knowledge is None else shown.knowledge.work:
        counts = dict(each.counts)
        was_cut = bool(counts.pop("was_cut", False)) or bool(counts.get("n_cut"))
        result = ", ".join(
            f"{name.removeprefix('n_').replace('_', ' ')} {number:,}"
            for name, number in counts.items()
            if isinstance(number, int) and number and name != "n_tasks"
        )
        yield each.proposer, each.item, result or "no result", was_cut


@dataclass(frozen=True, slots=True)
class _Miss:
    """A demo on which the best program is wrong: its output and the differing cells."""

    label: str
    wanted: Grid
    got: Grid | None
    marked: frozenset[tuple[int, int]]
    trouble: str


def _misses(shown: ShownTask) -> Any:
    """Yield the demos on which the best program of an unfitted task is wrong."""
    view = shown.view
    if view is None or view.best is None or view.best_fits:
        return
    (program,) = parse_programs(view.best["program"], "program")
    checked = check_program(program, KnownTask(shown.task, None))
    for demo, pair in zip(shown.task.demos, checked.pairs, strict=False):
        if pair.result == "right":
            continue
        got = None if isinstance(pair.outcome, Failure) else pair.outcome
        is_grid = isinstance(got, tuple) and got and all(isinstance(row, tuple) for row in got)
        marked = differing_cells(demo.output, got) if is_grid else None
        yield _Miss(
            pair.pair,
            demo.output,
            got if is_grid and _is_drawable(got) else None,  # type: ignore[arg-type]
            marked or frozenset(),
            pair.reason or "",
        )


def _is_drawable(value: Value) -> bool:
    """Return whether a value is a grid of ARC colors, which `picture` can draw."""
    return (
        isinstance(value, tuple)
        and bool(value)
        and all(isinstance(row, tuple) and len(row) == len(value[0]) > 0 for row in value)  # type: ignore[arg-type]
        and all(isinstance(c, int) and 0 <= c <= 9 for row in value for c in row)  # type: ignore[union-attr]
    )


def export_task(request: Request) -> Response:
    """Export the page of a task, or a picture of it, as a file."""
    shown = find_shown(request)
    kind = request.path_params["kind"]
    if kind == "html":
        # An exported file has no links, but says how to explain the program.
        view = None if shown.view is None else replace(shown.view, explanation=None)
        values = task_values(replace(shown, view=view))
        return export_page("task.html", f"{shown.task.id}.html", **values)
    attempts = None
    if shown.view is not None:
        attempts = [
            [tuple(map(tuple, attempt["grid"])) for attempt in test["attempts"]]
            for test in shown.view.row["tests"]
        ]
    return export_scene(lay_out_task(shown.task, attempts), shown.task.id, kind)


def explain_program(shown: ShownTask, number: str) -> Explanation:
    """Explain a program of a task; raise "not found" for an unknown number."""
    programs = {str(k): each for k, each in enumerate(shown.programs, 1)}
    if number not in programs:
        raise HTTPException(404, f"{shown.task.id} has no program {number:.20}")
    program, _ = programs[number]
    if too_large := why_too_large(program):
        raise HTTPException(422, too_large)
    pairs = all_pairs(shown.task)
    source = read_source(program)
    return trace(program, source, shown.task, pairs, judge_answers(shown.known))


def show_explanation(request: Request) -> Response:
    """Show the value of every line of a program."""
    shown = find_shown(request)
    number = request.path_params["number"]
    explanation = explain_program(shown, number)
    return show_page(
        request,
        "explanation.html",
        shown=shown,
        number=int(number),
        here=f"{shown.here}/programs/{number}",
        **explanation_values(explanation),
    )


def export_explanation(request: Request) -> Response:
    """Export an explanation as a page, or as a picture of one pair."""
    shown = find_shown(request)
    number, kind = request.path_params["number"], request.path_params["kind"]
    explanation = explain_program(shown, number)
    name = f"{shown.task.id}-program-{number}"
    if kind == "html":
        page = make_page(explanation).encode()
        return export_file(page, f"{name}.html", "text/html; charset=utf-8")
    return export_scene(lay_out_explanation(explanation), name, kind)


def _routes(base: str) -> list[Route]:
    program = f"{base}/tasks/{{task}}/programs/{{number}}"
    return [
        Route(f"{base}/tasks/{{task}}", show_task),
        Route(f"{base}/tasks/{{task}}/export.{{kind}}", export_task),
        Route(program, show_explanation),
        Route(f"{program}/export.{{kind}}", export_explanation),
    ]


ROUTES = [*_routes("/sets/{set}"), *_routes("/runs/{run}")]
