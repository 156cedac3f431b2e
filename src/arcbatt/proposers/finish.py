"""Propose rules on bases, which are pictures that come near the outputs, and on boxes of objects.

`learn` learns from the input; here rules and trees learn from the value of a program: "tile, then
change cells". Bases are values of one or two moves (`simple_bases`), tilings of the output's size
(`enlarged_bases`), and candidates that do not fit, the nearest to the outputs first. A simple base
that gives the outputs is proposed without a rule.

On boxes, every box of an object is an example, and the rule is applied to each (`views.in_boxes`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any, ClassVar

import numpy as np

from arcbatt.engine.batt import Batt
from arcbatt.language import Program
from arcbatt.language.ir import Node, call_node, constant, input_node
from arcbatt.measure import phase
from arcbatt.plurals import count
from arcbatt.tasks import Task

from .enumerate import vocabulary
from .learn import RULE_BITS, RuleProgram, rule_primitives, rules
from .near_values import NearValue, near_values
from .proposer import DOUBTFUL, Context, Offer, Proposal, penalize_memorized, uncertain_tasks
from .trees import GROW_TREE, TreeChoice, propose_fitting, tree_choices
from .views import BASE, NoView, View, box_views, on_base, with_roles

FINISHING = "finishing"
# Bases per task: proposed without a rule, simple ones, candidates.
MAX_RIGHT, MAX_SIMPLE, MAX_CANDIDATES = 3, 6, 3
# The cost of a base, and of each of its moves.
BASE_BITS, BITS_PER_MOVE = 1.0, 0.5
# The share of held-out demos that a rule on a base must predict. A candidate has seen all demos,
# even those that it gets wrong, so a rule on it must predict all.
SIMPLE_SHARE, CANDIDATE_SHARE, BOX_SHARE = 0.5, 1.0, 0.5
MAX_RULES_PER_VIEW = 12
BOX_RULES = "box-rules"
# Between two checks of the clock.
TASKS_PER_BATCH = 6
# CPU time per task, and tasks gained per wrong task, on the seven sets of docs/solving.md.
COST_S, GAIN = 0.09, 0.017

_I = input_node("I")
_PICTURE = call_node("astuple", constant((0, 0)), _I)


@dataclass(frozen=True, slots=True)
class Base:
    """A node that computes a picture from the input, and its cost in bits.

    Rules on it must predict `min_share` of the held-out demos.
    """

    node: Node
    bits: float
    min_share: float

    @property
    def program(self) -> Program:
        return Program(self.node, BASE)


def _base(picture: Node, n_moves: int) -> Base:
    bits = BASE_BITS + BITS_PER_MOVE * n_moves
    return Base(call_node("last", picture), bits, SIMPLE_SHARE)


@cache
def simple_bases() -> Mapping[Node, Base]:
    """Return the results of single moves, and picks from lists that a move cuts, by node."""
    moves = [move for move in vocabulary() if not move.takes]
    codes = {move: [constant(arg) for arg in move.args] for move in moves}
    bases = [
        _base(call_node(move.primitive, _PICTURE, *codes[move]), 1)
        for move in moves
        if move.shape == "picture"
    ]
    cuts = [
        call_node(move.primitive, _PICTURE, *codes[move]) for move in moves if move.shape == "cut"
    ]
    picks = [move for move in moves if move.shape == "pick"]
    bases += [
        _base(call_node(move.primitive, pictures, *codes[move]), 2)
        for pictures, move in product(cuts, picks)
    ]
    return {base.node: base for base in bases}


def enlarged_bases(task: Task) -> Mapping[Node, Base]:
    """Return tilings of the input, if all outputs are larger by the same whole factors."""
    factors = {
        (
            *divmod(len(demo.output), len(demo.input)),
            *divmod(len(demo.output[0]), len(demo.input[0])),
        )
        for demo in task.demos
    }
    if len(factors) != 1:
        return {}
    ((down, rest_down, across, rest_across),) = factors
    if rest_down or rest_across or not down or not across or (down, across) == (1, 1):
        return {}
    return _enlarged(down, across)


@cache
def _enlarged(down: int, across: int) -> Mapping[Node, Base]:
    size = call_node(
        "astuple",
        call_node("multiply", call_node("height", _I), constant(down)),
        call_node("multiply", call_node("width", _I), constant(across)),
    )
    bases = (
        _base(call_node("tile", _PICTURE, size, constant(0)), 1),
        _base(call_node("tile_mirrored", _PICTURE, size, constant(0)), 1),
        _base(call_node("resample", _PICTURE, size), 1),
    )
    return {base.node: base for base in bases}


def base_learners() -> frozenset[str]:
    """Return the rules that are learned from bases."""
    return frozenset(
        name for name, each in rule_primitives().items() if each.rule and each.rule.on_bases
    )


class FinishProposer:
    """Learns from the nearest bases and the boxes of each task, least confident tasks first."""

    name = "finish"
    trust = 16.0
    switches: ClassVar = {BOX_RULES: "rules about the boxes of objects"}

    def __init__(self, off: frozenset[str] = frozenset()) -> None:
        """`off` names `switches` and primitives that are off."""
        learners = base_learners()
        self._off = off
        self._off_on_bases = off | (frozenset(rule_primitives()) - learners)
        self._grows_trees = GROW_TREE not in off
        self._uses_boxes = BOX_RULES not in off
        self._can_work = self._grows_trees or not off >= learners
        self._simple: Batt | None = None
        self._context: Context | None = None

    def next_offer(self, context: Context) -> Offer | None:
        if not self._can_work:
            return None
        self._context = context
        done = context.done(FINISHING)
        left = (task for task in context.board.tasks if task.id not in done)
        tasks, n_wrong = uncertain_tasks(left, context)
        if not tasks:
            return None
        tasks = tuple(sorted(tasks, key=context.confidence))
        cost_s = COST_S * len(tasks)
        return Offer(FINISHING, tasks, GAIN * n_wrong, cost_s, reads_candidates=True)

    def work(self, offer: Offer, context: Context) -> None:
        context.say(f"rules on pictures near the outputs of {count(len(offer.tasks), 'task')}")
        for start in range(0, len(offer.tasks), TASKS_PER_BATCH):
            if context.allowance.is_spent:
                return
            self._work_on(offer.tasks[start : start + TASKS_PER_BATCH], context)

    def _work_on(self, tasks: Sequence[Task], context: Context) -> None:
        """Find the bases and boxes of some tasks and try all rules on them, view by view."""
        by_view: dict[tuple[Node, float, float], tuple[View, list[Task]]] = {}
        n_bases = dict.fromkeys((task.id for task in tasks), 0)
        for task in tasks:
            for view, min_share in self._views_of(task, context):
                # The nodes of a view are the same for all tasks that have it.
                key = view.restore(view.input_node), view.bits, min_share
                by_view.setdefault(key, (view, []))[1].append(task)
                n_bases[task.id] += 1
        noted = {
            task.id: Counter(n_tasks=1, n_bases=n_bases[task.id], n_fitting=0, n_kept=0)
            for task in tasks
        }
        n_pairs = 0
        for (*_, min_share), (view, having_view) in by_view.items():
            off = self._off_on_bases if view.name == BASE else self._off
            view_rules = _ViewRules(view, min_share, off, self._grows_trees)
            n_pairs += len(view_rules.batt.programs) * len(having_view)
            for task, n_fitting, n_kept in view_rules.propose(having_view, context):
                noted[task.id].update(n_fitting=n_fitting, n_kept=n_kept)
        for task in tasks:
            context.note_done(FINISHING, task, dict(noted[task.id]))
        context.log({"n_pairs": n_pairs})

    def _views_of(self, task: Task, context: Context) -> Iterator[tuple[View, float]]:
        """Yield views to learn in, and the share of held-out demos to predict there."""
        for base in self._bases_of(task, context):
            with suppress(NoView):
                yield on_base(base.node, base.bits), base.min_share
        if self._uses_boxes:
            for view in box_views(task):
                yield view, BOX_SHARE
                yield with_roles(view), BOX_SHARE

    def _bases_of(self, task: Task, context: Context) -> Iterator[Base]:
        """Propose the bases that are right; yield the nearest others if the task is doubtful."""
        if self._simple is None:
            self._simple = _fuse(simple_bases())
        enlarged = enlarged_bases(task)
        values = near_values(context.board, task, self._simple)
        values += near_values(context.board, task, _fuse(enlarged))
        values.sort(key=lambda value: (value.n_other_size, value.n_wrong))
        bases = {**simple_bases(), **enlarged}
        right = [bases[value.node] for value in values if value.is_right]
        _propose_bases(right[:MAX_RIGHT], task, context)
        if context.confidence(task) >= DOUBTFUL:
            return
        seen = set()
        for value in _usable(values)[:MAX_SIMPLE]:
            seen.add(value.grids)
            yield bases[value.node]
        candidates = {
            each.program.result: Base(
                each.program.result, BASE_BITS + each.proposal.bits, CANDIDATE_SHARE
            )
            for each in context.candidates(task)
            if not each.fits
        }
        values = near_values(context.board, task, _fuse(candidates))
        new = [value for value in _usable(values) if value.grids not in seen]
        for value in new[:MAX_CANDIDATES]:
            yield candidates[value.node]

    def finish(self, context: Context) -> None:
        pass

    def counts(self) -> Mapping[str, Mapping[str, Any]]:
        total: Counter[str] = Counter()
        done = {} if self._context is None else self._context.done(FINISHING)
        for counts in done.values():
            total.update(counts)
        return {FINISHING: dict(total)} if total else {}


def _fuse(bases: Mapping[Node, Base]) -> Batt:
    with phase("fuse"):
        return Batt([base.program for base in bases.values()])


def _propose_bases(bases: Sequence[Base], task: Task, context: Context) -> None:
    """Propose bases that are right as they are."""
    if bases:
        context.propose(
            [replace(Proposal.from_program(base.program, task), bits=base.bits) for base in bases]
        )


def _usable(values: Sequence[NearValue]) -> list[NearValue]:
    """Return the values of the outputs' size that are wrong somewhere and not all of one color."""
    return [
        value
        for value in values
        if not value.n_other_size
        and value.n_wrong
        and any(len(set(row)) > 1 or row != grid[0] for grid in value.grids for row in grid)
    ]


class _ViewRules:
    """All rules and trees in one view."""

    def __init__(
        self, view: View, min_share: float, off: frozenset[str], grows_trees: bool
    ) -> None:
        self._kind = view.kind
        self._bits = RULE_BITS + view.bits
        self._min_share = min_share
        self._rules = rules(view, off)
        self._trees: tuple[TreeChoice, ...] = tree_choices(view) if grows_trees else ()
        with phase("fuse"):
            programs = [rule.program for rule in self._rules]
            self.batt = Batt(programs + [tree.program for tree in self._trees])

    def propose(self, tasks: Sequence[Task], context: Context) -> Iterator[tuple[Task, int, int]]:
        """Propose the programs that fit; yield by task how many fit and how many were kept."""
        result = context.board.part(tasks).screen(self.batt, device="cpu")
        n_rules = len(self._rules)
        for t, task in enumerate(tasks):
            fitting = np.flatnonzero(result.solved[:, t]).tolist()
            learned = [self._rules[p] for p in fitting if p < n_rules][:MAX_RULES_PER_VIEW]
            trees = [self._trees[p - n_rules] for p in fitting if p >= n_rules]
            n_kept = self._propose_rules(learned, task, context)
            n_kept += propose_fitting(trees, task, context, self._min_share)
            yield task, len(fitting), n_kept

    def _propose_rules(self, learned: Sequence[RuleProgram], task: Task, context: Context) -> int:
        proposals = [
            Proposal(
                rule.program,
                task,
                f"{self._kind} {rule.program.result.name}",
                self._bits + rule.bits,
            )
            for rule in learned
        ]
        judged = context.judge_learned(proposals, self._min_share)
        for proposal, trial in judged:
            context.keep(penalize_memorized(proposal, trial), trial)
        return len(judged)
