"""Several consumers of one group at work side by side, each in a thread of its own."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias

from confluent_kafka import Consumer

from eddyline.adapters.kafka.clients import new_consumer
from eddyline.adapters.kafka.group_member import GroupMember, Place, Start
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import partition_count
from eddyline.application.ports.event_log import LogRecord

OnBatch: TypeAlias = Callable[[int, Sequence[LogRecord]], int]
OnChange: TypeAlias = Callable[[Mapping[int, Sequence[Place]]], None]

_POLL_S = 0.2
_SETTLED_S = 10.0
_LEAVING_S = 10.0
_QUESTIONS_GROUP = "eddyline-questions"


class Consuming:
    """`members` consumers of a topic, numbered from 1, until `stop` is called.

    `on_batch` gets a member's number and its next records, and gives how many of them, from the first on, are done with: their
    offsets are committed to the group. Where it raises, none are, all members leave, and `run` raises the same.
    `on_change` gets the partitions of every member whenever the group has moved some; a member without any stands by.
    Both are called by one thread at a time.
    Without a group the members share the topic's partitions out among themselves, and nothing is committed.
    """

    def __init__(
        self,
        settings: KafkaSettings,
        topic: str,
        group: str | None,
        *,
        members: int = 1,
        start: Start | None = None,
        batch: int = 500,
        cooperative: bool = True,
        until_end: bool = False,
    ) -> None:
        self._settings = settings
        self._topic = topic
        self._group = group
        self._count = members
        self._start = start or Start()
        self._batch = batch
        self._cooperative = cooperative
        self._until_end = until_end
        self._stopping = threading.Event()
        self._lock = threading.RLock()
        self._seen: set[Place] = set()
        self._has: dict[int, Sequence[Place]] = dict.fromkeys(range(1, members + 1), ())
        self._ended: set[Place] = set()
        self._changed_at = time.monotonic()
        self._done = threading.Barrier(members)
        self._failure: BaseException | None = None

    def run(self, on_batch: OnBatch, on_change: OnChange) -> None:
        """Reads until `stop`, or to the end of all partitions where that was asked for. Raises UnknownTopicError, BrokerError."""
        asker: Consumer = new_consumer(self._settings, _QUESTIONS_GROUP)
        partitions = partition_count(self._settings, asker, self._topic)
        asker.close()
        threads = [
            threading.Thread(target=self._work, args=(number, partitions, on_batch, on_change), name=f"consumer-{number}")
            for number in self._has
        ]
        for thread in threads:
            thread.start()
        try:
            while any(thread.is_alive() for thread in threads):
                self._stopping.wait(_POLL_S)
                threads[0].join(_POLL_S)
        finally:
            self.stop()
            for thread in threads:
                thread.join()
        if self._failure is not None:
            raise self._failure

    def stop(self) -> None:
        """Lets every member finish its batch, commit it and leave; may be called from a signal handler."""
        self._stopping.set()

    def _work(self, number: int, partitions: int, on_batch: OnBatch, on_change: OnChange) -> None:
        try:
            member = GroupMember(
                self._settings,
                self._group,
                start=self._start,
                first_time=self._first_time,
                on_change=lambda places: self._changed(number, places, on_change),
                cooperative=self._cooperative,
            )
            try:
                self._read(member, number, partitions, on_batch)
                self._wait_for_all_to_have_committed()
            finally:
                member.close()
        except BaseException as error:  # noqa: BLE001 - handed on to the thread that waits for this one
            with self._lock:
                self._failure = self._failure or error
            self._done.abort()
            self.stop()

    def _wait_for_all_to_have_committed(self) -> None:
        """The first to leave starts a rebalance, in which the others could not commit."""
        with suppress(threading.BrokenBarrierError):
            self._done.wait(_LEAVING_S)

    def _read(self, member: GroupMember, number: int, partitions: int, on_batch: OnBatch) -> None:
        if self._group is None:
            member.take([(self._topic, partition) for partition in range(number - 1, partitions, self._count)])
        else:
            member.subscribe([self._topic])
        while not self._stopping.is_set():
            records = member.poll(self._batch, _POLL_S)
            done = 0
            if records:
                with self._lock:
                    if self._stopping.is_set():
                        break
                    done = on_batch(number, records)
            member.commit(records[:done])
            self._note_end(member)
        member.finish()

    def _note_end(self, member: GroupMember) -> None:
        """A partition that left us may be on its way between two of our members; after a while it is someone else's."""
        if not self._until_end:
            return
        with self._lock:
            self._ended |= member.ends()
            ours = {place for places in self._has.values() for place in places}
            settled = time.monotonic() - self._changed_at > _SETTLED_S
            awaited = ours if settled else self._seen
            if ours and self._ended >= awaited:
                self.stop()

    def _changed(self, number: int, places: Sequence[Place], on_change: OnChange) -> None:
        with self._lock:
            if self._has[number] == places:
                return
            self._has[number] = places
            self._changed_at = time.monotonic()
            if not self._stopping.is_set():
                on_change(dict(self._has))

    def _first_time(self, place: Place) -> bool:
        with self._lock:
            known = place in self._seen
            self._seen.add(place)
            return not known
