"""Express a node as a function value of one input, for `apply` and the like.

Program text has no lambdas. A function is written with the primitives that combine functions:
`compose`, `fork`, `lbind` and `rbind`.
"""

from __future__ import annotations

from .ir import Node, call_node, primitive_node, walk

_IDENTITY = primitive_node("identity")


def function_of(result: Node, name: str) -> Node | None:
    """Return the node of the function that computes `result` from the input of that name.

    Returns None if it cannot be written: if a call has more than two arguments that depend on the
    input, or two with another between them, or calls a function that depends on the input.
    """
    made: dict[Node, Node | None] = {}
    for node in walk(result):
        if node.kind == "input" and node.head == name:
            made[node] = _IDENTITY
        elif any(arg in made for arg in node.args):
            made[node] = _function_of_call(node, made)
    return made.get(result)


def _function_of_call(node: Node, made: dict[Node, Node | None]) -> Node | None:
    """Return the function for a call, from those of its arguments."""
    args = node.args
    function = primitive_node(node.name) if node.kind == "call" else args[0]
    if node.kind == "invoke":
        if function in made:
            return None
        args = args[1:]
    is_branch = node.kind == "call" and node.name == "branch"
    if is_branch and args[1] not in made and args[2] in made:
        # With the condition negated, the arguments that depend on the input are side by side.
        chosen = made.get(args[0])
        if chosen is not None:
            condition = call_node("flip", args[0])
            made[condition] = call_node("compose", primitive_node("flip"), chosen)
            args = (condition, args[2], args[1])
    places = [place for place, arg in enumerate(args) if arg in made]
    inner = [made[args[place]] for place in places]
    if len(places) > 2 or places[-1] - places[0] >= len(places) or None in inner:
        return None
    for arg in args[: places[0]]:
        function = call_node("lbind", function, arg)
    for arg in reversed(args[places[-1] + 1 :]):
        function = call_node("rbind", function, arg)
    if len(inner) == 2:
        return call_node("fork", function, *inner)  # type: ignore[arg-type]  # no part is None here
    (only,) = inner
    assert only is not None
    return function if only is _IDENTITY else call_node("compose", function, only)
