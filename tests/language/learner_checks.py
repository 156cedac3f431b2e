"""Properties that hold for every learner whose rule another primitive applies."""

from __future__ import annotations

from typing import Any

from arcbatt.engine.cpu.calls import run_call
from arcbatt.language import Budget, Failure, Reason
from tests.engine.test_engine import check_call

SEARCH = Budget(1_000_000, 2**23)
N_BUDGETS = 32


def check_learner(learn: str, apply: str, demos: Any, codes: tuple[int, ...]) -> Any:
    """Check that a rule reproduces its demos, also if they come in another order; return it.

    Also check that calls of the engine and of `interpret` agree on value, failure and cost.
    """
    check_call(learn, [demos, *codes], SEARCH)
    rule = run_call(learn, (demos, *codes), SEARCH)
    assert rule == run_call(learn, (demos, *codes), SEARCH)
    for order in (demos, demos[::-1]):
        learned = run_call(learn, (order, *codes), SEARCH).outcome
        if isinstance(learned, Failure):
            continue
        for given, wanted in demos:
            check_call(apply, [learned, given], SEARCH)
            assert run_call(apply, (learned, given), SEARCH).outcome == wanted
    return rule.outcome


def check_cost(name: str, args: tuple[Any, ...]) -> None:
    """Check that a call succeeds with its cost as the budget, and fails with any smaller one."""
    steps = run_call(name, args, SEARCH).steps
    assert 0 < steps < SEARCH.steps
    assert not isinstance(run_call(name, args, Budget(steps, SEARCH.bytes)).outcome, Failure)
    for fewer in {steps - 1, *(steps * k // N_BUDGETS for k in range(1, N_BUDGETS))} - {0}:
        over = run_call(name, args, Budget(fewer, SEARCH.bytes))
        assert over.outcome == Failure(Reason.BUDGET)
