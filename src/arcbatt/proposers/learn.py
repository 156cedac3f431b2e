"""Proposes rules that primitives learn from the demos, every one of them for every task.

The rules are programs of one or a few calls (`DIRECT`, `AS_DATA`, `CHOSEN`, `SYMMETRY`), in each
view that a task has: as it is, with colours by role, on its background, turned. All rules of a
view are one batt. Then trees over cells (`trees`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, product
from typing import Any

import numpy as np

from arcbatt.engine.batt import Batt
from arcbatt.language import Program
from arcbatt.language.ir import Node, call_node, constant
from arcbatt.language.registry import get_primitive
from arcbatt.measure import phase
from arcbatt.plurals import count
from arcbatt.tasks import Task

from . import trees
from .enumerate.stacks import View
from .enumerate.views import grounded, grounds, plain, turns, with_roles
from .proposer import Context, Offer, Proposal, doubt, propose_plainly, unsure
from .trees import GROWING, TREES

# One rule of some hundred fits by chance more easily than one program that was there before.
BITS_OF_A_RULE = 2.0
# What rewrites has chosen up to six rules.
BITS_OF_REWRITING = 1.0
# One that takes 0 for the background where another colour is the commonest in the demos.
BITS_BESIDE_GROUND = 1.0
MAX_OF_VIEW = 24
# So many tasks between two looks at the clock.
TASKS_AT_ONCE = 12
# Of a task, and of one that is wrong, on training.
COST_S, GAIN = 0.08, 0.38
# The primitives that learn.
DIRECT = (
    "learn_cells",
    "learn_objects",
    "pick_object",
    "learn_class",
    "learn_panels",
    "pick_panel",
    "panel_cells",
    "fill_panels",
    "continue_pattern",
)
# Those that give what they have learnt as data, and what applies that.
AS_DATA = {"learn_actions": "apply_actions", "learn_rewrites": "rewrite"}
# Those that learn nothing from the demos but have codes that they choose among; of one of them
# also a colour.
CHOSEN = ("complete_templates", "object_bars")
SYMMETRY = "close_symmetry"
N_HIDDEN = 10  # colours that may hide what a symmetry says
RULES_LEARNT = (*DIRECT, *AS_DATA, *CHOSEN, SYMMETRY)
LEARNING = (*RULES_LEARNT, GROWING)
RULES = "rules"
# The names of the switches of views to learn in.
GROUND_RULES, TURNED_RULES = "ground-rules", "turned-rules"


def views_to_learn_in(task: Task, off: frozenset[str] = frozenset()) -> Iterator[View]:
    """Yield the views of a task in which rules are learnt, the simplest first."""
    as_it_is = plain(task)
    yield as_it_is
    yield with_roles(as_it_is)
    if GROUND_RULES not in off:
        for view in grounds(as_it_is):
            yield view
            yield with_roles(view)
    if TURNED_RULES not in off:
        base = as_it_is if GROUND_RULES in off else grounded(task)
        yield from islice(turns(base), 1)


def _bits_in(views: Sequence[View]) -> list[float]:
    """How much choice goes into a rule of each of a task's views."""
    has_ground = any(view.name == "ground 0" for view in views)
    return [
        BITS_OF_A_RULE
        + view.bits
        + BITS_BESIDE_GROUND * (has_ground and not view.kind.startswith("ground"))
        for view in views
    ]


def rules(view: View, off: frozenset[str] = frozenset()) -> tuple[Program, ...]:
    """Return all rules in a view, as programs, but those of primitives that are off."""
    prefix = "".join(each if each.isalnum() else "_" for each in view.name)
    # Actions name colours by objects that have them, and ask what the background is.
    left_out = off if view.name == "plain" else off | {"learn_actions"}
    return tuple(
        Program(view.restore(node), f"{prefix}_rule_{number}")
        for number, node in enumerate(_rules(view.demos_node, view.input_node, left_out))
    )


def _rules(demos: Node, grid: Node, off: frozenset[str]) -> Iterator[Node]:
    """Every primitive that learns, with all its codes."""
    for name in (*DIRECT, *AS_DATA, *CHOSEN):
        if name in off:
            continue
        for codes in get_primitive(name).all_codes():
            given = [constant(code) for code in codes]
            if name in DIRECT:
                yield call_node(name, demos, grid, *given)
            elif name in CHOSEN:
                yield call_node(name, grid, *given)
            else:
                yield call_node(AS_DATA[name], call_node(name, demos, *given), grid)
    if SYMMETRY not in off:
        for hidden, (noise,) in product(range(N_HIDDEN), get_primitive(SYMMETRY).all_codes()):
            color = constant(hidden)
            closed = call_node(SYMMETRY, grid, color, constant(noise))
            yield closed
            yield call_node("subgrid", call_node("ofcolor", grid, color), closed)


def rewrites(program: Program) -> bool:
    """Whether a program rewrites until stable."""
    return any(node.kind == "call" and node.name == "rewrite" for node in program.nodes())


class _RulesOfView:
    """All rules in a view as a batt, and the bits that each costs beyond those of the view."""

    def __init__(self, programs: Sequence[Program]) -> None:
        with phase("fuse"):
            self.batt = Batt(programs)
        self.bits = [BITS_OF_REWRITING * rewrites(program) for program in programs]


class LearnedRules:
    """Tries all rules on all tasks."""

    name = "learn"
    trust = 4.0

    def __init__(self, off: frozenset[str] = frozenset()) -> None:
        """`off` has names of primitives that learn nothing here, and of views."""
        self._off = off
        self._learns = not off >= set(RULES_LEARNT)
        self._grows_trees = GROWING not in off
        # By the name of a view, whose nodes are the same for all tasks.
        self._rules_in: dict[str, _RulesOfView] = {}

    def next_offer(self, context: Context) -> Offer | None:
        done = context.done(RULES)
        tasks = tuple(task for task in context.board.tasks if task.id not in done)
        if tasks and self._learns:
            # Sure tasks too, of which rules say whether they agree.
            _, n_wrong = unsure(tasks, context)
            return Offer(RULES, tasks, GAIN * n_wrong, COST_S * len(tasks))
        done = context.done(TREES)
        left = (task for task in context.board.tasks if task.id not in done)
        tasks, n_wrong = unsure(filter(trees.can_be_learnt, left), context)
        if not tasks or not self._grows_trees:
            return None
        return Offer(TREES, tasks, trees.GAIN * n_wrong, trees.COST_S * len(tasks))

    def work(self, offer: Offer, context: Context) -> None:
        if offer.item == TREES:
            self._work_on_trees(offer, context)
        else:
            self._work_on_rules(offer, context)

    def _work_on_trees(self, offer: Offer, context: Context) -> None:
        context.say(f"trees over cells learnt from the demos of {count(len(offer.tasks), 'task')}")
        for start in range(0, len(offer.tasks), TASKS_AT_ONCE):
            if context.allowance.is_spent:
                return
            board = context.board.part(offer.tasks[start : start + TASKS_AT_ONCE])
            trees.propose_trees(board, context)

    def _work_on_rules(self, offer: Offer, context: Context) -> None:
        context.say(f"rules learnt from the demos of {count(len(offer.tasks), 'task')}")
        for start in range(0, len(offer.tasks), TASKS_AT_ONCE):
            if context.allowance.is_spent:
                return
            tasks = offer.tasks[start : start + TASKS_AT_ONCE]
            fitting, n_pairs = self._fitting(tasks, context)
            for task in tasks:
                self._propose(fitting[task.id], context)
                context.note_done(RULES, task, {"n_fitting": len(fitting[task.id])})
            context.log({"n_pairs": n_pairs})

    def _fitting(
        self, tasks: Sequence[Task], context: Context
    ) -> tuple[dict[str, list[Proposal]], int]:
        """By task id, rules that fit it; and how many pairs of both were tried."""
        in_view: dict[str, list[tuple[Task, float]]] = {}
        for task in tasks:
            views = list(views_to_learn_in(task, self._off))
            for view, bits in zip(views, _bits_in(views), strict=True):
                in_view.setdefault(view.name, []).append((task, bits))
                if view.name not in self._rules_in:
                    self._rules_in[view.name] = _RulesOfView(rules(view, self._off))
        found: dict[str, list[Proposal]] = {task.id: [] for task in tasks}
        n_pairs = 0
        for name, seen in in_view.items():
            batt, more = self._rules_in[name].batt, self._rules_in[name].bits
            result = context.board.part([task for task, _ in seen]).screen(batt, device="cpu")
            n_pairs += len(batt.programs) * len(seen)
            for t, (task, bits) in enumerate(seen):
                found[task.id] += [
                    replace(propose_plainly(batt.programs[p], task), bits=bits + more[p])
                    for p in np.flatnonzero(result.solved[:, t]).tolist()[:MAX_OF_VIEW]
                ]
        return found, n_pairs

    def _propose(self, proposals: Sequence[Proposal], context: Context) -> None:
        for proposal, trial in zip(proposals, context.judge(proposals), strict=True):
            # A rule that finds again no demo which it does not see has learnt by heart.
            if trial.n_held_out != 0:
                context.keep(doubt(proposal, trial), trial)

    def finish(self, context: Context) -> None:
        pass

    def counts(self) -> Mapping[str, Mapping[str, Any]]:
        return {}
