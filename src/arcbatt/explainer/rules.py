"""Describe the rules that a program has learned."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from arcbatt.language import Failure, Node, Program, Value
from arcbatt.language.ir import walk
from arcbatt.language.registry import worded_names, words_of_call


def describe_rule(node: Node, outcomes: Mapping[Node, Value | Failure]) -> tuple[str, ...]:
    """Return the rule that a call has learned, line by line; empty if it does not learn.

    `outcomes` holds the values of the node and its arguments.
    """
    if node.kind != "call" or node.name not in worded_names():
        return ()
    given = [outcomes[each] for each in (node, *node.args)]
    if any(isinstance(each, Failure) for each in given):
        return ()
    value, *args = given
    return tuple(words_of_call(node.name, value, args))  # type: ignore[arg-type]  # no Failure


def describe_rules(
    program: Program, evaluate: Callable[[Sequence[Program]], Sequence[Value | Failure]]
) -> list[str]:
    """Return the distinct rules that a program has learned, in the order of its calls.

    `evaluate` returns the values of programs on one sample.
    """
    learning = [
        node for node in walk(program.result) if node.kind == "call" and node.name in worded_names()
    ]
    if not learning:
        return []
    wanted = list(dict.fromkeys(each for node in learning for each in (*node.args, node)))
    outcomes = dict(zip(wanted, evaluate([Program(node) for node in wanted]), strict=True))
    rules = dict.fromkeys(describe_rule(node, outcomes) for node in learning)
    return [line for lines in rules for line in lines]
