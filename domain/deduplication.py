"""When an event is one that was seen before: by its id, for a time."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from domain.value import value

Event: TypeAlias = dict[str, Any]
"""An event as its sender wrote it; `id` is the one field that is read."""


def event_id(event: Event | None) -> str | None:
    """The id of an event; None when it has none, or one that is not text: such an event is never a duplicate."""
    named = event.get("id") if isinstance(event, Mapping) else None
    return named if isinstance(named, str) else None


@value
class DuplicateWindow:
    """An event is a duplicate when its id is held at a time at most `before_ms` earlier or `after_ms` later."""

    before_ms: int = 10_000
    after_ms: int = 10_000

    @property
    def retention_ms(self) -> int:
        """How long an id has to be held, so that no duplicate is missed."""
        return self.before_ms + self.after_ms

    def earliest(self, timestamp: int) -> int:
        """The earliest time, in milliseconds since the epoch, at which the id makes an event of `timestamp` a duplicate."""
        return timestamp - self.before_ms

    def latest(self, timestamp: int) -> int:
        """The latest time, in milliseconds since the epoch, at which the id makes an event of `timestamp` a duplicate."""
        return timestamp + self.after_ms


@value
class TimeToLive:
    """An event is a duplicate while its id is held; an id is let go when it is `ttl_ms` old.

    With `refresh` a duplicate makes its id young again.
    """

    ttl_ms: int
    refresh: bool = False

    def held_since(self, seen: int | None, timestamp: int) -> int:
        """The time to hold an id with after an event of `timestamp`; `seen` is the time it is held with, None when new."""
        return timestamp if seen is None or self.refresh else seen

    def is_over(self, seen: int, now: int) -> bool:
        """Whether an id that is held since `seen` is to be let go; both in milliseconds since the epoch."""
        return now - seen >= self.ttl_ms
