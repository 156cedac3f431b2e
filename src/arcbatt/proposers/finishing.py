"""Proposes what rules make of bases: pictures of the output's size that come near to the outputs.

What learns from the demos learns from the input; here it learns from what some program has made of
it: "tile, then change cells". Bases are what a move or two give (`simple_bases`), tilings of the
size that outputs have (`sized_bases`), and candidates that fit no task as they are, the nearest to
the outputs first. A rule on a base is a program like any other. A simple base that is right as it
is needs no rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from arcbatt.engine.batt import Batt
from arcbatt.language import Program
from arcbatt.language.ir import Node, call_node, constant, input_node
from arcbatt.measure import phase
from arcbatt.plurals import count
from arcbatt.tasks import Task

from .enumerate.known_values import NearValue, near_values
from .enumerate.stacks import vocabulary
from .enumerate.views import BASE, NoView, on_base
from .learn import BITS_OF_A_RULE, BITS_OF_REWRITING, LEARNING, rewrites, rules
from .proposer import Context, Offer, Proposal, doubt, propose_plainly, unsure
from .trees import GROWING, Choice, choices_in, holds_unseen, propose_fitting

FINISHING = "finishing"
# What learns to change a picture of the output's size.
LEARNT_FROM = ("learn_cells", "learn_objects", "learn_rewrites")
# Of bases that are right as they are so many are proposed.
MAX_RIGHT = 3
# Of a task so many bases, the nearest: of the simple ones, and of candidates.
MAX_SIMPLE, MAX_CANDIDATES = 6, 3
# A base is one of so many, by the moves that it takes.
BITS_OF_A_BASE, BITS_A_MOVE = 1.0, 0.5
# What share of demos must be found again that are not shown. A candidate was searched for with all
# of them, so that a demo which it does not get right has still been seen.
SIMPLE_SHARE, CANDIDATE_SHARE = 0.5, 1.0
# Of one base so many rules are judged.
MAX_OF_BASE = 12
# So many tasks between two looks at the clock.
TASKS_AT_ONCE = 6
# Of a task that is looked at, and of one that is wrong, on training.
COST_S, GAIN = 0.2, 0.037

_I = input_node("I")
_PICTURE = call_node("astuple", constant((0, 0)), _I)


@dataclass(frozen=True, slots=True)
class Base:
    """What makes a picture of the input, and how much choice went into it.

    `least_share` of the demos must be found again unseen by what is learnt on it.
    """

    node: Node
    bits: float
    least_share: float

    @property
    def program(self) -> Program:
        return Program(self.node, BASE)


def _base(picture: Node, n_moves: int) -> Base:
    bits = BITS_OF_A_BASE + BITS_A_MOVE * n_moves
    return Base(call_node("last", picture), bits, SIMPLE_SHARE)


@cache
def simple_bases() -> tuple[Base, ...]:
    """Return what a move makes of the input, and what is picked of a list that it is cut into."""
    moves = [move for move in vocabulary() if not move.takes]
    codes = {move: [constant(arg) for arg in move.args] for move in moves}
    found = [
        _base(call_node(move.primitive, _PICTURE, *codes[move]), 1)
        for move in moves
        if move.shape == "picture"
    ]
    cuts = [
        call_node(move.primitive, _PICTURE, *codes[move]) for move in moves if move.shape == "cut"
    ]
    picks = [move for move in moves if move.shape == "pick"]
    found += [
        _base(call_node(move.primitive, pictures, *codes[move]), 2)
        for pictures, move in product(cuts, picks)
    ]
    return tuple(found)


def sized_bases(task: Task) -> tuple[Base, ...]:
    """Return the input tiled or stretched to the size of outputs that are so many times larger."""
    times = {
        (
            *divmod(len(demo.output), len(demo.input)),
            *divmod(len(demo.output[0]), len(demo.input[0])),
        )
        for demo in task.demos
    }
    if len(times) != 1:
        return ()
    ((down, rest_down, across, rest_across),) = times
    if rest_down or rest_across or not down or not across or (down, across) == (1, 1):
        return ()
    return _enlarged(down, across)


@cache
def _enlarged(down: int, across: int) -> tuple[Base, ...]:
    size = call_node(
        "astuple",
        call_node("multiply", call_node("height", _I), constant(down)),
        call_node("multiply", call_node("width", _I), constant(across)),
    )
    return (
        _base(call_node("tile", _PICTURE, size, constant(0)), 1),
        _base(call_node("tile_mirrored", _PICTURE, size, constant(0)), 1),
        _base(call_node("resample", _PICTURE, size), 1),
    )


class FinishedBases:
    """Learns from the nearest bases of each task, the tasks that nothing fits first."""

    name = "finish"
    trust = 16.0

    def __init__(self, off: frozenset[str] = frozenset()) -> None:
        """`off` has names of primitives that learn nothing here."""
        self._off = off | (frozenset(LEARNING) - set(LEARNT_FROM))
        self._grows_trees = GROWING not in off
        self._can_work = self._grows_trees or not off >= set(LEARNT_FROM)
        self._simple: Batt | None = None
        self._context: Context | None = None

    def next_offer(self, context: Context) -> Offer | None:
        if not self._can_work:
            return None
        self._context = context
        done = context.done(FINISHING)
        left = (task for task in context.board.tasks if task.id not in done)
        tasks, n_wrong = unsure(left, context)
        if not tasks:
            return None
        # Those that nothing fits come first.
        tasks = tuple(sorted(tasks, key=context.confidence))
        cost_s = COST_S * len(tasks)
        return Offer(FINISHING, tasks, GAIN * n_wrong, cost_s, reads_candidates=True)

    def work(self, offer: Offer, context: Context) -> None:
        context.say(f"rules on pictures near to the outputs of {count(len(offer.tasks), 'task')}")
        for start in range(0, len(offer.tasks), TASKS_AT_ONCE):
            if context.allowance.is_spent:
                return
            self._work_on(offer.tasks[start : start + TASKS_AT_ONCE], context)

    def _work_on(self, tasks: Sequence[Task], context: Context) -> None:
        """Find the bases of some tasks and try all rules on each, tasks of one base together."""
        on: dict[Base, list[Task]] = {}
        n_bases = dict.fromkeys((task.id for task in tasks), 0)
        for task in tasks:
            for base in self._bases_of(task, context):
                on.setdefault(base, []).append(task)
                n_bases[task.id] += 1
        noted = {
            task.id: Counter(n_tasks=1, n_bases=n_bases[task.id], n_fitting=0, n_kept=0)
            for task in tasks
        }
        n_pairs = 0
        for base, those in on.items():
            try:
                attempt = _Attempt(base, self._off, self._grows_trees)
            except NoView:
                continue
            n_pairs += len(attempt.batt.programs) * len(those)
            for task, n_fitting, n_kept in attempt.propose(those, context):
                noted[task.id].update(n_fitting=n_fitting, n_kept=n_kept)
        for task in tasks:
            context.note_done(FINISHING, task, dict(noted[task.id]))
        context.log({"n_pairs": n_pairs})

    def _bases_of(self, task: Task, context: Context) -> Iterator[Base]:
        """The nearest bases of a task, each picture once; what is right as it is is proposed."""
        if self._simple is None:
            with phase("fuse"):
                self._simple = Batt([base.program for base in simple_bases()])
        sized = {base.node: base for base in sized_bases(task)}
        found = near_values(context.board, task, self._simple)
        found += near_values(context.board, task, _batt_of(sized))
        found.sort(key=lambda each: (each.n_other_size, each.n_wrong))
        by_node = _simple_by_node() | sized
        right = [by_node[each.source.node] for each in found if each.is_right]
        _propose_alone(right[:MAX_RIGHT], task, context)
        met = set()
        for near in _usable(found)[:MAX_SIMPLE]:
            met.add(near.source.grids)
            yield by_node[near.source.node]
        candidates = {
            each.program.result: Base(
                each.program.result, BITS_OF_A_BASE + each.proposal.bits, CANDIDATE_SHARE
            )
            for each in context.candidates(task)
            if not each.fits
        }
        found = near_values(context.board, task, _batt_of(candidates))
        others = [each for each in _usable(found) if each.source.grids not in met]
        for each in others[:MAX_CANDIDATES]:
            yield candidates[each.source.node]

    def finish(self, context: Context) -> None:
        pass

    def counts(self) -> Mapping[str, Mapping[str, Any]]:
        found: Counter[str] = Counter()
        done = {} if self._context is None else self._context.done(FINISHING)
        for counts in done.values():
            found.update(counts)
        return {FINISHING: dict(found)} if found else {}


@cache
def _simple_by_node() -> dict[Node, Base]:
    return {base.node: base for base in simple_bases()}


def _batt_of(bases: Mapping[Node, Base]) -> Batt:
    with phase("fuse"):
        return Batt([base.program for base in bases.values()])


def _propose_alone(bases: Sequence[Base], task: Task, context: Context) -> None:
    """Propose bases that are the outputs, whatever formula there is for their size."""
    if bases:
        proposals = [propose_plainly(base.program, task) for base in bases]
        context.propose(
            [
                replace(proposal, bits=base.bits)
                for proposal, base in zip(proposals, bases, strict=True)
            ]
        )


def _usable(near: Sequence[NearValue]) -> list[NearValue]:
    """Those of the outputs' size in all demos, not right, of which something can be seen."""
    return [
        each
        for each in near
        if not each.n_other_size
        and each.n_wrong
        and any(len(set(row)) > 1 or row != grid[0] for grid in each.source.grids for row in grid)
    ]


class _Attempt:
    """All rules and trees on one base."""

    def __init__(self, base: Base, off: frozenset[str], grows_trees: bool) -> None:
        view = on_base(base.node, base.bits)
        self._bits = BITS_OF_A_RULE + base.bits
        self._least_share = base.least_share
        self._rules = rules(view, off)
        self._choices: tuple[Choice, ...] = choices_in(view) if grows_trees else ()
        with phase("fuse"):
            self.batt = Batt([*self._rules, *(choice.program for choice in self._choices)])

    def propose(self, tasks: Sequence[Task], context: Context) -> Iterator[tuple[Task, int, int]]:
        """Propose what fits; yield of each task how many did and were kept."""
        result = context.board.part(tasks).screen(self.batt, device="cpu")
        n_rules = len(self._rules)
        for t, task in enumerate(tasks):
            fitting = np.flatnonzero(result.solved[:, t]).tolist()
            learnt = [self._rules[p] for p in fitting if p < n_rules][:MAX_OF_BASE]
            trees = [self._choices[p - n_rules] for p in fitting if p >= n_rules]
            n_kept = self._propose_rules(learnt, task, context)
            n_kept += propose_fitting(trees, task, context, self._least_share)
            yield task, len(fitting), n_kept

    def _propose_rules(self, learnt: Sequence[Program], task: Task, context: Context) -> int:
        proposals = [
            Proposal(program, task, f"{BASE} {program.result.name}", self._bits_of(program))
            for program in learnt
        ]
        n_kept = 0
        for proposal, trial in zip(proposals, context.judge(proposals), strict=True):
            if holds_unseen(trial, self._least_share):
                context.keep(doubt(proposal, trial), trial)
                n_kept += 1
        return n_kept

    def _bits_of(self, program: Program) -> float:
        return self._bits + BITS_OF_REWRITING * rewrites(program)
