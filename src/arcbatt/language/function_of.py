"""A program's node in, the function that it is of an input out: for `apply` and its kind.

Program text has no functions of its own. What a node computes from an input is written by those
that make functions of functions: `compose`, `fork`, `lbind` and `rbind`.
"""

from __future__ import annotations

from .ir import Node, call_node, primitive_node, walk

_IDENTITY = primitive_node("identity")


def function_of(result: Node, name: str) -> Node | None:
    """Return the node of the function that gives `result` for an input of that name.

    None where there is no such way to write it: for a call with more than two arguments that
    depend on the input or with another between the two, or of a function that depends on it.
    """
    made: dict[Node, Node | None] = {}
    for node in walk(result):
        if node.kind == "input" and node.head == name:
            made[node] = _IDENTITY
        elif any(arg in made for arg in node.args):
            made[node] = _function_of_call(node, made)
    return made.get(result)


def _function_of_call(node: Node, made: dict[Node, Node | None]) -> Node | None:
    """The function that a call is, by those that its arguments are."""
    args = node.args
    function = primitive_node(node.name) if node.kind == "call" else args[0]
    if node.kind == "invoke":
        if function in made:
            return None
        args = args[1:]
    places = [place for place, arg in enumerate(args) if arg in made]
    inner = [made[args[place]] for place in places]
    if len(places) > 2 or places[-1] - places[0] >= len(places) or None in inner:
        return None
    for arg in args[: places[0]]:
        function = call_node("lbind", function, arg)
    for arg in reversed(args[places[-1] + 1 :]):
        function = call_node("rbind", function, arg)
    if len(inner) == 2:
        return call_node("fork", function, *inner)  # type: ignore[arg-type]  # none is None
    (only,) = inner
    assert only is not None
    return function if only is _IDENTITY else call_node("compose", function, only)
