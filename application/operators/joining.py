"""What all joins share."""

from collections.abc import Callable
from typing import Any, TypeAlias

Joined: TypeAlias = Callable[[Any, Any, Any], Any]
"""Makes the joined value of (key, left, right)."""


def joiner_with_key(joiner: Callable[..., Any], *, with_key: bool) -> Joined:
    """The joiner of a step as (key, left, right), whichever form it has."""
    return joiner if with_key else lambda _key, left, right: joiner(left, right)
