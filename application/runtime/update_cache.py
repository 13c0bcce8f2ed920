"""The record cache of a table: it forwards the last update of each key when the task commits."""

from typing import Any

from eddyline.application.operators.context import CachedUpdate, TableForward, UpdatesForward
from eddyline.application.operators.update_columns import UpdateColumns
from eddyline.application.topology.records import Headers


class UpdateCache:
    """Keeps the latest update of each key until the commit, with the old value of the first update since the last commit.

    `cached` is where the updates are kept: new value, old value, timestamp (ms) and headers, by key.
    """

    __slots__ = ("_cached", "_forward", "_forward_all")

    def __init__(self, forward: TableForward, forward_all: UpdatesForward, cached: dict[Any, CachedUpdate]) -> None:
        self._forward, self._forward_all = forward, forward_all
        self._cached = cached

    def update(self, key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        """Replace the key's cached update."""
        before = self._cached.get(key)
        self._cached[key] = (new, old if before is None else before[1], timestamp, headers)

    def add(self, key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        """Cache an update that does not replace the one that is cached for the key: that one is forwarded first."""
        before = self._cached.get(key)
        if before is not None:
            self._forward(key, *before)
        self._cached[key] = (new, old, timestamp, headers)

    def flush(self) -> None:
        """Forward the cached updates, in the order in which their keys were first updated."""
        cached = dict(self._cached)
        self._cached.clear()
        if cached:
            self._forward_all(UpdateColumns.of_commit(list(cached), *zip(*cached.values(), strict=True)))


def one_by_one(forward: TableForward) -> UpdatesForward:
    """Return a function that forwards each of many updates."""

    def forward_each(updates: UpdateColumns) -> None:
        for update in updates.each():
            forward(*update)

    return forward_each


def changes(forward: TableForward) -> TableForward:
    """Return a function that forwards an update unless there was no value and is none."""

    def forward_change(key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        if new is not None or old is not None:
            forward(key, new, old, timestamp, headers)

    return forward_change


def many_changes(forward: UpdatesForward) -> UpdatesForward:
    """Return a function that does so with many updates."""

    def forward_changes(updates: UpdateColumns) -> None:
        changed = [new is not None or old is not None for new, old in zip(updates.new, updates.old, strict=True)]
        forward(updates if all(changed) else updates.only(changed))

    return forward_changes
