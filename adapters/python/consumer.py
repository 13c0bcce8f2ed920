"""`eddyline.Consumer`: reads the records of topics, in any program."""

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Event
from types import TracebackType
from typing import Any, Final, Generic, Literal, Self, TypeAlias, TypeVar, get_args

from eddyline.adapters.python.clients import (
    CommitError,
    RecordError,
    WakeupError,
    codecs_of,
    container_of,
    milliseconds,
    require_topics,
)
from eddyline.application.ports.codec import CodecError
from eddyline.application.ports.event_log import Headers, LogRecord, TopicPartition
from eddyline.application.ports.record_clients import ConsumerClient, OnCommit, Rebalance
from eddyline.application.topology.errors import listed

K = TypeVar("K")
V = TypeVar("V")

Start: TypeAlias = Literal["committed", "beginning", "end"]
Partition: TypeAlias = TopicPartition | tuple[str, int] | int
"""A partition: a topic and its number, or the number alone if the consumer reads one topic."""

_SLICE_S: Final = 0.1


class RebalanceListener:
    """Receives the changes of the partitions of a consumer, while it polls; override what you need."""

    def on_assigned(self, partitions: Sequence[TopicPartition]) -> None:
        """Handle new partitions, before their first record is read; `consumer.seek` chooses where to start."""

    def on_revoked(self, partitions: Sequence[TopicPartition]) -> None:
        """Handle partitions that another member will get afterwards; `consumer.commit` commits what is processed."""

    def on_lost(self, partitions: Sequence[TopicPartition]) -> None:
        """Handle partitions that another member may have already; their offsets cannot be committed. Calls `on_revoked`."""
        self.on_revoked(partitions)


@dataclass(frozen=True, slots=True)
class ConsumerRecord(Generic[K, V]):
    """A record that was read; its timestamp is in ms since the epoch."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    key: K | None
    value: V | None
    headers: Headers = ()


class Consumer(Generic[K, V]):
    """Reads records with keys and values of these types from topics.

    With a group, the members of the group share the partitions, and a member without any is a standby, which takes over when
    another one leaves. Without a group, the consumer reads all partitions, or those that `partitions` names, and commits
    nothing. Use it with `with`, or call `close` at the end. One thread uses a consumer; `wakeup` may be called by any.

    Nothing is committed unless the program asks for it: by `commit`, or by `batches`, which commits each batch.

    Args:
        topics: The topic, or several with keys and values of the same types.
        group: The group; None to read without one. On files, one member of a group has all partitions, the others stand by.
        key: The type of keys.
        value: The type of values.
        start: Where to start: at the `committed` offsets (at the beginning where there are none), at the `beginning`, at the
            `end`, at an offset, or at a time.
        partitions: The partitions to read without a group; by default all.
        listener: Receives changes of the assignment.
        on_error: What to do with a record that cannot be decoded: `raise` a RecordError, or a function that takes the error;
            the consumer then continues after the record.
        config: The settings file; by default `eddyline.toml`, if it exists.
        settings: As for `Producer`, such as `settings={"group.instance.id": "one", "session.timeout.ms": 10_000}`.

    Raises:
        LookupError: A topic does not exist, and `create_topics` is not set.
        ValueError: A setting is unknown or invalid.
        OSError: The event log cannot be used.
    """

    def __init__(  # noqa: PLR0913 - each has a default but the first, and a caller names it
        self,
        topics: str | Iterable[str],
        *,
        group: str | None = None,
        key: type[K] = str,  # type: ignore[assignment] # the default of the type variable
        value: type[V] = object,  # type: ignore[assignment]
        start: Start | int | datetime = "committed",
        partitions: Iterable[Partition] | None = None,
        listener: RebalanceListener | None = None,
        on_error: Literal["raise"] | Callable[[RecordError], None] = "raise",
        config: Path | None = None,
        **settings: Any,
    ) -> None:
        self.topics = (topics,) if isinstance(topics, str) else tuple(topics)
        self.group, self._listener, self._on_error = group, listener or RebalanceListener(), on_error
        if not self.topics:
            raise ValueError("a consumer needs a topic; pass its name, or several")
        if group is not None and partitions is not None:
            raise ValueError(f"group '{group}' assigns the partitions; pass a group, or partitions")
        if on_error != "raise" and not callable(on_error):
            raise ValueError(f"on_error is {on_error!r}; choose 'raise', or pass a function that takes a RecordError")
        container = container_of(config, settings)
        require_topics(container, self.topics)
        hint = Any if value is object else value
        self._codecs = {topic: codecs_of(container, topic, key, hint) for topic in self.topics}
        self._client: ConsumerClient = container.topic_tools().consumer(group, start=_start(start))
        self._pending: deque[LogRecord] = deque()
        self._positions: dict[TopicPartition, int] = {}
        self._woken, self._closed, self._process = Event(), False, os.getpid()
        if group is None:
            log = container.log()
            found = [TopicPartition(topic, number) for topic in self.topics for number in range(log.partitions(topic))]
            wanted = found if partitions is None else [self._partition(each) for each in partitions]
            if unknown := [each for each in wanted if each not in found]:
                raise LookupError(
                    f"topic '{unknown[0].topic}' has no partition {unknown[0].partition} that this consumer could read; choose "
                    f"among: {listed(f'{each.topic}-{each.partition}' for each in found)}"
                )
            self._client.assign(wanted)
        else:
            self._client.subscribe(self.topics, Rebalance(self._assigned, self._revoked, self._lost))

    # --- reading ------------------------------------------------------------------------------------------------------

    def poll(self, timeout_s: float = 1.0, max_records: int = 500) -> "list[ConsumerRecord[K, V]]":
        """Return the next records; none if there is none within the timeout.

        Raises:
            RecordError: The next record cannot be decoded; the consumer stays before it.
            WakeupError: `wakeup` was called.
            RuntimeError: The consumer is closed, or Kafka rejects a request.
        """
        self._require_open()
        deadline = time.monotonic() + timeout_s
        while True:
            if self._woken.is_set():
                self._woken.clear()
                raise WakeupError(f"the consumer of {self._named()} was woken up")
            if not self._pending:
                left = max(deadline - time.monotonic(), 0.0)
                read = self._client.poll(max_records, min(left, _SLICE_S))  # which may replace what is pending
                self._pending.extend(read)
            records = self._decoded(max_records)
            if records or time.monotonic() >= deadline:
                return records

    def __iter__(self) -> "Iterator[ConsumerRecord[K, V]]":
        """Yield records until `wakeup` is called; nothing is committed."""
        for batch in self.batches(commit=False):
            yield from batch

    def batches(self, max_records: int = 500, *, commit: bool = True) -> "Iterator[list[ConsumerRecord[K, V]]]":
        """Yield the next records, as soon as there are any, until `wakeup` is called.

        Args:
            max_records: The most records of a batch.
            commit: Whether to commit the offsets of a batch when the loop asks for the next one. A batch whose loop body raises,
                or is left with `break`, is not committed.
        """
        while True:
            try:
                batch = self.poll(_SLICE_S, max_records)
            except WakeupError:
                return
            if not batch:
                continue
            yield batch
            if commit:
                self._client.commit_offsets(_after(batch))  # during a rebalance, with the next commit

    def wakeup(self) -> None:
        """Let the present or next call of `poll` raise WakeupError, and loops end; any thread or signal handler may call it."""
        self._woken.set()

    # --- offsets ------------------------------------------------------------------------------------------------------

    def commit(self, offsets: "Mapping[Partition, int] | ConsumerRecord[K, V] | None" = None) -> None:
        """Commit offsets, and wait until they are.

        Args:
            offsets: The next offset to read by partition, or the last record that was processed; by default those after all
                records that `poll` has returned.

        Raises:
            CommitError: The group is being rebalanced.
            ValueError: The consumer has no group.
        """
        wanted = self._offsets(offsets)
        if not self._client.commit_offsets(wanted):
            raise CommitError(
                f"group '{self.group}' is being rebalanced, so its offsets are not committed yet; poll, and commit again, or use "
                "a listener"
            )

    def commit_async(
        self, offsets: "Mapping[Partition, int] | ConsumerRecord[K, V] | None" = None, on_commit: OnCommit | None = None
    ) -> None:
        """Commit offsets without waiting.

        Args:
            offsets: As for `commit`.
            on_commit: Called with the offsets and the error, or None, by a later call of `poll` or `close`.

        Raises:
            ValueError: The consumer has no group.
        """
        self._client.commit_in_background(self._offsets(offsets), on_commit or (lambda _offsets, _error: None))

    def committed(self, *partitions: Partition) -> dict[TopicPartition, int]:
        """Return the committed offsets of partitions, by default of all of the consumer, without those that have none."""
        return self._client.committed(self._chosen(partitions))

    def position(self, partition: Partition) -> int | None:
        """Return the offset after the last record of a partition that `poll` has returned, None before the first one."""
        return self._positions.get(self._partition(partition))

    def seek(self, partition: Partition, offset: int) -> None:
        """Continue with this offset in a partition of the consumer.

        Raises:
            ValueError: The consumer does not have the partition now.
        """
        (chosen,) = self._chosen((partition,))
        self._client.seek(chosen, offset)
        self._forget([chosen])
        self._positions[chosen] = offset

    def seek_to_beginning(self, *partitions: Partition) -> None:
        """Continue with the first record of these partitions, by default of all."""
        for partition in self._chosen(partitions):
            self.seek(partition, self._client.bounds(partition)[0])

    def seek_to_end(self, *partitions: Partition) -> None:
        """Continue after the present last record of these partitions, by default of all."""
        for partition in self._chosen(partitions):
            self.seek(partition, self._client.bounds(partition)[1])

    def seek_to_time(self, time: datetime | int, *partitions: Partition) -> None:
        """Continue with the first record at or after a time, or ms since the epoch; at the end if there is none."""
        for partition in self._chosen(partitions):
            self.seek(partition, self._client.offset_at(partition, milliseconds(time)))

    @property
    def assignment(self) -> Sequence[TopicPartition]:
        """The partitions that the consumer has now."""
        return self._client.partitions()

    @property
    def is_standby(self) -> bool:
        """Whether the consumer has no partitions now, and waits for those of other members."""
        return not self.assignment

    # --- the end ------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Leave the group, so that other members take over at once; commits nothing, unless the listener does."""
        if not self._closed and self._process == os.getpid():
            try:
                self._client.close()
            finally:
                self._closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    # --- inside -------------------------------------------------------------------------------------------------------

    def _decoded(self, max_records: int) -> "list[ConsumerRecord[K, V]]":
        found: list[ConsumerRecord[K, V]] = []
        while self._pending and len(found) < max_records:
            record = self._pending[0]
            try:
                found.append(self._record(record))
            except RecordError as error:
                if self._on_error == "raise":
                    if found:
                        return found
                    raise
                self._on_error(error)
            self._pending.popleft()
            self._positions[TopicPartition(record.topic, record.partition)] = record.offset + 1
        return found

    def _record(self, record: LogRecord) -> "ConsumerRecord[K, V]":
        codecs = self._codecs[record.topic]
        reason = record.error
        if reason is None:
            try:
                key, value = codecs.key.decode(record.key, record.headers), codecs.value.decode(record.value, record.headers)
                return ConsumerRecord(record.topic, record.partition, record.offset, record.timestamp, key, value, record.headers)
            except CodecError as error:
                reason = str(error)
        raise RecordError(
            record.topic,
            record.partition,
            record.offset,
            key=record.key,
            value=record.value,
            headers=record.headers,
            reason=reason,
        )

    def _offsets(self, given: "Mapping[Partition, int] | ConsumerRecord[K, V] | None") -> dict[TopicPartition, int]:
        self._require_open()
        if self.group is None:
            raise ValueError(f"the consumer of {self._named()} has no group to commit offsets for; pass group=")
        if given is None:
            return dict(self._positions)
        if isinstance(given, ConsumerRecord):
            return _after([given])
        return {self._partition(partition): offset for partition, offset in given.items()}

    def _chosen(self, partitions: Iterable[Partition]) -> Sequence[TopicPartition]:
        self._require_open()
        assigned = self.assignment
        wanted = [self._partition(each) for each in partitions] or assigned
        for partition in wanted:
            if partition not in assigned:
                names = listed(f"{each.topic}-{each.partition}" for each in assigned) if assigned else "none yet; poll first"
                raise ValueError(
                    f"the consumer does not have partition {partition.partition} of topic '{partition.topic}'; it has: {names}"
                )
        return wanted

    def _partition(self, given: Partition) -> TopicPartition:
        if not isinstance(given, int):
            return TopicPartition(*given)
        if len(self.topics) > 1:
            raise ValueError(f"partition {given} is one of several topics; pass ('{self.topics[0]}', {given})")
        return TopicPartition(self.topics[0], given)

    def _assigned(self, partitions: Sequence[TopicPartition]) -> None:
        self._listener.on_assigned(partitions)

    def _revoked(self, partitions: Sequence[TopicPartition]) -> None:
        self._listener.on_revoked(partitions)
        self._forget(partitions)

    def _lost(self, partitions: Sequence[TopicPartition]) -> None:
        self._listener.on_lost(partitions)
        self._forget(partitions)

    def _forget(self, partitions: Sequence[TopicPartition]) -> None:
        """Forget what was read of partitions and not returned yet."""
        self._pending = deque(each for each in self._pending if (each.topic, each.partition) not in partitions)
        for partition in partitions:
            self._positions.pop(partition, None)

    def _require_open(self) -> None:
        if self._process != os.getpid():
            raise RuntimeError(
                f"the consumer of {self._named()} was created before this process was forked; create one in this process"
            )
        if self._closed:
            raise RuntimeError(f"the consumer of {self._named()} is closed; use it before close, or inside 'with'")

    def _named(self) -> str:
        return f"topic '{self.topics[0]}'" if len(self.topics) == 1 else f"topics {listed(self.topics)}"


def _start(start: Start | int | datetime) -> tuple[str, int]:
    if isinstance(start, datetime):
        return "time", milliseconds(start)
    if isinstance(start, int) and not isinstance(start, bool) and start >= 0:
        return "offset", start
    if start in get_args(Start):
        return str(start), 0
    raise ValueError(f"start is {start!r}; choose 'committed', 'beginning', 'end', an offset or a datetime")


def _after(records: Iterable[ConsumerRecord[Any, Any]]) -> dict[TopicPartition, int]:
    return {TopicPartition(record.topic, record.partition): record.offset + 1 for record in records}
