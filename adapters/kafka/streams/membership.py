"""The processes of an application as a consumer group: Kafka assigns the numbers of the tasks as partitions of a topic."""

import os
import socket
import time
from collections.abc import Callable, Collection
from typing import Final

from confluent_kafka import Consumer, KafkaException, Message
from confluent_kafka import TopicPartition as ClientPartition

from eddyline.adapters.kafka.clients.broker_errors import as_broker_error
from eddyline.adapters.kafka.clients.error_codes import AUTHORIZATION
from eddyline.adapters.kafka.clients.factory import new_consumer
from eddyline.adapters.kafka.clients.logs import LOGGER
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.application.ports.task_streams import CommitLostError, Membership

SHORT_SESSION_MS: Final = 2_000
"""How long a process may be silent before its tasks move. Brokers refuse less than their `group.min.session.timeout.ms`."""
_ALLOWED_SESSION_MS: Final = 6_000
"""The default of `group.min.session.timeout.ms`."""
_REFUSED: Final = "INVALID_SESSION_TIMEOUT"
_COOPERATIVE: Final = {"partition.assignment.strategy": "cooperative-sticky"}
_LEAVE_S: Final = 5.0
_POLL_S: Final = 0.05
_BETWEEN_POLLS_S: Final = 0.005
_HEARTBEATS: Final = 4


class KafkaMembership(Membership):
    """A member of the group `<application id>` that reads nothing itself: it is assigned a partition of `topic` for each task.

    A rebalance moves only the tasks that have to move. A process that is killed loses its tasks after `session.timeout.ms`:
    2 seconds if the brokers allow it, else 6. So does one that is paused: when it continues, it has lost what was not committed.
    The brokers would accept that again once it is a new member of the group, since they do not compare who owns which partition.

    Args:
        settings: Settings of the consumer.
        group: The group id.
        topic: The topic whose partitions are shared.
        on_revoked: Called with the numbers that move to other processes, before they do.
    """

    def __init__(self, settings: KafkaSettings, group: str, topic: str, on_revoked: Callable[[Collection[int]], None]) -> None:
        self._settings, self._group, self._topic, self._on_revoked = settings, group, topic, on_revoked
        self._held: set[int] = set()
        self._closing = False
        self._joined = self._has_lost = False
        self._poll_due = 0.0
        self._consumer = self._join(SHORT_SESSION_MS)

    def held(self) -> Collection[int] | None:
        now = time.monotonic()
        if now >= self._poll_due:
            self._poll_due = now + _BETWEEN_POLLS_S
            message = self._consumer.poll(0)
            if message is not None:
                self._handle(message)
        self._check()
        return frozenset(self._held) if self._joined else None

    def take_part(self, on_revoked: Callable[[Collection[int]], None]) -> None:
        """Take part in the group for a moment, with another `on_revoked`. Raises CommitLostError."""
        before, self._on_revoked = self._on_revoked, on_revoked
        try:
            message = self._consumer.poll(_POLL_S)
        finally:
            self._on_revoked = before
        if message is not None:
            self._handle(message)
        self._check()

    def metadata(self) -> object:
        """Return what a transaction needs to commit offsets as this member of the group. Raises CommitLostError."""
        self._check()
        return self._consumer.consumer_group_metadata()

    @property
    def consumer(self) -> Consumer:
        """The consumer that is the member of the group."""
        return self._consumer

    def close(self) -> None:
        self._closing = True
        deadline = time.monotonic() + _LEAVE_S
        while not self._joined and time.monotonic() < deadline:
            self._consumer.poll(_POLL_S)  # a member that leaves while it joins stays in the group until its session times out
        self._consumer.unsubscribe()
        self._consumer.close()

    def _check(self) -> None:
        if self._has_lost:
            raise CommitLostError(f"this process has lost its tasks, since group '{self._group}' did not hear from it in time")

    def _join(self, session_ms: int) -> Consumer:
        consumer = new_consumer(
            self._settings,
            self._group,
            defaults={
                "client.id": f"{self._group}-{socket.gethostname()}-{os.getpid()}",
                "session.timeout.ms": str(session_ms),
                "heartbeat.interval.ms": str(session_ms // _HEARTBEATS),
                "topic.metadata.refresh.interval.ms": "10000",
                "reconnect.backoff.max.ms": "1000",
            },
            fixed=_COOPERATIVE,
        )
        consumer.subscribe([self._topic], on_assign=self._assigned, on_revoke=self._revoked, on_lost=self._lost)
        return consumer

    def _handle(self, message: Message) -> None:
        error = message.error()
        if error is None:
            return
        if error.name() == _REFUSED:
            LOGGER.info("group %r: the brokers refuse sessions of less than 6 s, so tasks move after 6 s", self._group)
            self._consumer.close()
            self._consumer = self._join(_ALLOWED_SESSION_MS)
        elif error.fatal() or error.name() in AUTHORIZATION:
            raise as_broker_error(self._settings, f"join group {self._group!r}", KafkaException(error))

    def _assigned(self, consumer: Consumer, partitions: list[ClientPartition]) -> None:
        self._joined = True
        consumer.incremental_assign([ClientPartition(found.topic, found.partition, 0) for found in partitions])
        if partitions:
            consumer.pause(partitions)
        self._held |= {found.partition for found in partitions}

    def _revoked(self, consumer: Consumer, partitions: list[ClientPartition]) -> None:
        numbers = {found.partition for found in partitions}
        if not self._closing:
            self._on_revoked(numbers)
        self._held -= numbers
        consumer.incremental_unassign(partitions)

    def _lost(self, consumer: Consumer, partitions: list[ClientPartition]) -> None:
        numbers = {found.partition for found in partitions}
        self._has_lost = self._has_lost or not self._held.isdisjoint(numbers)
        self._held -= numbers
        consumer.incremental_unassign(partitions)
        if self._has_lost and not self._closing:
            consumer.unsubscribe()  # else it joins again at once; if it is closed meanwhile, the group waits for it in vain
