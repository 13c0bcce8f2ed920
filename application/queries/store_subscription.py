"""A subscription to a store of a read model, which reads the changelog where the latest changes are not at hand."""

from collections.abc import Callable, Iterator
from typing import Final

from eddyline.application.ports.event_log import EventLog, OffsetOutOfRangeError
from eddyline.application.ports.read_model import EntryChange
from eddyline.application.queries.follower import ChangelogFollower
from eddyline.application.queries.queryable_store import QueryableStore
from eddyline.application.queries.subscriptions import (
    ChangedRows,
    Positions,
    Subscription,
    changelog_checksum,
    last_changes,
    parse_position,
    position_text,
)
from eddyline.application.runtime.plan.changelogs import ChangelogEntry, decode

MOST_BEHIND: Final = 100_000
"""How many offsets of a partition a subscription may be behind; one that is farther behind continues at the end."""


class StoreSubscription(Subscription):
    """Follows the partitions of a store that this instance holds.

    Args:
        follower: Applies the changes.
        log: The event log with the changelogs.
        store: The store.
        after: The position after which the changes begin, None for now.
        on_change: Called after changes, in the thread that applies them.

    Raises:
        InvalidQueryError: `after` is no position.
    """

    def __init__(
        self,
        follower: ChangelogFollower,
        log: EventLog,
        store: Callable[[], QueryableStore],
        after: str | None,
        on_change: Callable[[], None],
    ) -> None:
        self._follower, self._log, self._store = follower, log, store
        self._name = store().spec.name
        self._changelog = self._changelog_id()
        self._at: dict[int, int] = {}
        self._resumed = True
        if after is not None:
            checksum, positions = parse_position(after)
            self._at = dict(positions)
            self._resumed = checksum == changelog_checksum(self._changelog)
        follower.feed.listen(self, self._name, on_change)
        if after is None:
            self._at = dict(self._reached())

    def take(self, limit: int = 1_000) -> ChangedRows:
        """Return what has changed since the last call, in the partitions that this instance holds."""
        store, since = self._store(), position_text(self._changelog, self._at)
        is_same = self._is_same_changelog()
        reached = self._reached()
        missed = self._forget(reached, at_end=not is_same)
        changes: list[tuple[int, EntryChange]] = []
        for partition, end in reached.items():
            found = self._changes(store, partition, end, limit - len(changes))
            changes.extend((partition, change) for change in found)
        rows = [store.changed_row(change.key, change.value) for change in last_changes(changes)]
        has_more = any(self._at[partition] < end for partition, end in reached.items())
        return ChangedRows(rows, position_text(self._changelog, self._at), since if missed or not is_same else None, has_more)

    def close(self) -> None:
        """Stop calling `on_change`."""
        self._follower.feed.leave(self)

    def _changelog_id(self) -> str:
        return self._follower.model.changelog_id(self._name) or ""

    def _is_same_changelog(self) -> bool:
        """Return whether the changelog is the one that the position is of, and remember the present one."""
        before, self._changelog = self._changelog, self._changelog_id()
        resumed, self._resumed = self._resumed, True
        return resumed and before == self._changelog

    def _reached(self) -> Positions:
        """Return the positions of the read model: changes after them are not in the answers of queries yet."""
        if self._follower.joining(self._name):
            return {}
        return {number: self._follower.model.position(self._name, number) for number in self._follower.held(self._name)}

    def _forget(self, reached: Positions, *, at_end: bool) -> bool:
        """Drop the positions of partitions that this instance does not hold, and skip changes that cannot be sent.

        Args:
            reached: The positions of the read model.
            at_end: Whether to skip all changes.

        Returns:
            Whether changes are missing, since the subscription is too far behind, or the read model was built again.
        """
        if at_end:
            self._at.clear()
        for partition in self._at.keys() - reached.keys():
            del self._at[partition]
        missed = False
        for partition, end in reached.items():
            if not end - MOST_BEHIND <= self._at.setdefault(partition, end) <= end:
                self._at[partition], missed = end, True
        return missed

    def _changes(self, store: QueryableStore, partition: int, end: int, limit: int) -> Iterator[EntryChange]:
        """Yield changes from the position of a partition on, and advance it; at least those of one part or chunk."""
        for part in self._follower.feed.parts(self._name, partition, self._at[partition]):
            if limit <= 0 or part.end > end:
                return
            self._at[partition] = part.end
            limit -= len(part.changes)
            yield from part.changes
        if self._at[partition] >= end or limit <= 0:
            return
        topic = self._follower.topics[self._name]
        start = max(self._at[partition], self._log.beginning_offset(topic, partition))
        try:
            for batch in self._log.read(topic, partition, min(start, end), end):
                for record in batch:
                    found = decode(record.key, record.value, record.timestamp)
                    if isinstance(found, ChangelogEntry):
                        limit -= 1
                        yield EntryChange(store.found_by(found.key), found.key, found.value)
                self._at[partition] = batch[-1].offset + 1
                if limit <= 0:
                    return
        except OffsetOutOfRangeError:
            return  # compaction or a reset has changed the log; the next call finds out which
        self._at[partition] = end
