"""The predicate of `filter_not`."""

from collections.abc import Callable
from typing import Any

from eddyline.application.topology.callables import check_result, is_true


def negated(predicate: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """Return the opposite of a predicate; its signature is that of the predicate.

    Raises:
        TopologyError: If it is a coroutine function or a generator function.
    """
    check_result("the predicate of filter_not", predicate)

    def opposite(key: Any, value: Any) -> bool:
        found: object = predicate(key, value)
        return found is False or (found is not True and not is_true(found))

    opposite.__wrapped__ = predicate  # type: ignore[attr-defined] # functions take attributes; inspect.signature reads this one
    return opposite
