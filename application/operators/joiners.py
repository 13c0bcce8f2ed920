"""Joiners with and without a key."""

from collections.abc import Callable
from typing import Any, TypeAlias

from eddyline.application.topology.callables import NO_RESULTS, refuse
from eddyline.application.topology.immutable import is_immutable, with_copied_result
from eddyline.application.topology.nodes import ForeignKeyResultNode, JoinNode

JoinerWithKey: TypeAlias = Callable[[Any, Any, Any], Any]
"""Returns the joined value for (key, left value, right value)."""


def joiner_of(node: JoinNode | ForeignKeyResultNode) -> JoinerWithKey:
    """Return the joiner of a node, as `joiner_with_key` does."""
    return joiner_with_key(node.joiner, node.value_type, with_key=node.with_key)


def joiner_with_key(joiner: Callable[..., Any], value_type: object, *, with_key: bool) -> JoinerWithKey:
    """Return a joiner as a function of (key, left value, right value); what it may change later, or return again, is copied.

    It raises a TypeError if it gets a coroutine or a generator.
    """

    def joined(key: Any, left: Any, right: Any) -> Any:
        value = joiner(key, left, right) if with_key else joiner(left, right)
        if type(value) in NO_RESULTS:
            refuse(value, "a joiner")
        return value

    return joined if is_immutable(value_type) else with_copied_result(joined)
