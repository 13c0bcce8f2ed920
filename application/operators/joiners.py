"""Joiners with and without a key."""

from collections.abc import Callable
from typing import Any, TypeAlias

from eddyline.application.topology.callables import NO_RESULTS, refuse

JoinerWithKey: TypeAlias = Callable[[Any, Any, Any], Any]
"""Returns the joined value for (key, left value, right value)."""


def joiner_with_key(joiner: Callable[..., Any], *, with_key: bool) -> JoinerWithKey:
    """Return the joiner of a node as a function of (key, left value, right value).

    It raises a TypeError if it gets a coroutine or a generator.
    """

    def joined(key: Any, left: Any, right: Any) -> Any:
        value = joiner(key, left, right) if with_key else joiner(left, right)
        if type(value) in NO_RESULTS:
            refuse(value, "a joiner")
        return value

    return joined
