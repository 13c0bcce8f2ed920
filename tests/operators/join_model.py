"""Joins of streams as their rules say it, by looking through all that came: slow, and without any store."""

from typing import Any, NamedTuple

INFINITE = 10**9


class Came(NamedTuple):
    """A record of one side, with its place in the order of arrival."""

    left: bool
    key: str
    value: str
    time: int
    arrival: int


class Model:
    """Takes records one by one and gives what they bring: (key, (left value, right value), time)."""

    def __init__(self, kind: str, before: int, after: int, grace: int) -> None:
        self._kind, self._before, self._after, self._grace = kind, before, after, grace
        self._came: list[Came] = []
        self._held: list[Came] = []
        self._time = -1
        self._min_time = INFINITE

    def take(self, left: bool, key: str | None, value: str | None, time: int) -> list[Any]:
        """What comes out for one record."""
        self._time = max(self._time, time)
        keeps = self._keeps(left)
        if key is None or value is None:
            return [(key, _pair(left, value, None), time)] if keeps and value is not None else []
        record = Came(left, key, value, time, len(self._came))
        self._came.append(record)
        found = self._look(left) if time == self._time and self._kind != "join" else []
        partners = self._partners(record)
        for partner in partners:
            self._held = [held for held in self._held if held[:2] + held[3:4] != (not left, key, partner.time)]
            found.append((key, _pair(left, value, partner.value), max(time, partner.time)))
        if keeps and not partners:
            if time + self._wait(left) < self._time:
                found.append((key, _pair(left, value, None), time))
            else:
                self._held.append(record)
                self._min_time = min(self._min_time, time)
        return found

    def _partners(self, record: Came) -> list[Came]:
        back, ahead = (self._before, self._after) if record.left else (self._after, self._before)
        others = [other for other in self._came if other.left != record.left]
        newest = max((other.time for other in others), default=-1)
        kept_from = newest - max(1, self._before + self._after + self._grace)
        near = [
            other
            for other in others
            if other.key == record.key and record.time - back <= other.time <= record.time + ahead and other.time > kept_from
        ]
        return sorted(near, key=lambda other: (other.time, other.arrival))

    def _look(self, left: bool) -> list[Any]:
        if self._min_time + self._wait(left) + self._grace >= self._time:
            return []
        self._min_time = INFINITE
        found: list[Any] = []
        open_sides: set[bool] = set()
        for held in sorted(self._held, key=lambda held: (held.time, held.left, held.key, held.arrival)):
            self._min_time = held.time
            if open_sides == {True, False}:
                break
            if held.time + self._wait(held.left) + self._grace >= self._time:
                open_sides.add(held.left)
            else:
                found.append((held.key, _pair(held.left, held.value, None), held.time))
                self._held.remove(held)
        return found

    def _wait(self, left: bool) -> int:
        return self._after if left else self._before

    def _keeps(self, left: bool) -> bool:
        return self._kind == "outer_join" or (self._kind == "left_join" and left)


def _pair(left: bool, this: str | None, other: str | None) -> tuple[str | None, str | None]:
    return (this, other) if left else (other, this)
