"""When a table's updates leave a step: each at once, or the latest of each key when the task commits."""

from typing import Any, Literal, TypeAlias

from eddyline.application.operators.context import Held, TableForward
from eddyline.application.topology.records import Headers

Emit: TypeAlias = Literal["latest", "every-update"]


class HeldUpdates:
    """Keeps the latest update of each key until the commit, together with the value before the first of them.

    `held` is where they are kept: by key the new value, the old one, the time and the headers.
    """

    __slots__ = ("_forward", "_held")

    def __init__(self, forward: TableForward, held: dict[Any, Held]) -> None:
        self._forward = forward
        self._held = held

    def update(self, key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        """Takes an update in place of the key's earlier one."""
        before = self._held.get(key)
        self._held[key] = (new, old if before is None else before[1], timestamp, headers)

    def flush(self) -> None:
        """Forwards what is held, in the order in which the keys were first updated."""
        held = dict(self._held)
        self._held.clear()
        for key, (new, old, timestamp, headers) in held.items():
            self._forward(key, new, old, timestamp, headers)
