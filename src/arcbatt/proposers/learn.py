"""Propose rules that primitives learn from the demos, every rule for every task.

A primitive that declares a `Rule` is tried with all of its codes in each view of a task. All rules
of a view are one batt. Then come trees over cells (`trees`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any, ClassVar

import numpy as np

from arcbatt.engine.batt import Batt
from arcbatt.language import Program, all_primitives
from arcbatt.language.ir import Node, call_node, constant
from arcbatt.language.registry import Primitive
from arcbatt.language.types import DEMOS, NAMED
from arcbatt.measure import phase
from arcbatt.plurals import count
from arcbatt.tasks import Task

from . import fates, trees
from .fates import FATES, LEARN_FATES
from .proposer import Context, Offer, Proposal, penalize_memorized, uncertain_tasks
from .trees import GROW_TREE, TREES
from .views import BACKGROUND_RULES, TURNED_RULES, View, group_by_view

# One of several hundred rules fits by chance more easily than a known program.
RULE_BITS = 2.0
MAX_RULES_PER_VIEW = 24
# Between two checks of the clock.
TASKS_PER_BATCH = 12
# CPU time per task, and tasks gained per wrong task, on the seven sets of docs/solving.md.
COST_S, GAIN = 0.042, 0.23
RULES = "rules"
_COLOR = NAMED["Color"]
_COLORS = range(10)


@cache
def rule_primitives() -> Mapping[str, Primitive]:
    """Return the primitives that are rules, in the order in which they are tried.

    Those that return the output from demos and a grid come first, then those that learn a rule as
    data, then those of a grid alone, last those that take a color.
    """

    def form(primitive: Primitive) -> int:
        assert primitive.rule is not None
        if DEMOS in primitive.signatures[0].parameters:
            return 1 if primitive.rule.applied_by else 0
        return 3 if _COLOR in primitive.signatures[0].parameters else 2

    return {
        primitive.name: primitive
        for primitive in sorted(
            (each for each in all_primitives().values() if each.rule is not None), key=form
        )
    }


@cache
def learner_names() -> tuple[str, ...]:
    """Return the primitives that `learn` uses, which can be switched off."""
    return (*rule_primitives(), LEARN_FATES, GROW_TREE)


@dataclass(frozen=True, slots=True)
class RuleProgram:
    """A rule as a program, and its cost beyond that of any rule."""

    program: Program
    bits: float


def rules(view: View, off: frozenset[str] = frozenset()) -> tuple[RuleProgram, ...]:
    """Return all rules in a view, except those of primitives that are off."""
    nodes = [
        (node, primitive.rule.bits)
        for name, primitive in rule_primitives().items()
        if name not in off
        and primitive.rule is not None
        and (view.name == "plain" or not primitive.rule.plain_only)
        for node in _rule_nodes(primitive, view)
    ]
    return tuple(
        RuleProgram(Program(view.restore(node), f"{view.prefix}_rule_{number}"), bits)
        for number, (node, bits) in enumerate(nodes)
    )


def _rule_nodes(primitive: Primitive, view: View) -> Iterator[Node]:
    """Yield the outputs by one rule with all of its codes and colors."""
    rule, name = primitive.rule, primitive.name
    assert rule is not None
    demos, grid = view.demos_node, view.input_node
    parameters = primitive.signatures[0].parameters
    colors = _COLORS if _COLOR in parameters else (None,)
    for color, codes in product(colors, primitive.all_codes()):
        args = [constant(code) for code in codes]
        if color is not None:
            args.insert(0, constant(color))
        if rule.applied_by:
            yield call_node(rule.applied_by, call_node(name, demos, *args), grid)
            continue
        examples = (demos, grid) if DEMOS in parameters else (grid,)
        output = call_node(name, *examples, *args)
        yield output
        if rule.crops:
            yield call_node("subgrid", call_node("ofcolor", grid, args[0]), output)


class _ViewRules:
    """All rules of a view as a batt, and their costs."""

    def __init__(self, programs: Sequence[RuleProgram]) -> None:
        with phase("fuse"):
            self.batt = Batt([rule.program for rule in programs])
        self.bits = [rule.bits for rule in programs]


class LearnProposer:
    """Tries all rules on all tasks."""

    name = "learn"
    trust = 4.0
    switches: ClassVar = {
        BACKGROUND_RULES: "rules and fates learned on a background other than 0",
        TURNED_RULES: "rules, fates and trees learned from turned examples",
    }

    def __init__(self, off: frozenset[str] = frozenset()) -> None:
        """`off` names `switches` and primitives that are off."""
        self._off = off
        self._has_rules = not off >= set(rule_primitives())
        self._grows_trees = GROW_TREE not in off
        self._learns_fates = LEARN_FATES not in off
        # By the name of a view, whose nodes are the same for all tasks.
        self._rules_by_view: dict[str, _ViewRules] = {}

    def next_offer(self, context: Context) -> Offer | None:
        done = context.done(RULES)
        tasks = tuple(task for task in context.board.tasks if task.id not in done)
        if tasks and self._has_rules:
            # Confident tasks, too: rules that agree or disagree are evidence.
            _, n_wrong = uncertain_tasks(tasks, context)
            return Offer(RULES, tasks, GAIN * n_wrong, COST_S * len(tasks))
        offers = []
        for item, is_on, module in (
            (FATES, self._learns_fates, fates),
            (TREES, self._grows_trees, trees),
        ):
            tasks, n_wrong = self._uncertain(item, context) if is_on else ((), 0.0)
            if tasks:
                gain, cost_s = module.GAIN * n_wrong, module.COST_S * len(tasks)
                offers.append(Offer(item, tasks, gain, cost_s))
        return max(offers, key=lambda offer: offer.gain_per_s, default=None)

    def _uncertain(self, item: str, context: Context) -> tuple[tuple[Task, ...], float]:
        done = context.done(item)
        left = (task for task in context.board.tasks if task.id not in done)
        return uncertain_tasks(
            filter(trees.is_applicable, left) if item == TREES else left, context
        )

    def work(self, offer: Offer, context: Context) -> None:
        what = {TREES: "trees over cells", FATES: "fates of objects"}.get(offer.item, "rules")
        context.say(f"{what} learned from the demos of {count(len(offer.tasks), 'task')}")
        for start in range(0, len(offer.tasks), TASKS_PER_BATCH):
            if context.allowance.is_spent:
                return
            tasks = offer.tasks[start : start + TASKS_PER_BATCH]
            if offer.item == TREES:
                trees.propose_trees(context.board.part(tasks), context, self._off)
            elif offer.item == FATES:
                fates.propose_fates(context.board.part(tasks), context, self._off)
            else:
                self._propose_rules(tasks, context)

    def _propose_rules(self, tasks: Sequence[Task], context: Context) -> None:
        fitting, n_pairs = self._fitting(tasks, context)
        for task in tasks:
            proposals = fitting[task.id]
            # A rule that predicts none of the held-out demos has memorized them.
            for proposal, trial in context.judge_learned(proposals):
                context.keep(penalize_memorized(proposal, trial), trial)
            context.note_done(RULES, task, {"n_fitting": len(proposals)})
        context.log({"n_pairs": n_pairs})

    def _fitting(
        self, tasks: Sequence[Task], context: Context
    ) -> tuple[dict[str, list[Proposal]], int]:
        """Return the rules that fit, by task id, and the number of pairs that were tried."""
        fitting: dict[str, list[Proposal]] = {task.id: [] for task in tasks}
        n_pairs = 0
        for group in group_by_view(tasks, self._off):
            view = group[0][0]
            if view.name not in self._rules_by_view:
                self._rules_by_view[view.name] = _ViewRules(rules(view, self._off))
            of_view = self._rules_by_view[view.name]
            programs = of_view.batt.programs
            result = context.board.part([task for _, task in group]).screen(
                of_view.batt, device="cpu"
            )
            n_pairs += len(programs) * len(group)
            for t, (_, task) in enumerate(group):
                fitting[task.id] += [
                    replace(
                        Proposal.from_program(programs[p], task),
                        bits=RULE_BITS + view.bits + of_view.bits[p],
                    )
                    for p in np.flatnonzero(result.solved[:, t]).tolist()[:MAX_RULES_PER_VIEW]
                ]
        return fitting, n_pairs

    def finish(self, context: Context) -> None:
        pass

    def counts(self) -> Mapping[str, Mapping[str, Any]]:
        return {}
