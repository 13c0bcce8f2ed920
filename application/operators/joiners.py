"""Joiners with and without a key."""

from collections.abc import Callable
from typing import Any, TypeAlias

JoinerWithKey: TypeAlias = Callable[[Any, Any, Any], Any]
"""Returns the joined value for (key, left value, right value)."""


def joiner_with_key(joiner: Callable[..., Any], *, with_key: bool) -> JoinerWithKey:
    """Return the joiner of a node as a function of (key, left value, right value)."""
    return joiner if with_key else lambda _key, left, right: joiner(left, right)
