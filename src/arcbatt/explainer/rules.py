"""Describe the rules that a program has learned."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from arcbatt.language import Failure, Function, Node, Program, Value, interpret
from arcbatt.language.ir import call_node, constant, input_node, walk
from arcbatt.language.registry import get_primitive, worded_names, words_of_call
from arcbatt.language.types import DEMOS

BINDING = ("lbind", "rbind")


def describe_rule(node: Node, outcomes: Mapping[Node, Value | Failure]) -> tuple[str, ...]:
    """Return the rule that a call has learned, line by line; empty if it does not learn.

    `outcomes` holds the values of the node and its arguments. A learner that is bound to all
    its arguments but a grid is described by what it learns for the first demo's input.
    """
    if node.kind != "call" or node.name not in (*worded_names(), *BINDING):
        return ()
    given = [outcomes[each] for each in (node, *node.args)]
    if any(isinstance(each, Failure) for each in given):
        return ()
    value, *args = given
    if node.name in BINDING:
        return _describe_function(value)  # type: ignore[arg-type]  # no Failure
    return tuple(words_of_call(node.name, value, args))  # type: ignore[arg-type]  # no Failure


def _describe_function(function: Value) -> tuple[str, ...]:
    """Return the rule that a function learns for the first demo's input."""
    first: list[Value] = []
    last: list[Value] = []
    while isinstance(function, Function) and function.name in BINDING and function.args:
        name, (function, given) = function.name, function.args
        if name == "lbind":
            first.insert(0, given)
        else:
            last.append(given)
    if not isinstance(function, Function) or function.name not in worded_names():
        return ()
    primitive = get_primitive(function.name)
    learns = primitive.signatures[0].parameters[0] == DEMOS
    if function.args or not learns or not first or len(first + last) + 1 != primitive.arity:
        return ()
    demos = input_node("S")
    grid = call_node("first", call_node("first", demos))
    args = [demos, *map(constant, first[1:]), grid, *map(constant, last)]
    call = call_node(function.name, *args)
    outcomes = {each: interpret(Program(each), {"S": first[0]}).outcome for each in (*args, call)}
    return describe_rule(call, outcomes)


def describe_rules(
    program: Program, evaluate: Callable[[Sequence[Program]], Sequence[Value | Failure]]
) -> list[str]:
    """Return the distinct rules that a program has learned, in the order of its calls.

    `evaluate` returns the values of programs on one sample.
    """
    learning = [
        node
        for node in walk(program.result)
        if node.kind == "call" and node.name in (*worded_names(), *BINDING)
    ]
    if not learning:
        return []
    wanted = list(dict.fromkeys(each for node in learning for each in (*node.args, node)))
    outcomes = dict(zip(wanted, evaluate([Program(node) for node in wanted]), strict=True))
    rules = dict.fromkeys(describe_rule(node, outcomes) for node in learning)
    return [line for lines in rules for line in lines]
