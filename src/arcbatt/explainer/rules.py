"""What a program has learnt: its nodes and their values in, rules that a person can read out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from arcbatt.language import Failure, Node, Program, Value
from arcbatt.language.ir import walk
from arcbatt.language.registry import worded_names, words_of_call


def say_learnt(node: Node, outcomes: Mapping[Node, Value | Failure]) -> tuple[str, ...]:
    """Return what a call has learnt, line by line; nothing of a call that learns nothing.

    `outcomes` has what the node and its arguments gave.
    """
    if node.kind != "call" or node.name not in worded_names():
        return ()
    given = [outcomes[each] for each in (node, *node.args)]
    if any(isinstance(each, Failure) for each in given):
        return ()
    value, *args = given
    return tuple(words_of_call(node.name, value, args))  # type: ignore[arg-type]  # no Failure


def say_rules(
    program: Program, evaluate: Callable[[Sequence[Program]], Sequence[Value | Failure]]
) -> list[str]:
    """Return what a program has learnt, call by call as they are made; nothing is said twice.

    `evaluate` gives what programs give on one sample.
    """
    learning = [
        node for node in walk(program.result) if node.kind == "call" and node.name in worded_names()
    ]
    if not learning:
        return []
    wanted = list(dict.fromkeys(each for node in learning for each in (*node.args, node)))
    outcomes = dict(zip(wanted, evaluate([Program(node) for node in wanted]), strict=True))
    said = dict.fromkeys(say_learnt(node, outcomes) for node in learning)
    return [line for lines in said for line in lines]
