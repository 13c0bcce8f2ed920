"""The predicate of `filter_not`."""

from collections.abc import Callable
from typing import Any


def negated(predicate: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """Return the opposite of a predicate; its signature is that of the predicate."""

    def opposite(key: Any, value: Any) -> bool:
        return not predicate(key, value)

    opposite.__wrapped__ = predicate  # type: ignore[attr-defined] # functions take attributes; inspect.signature reads this one
    return opposite
