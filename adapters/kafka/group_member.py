"""One consumer of a group: gets its partitions from the group, hands out batches, commits what was handed out."""

import time
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from enum import StrEnum
from typing import NamedTuple, TypeAlias, cast

from confluent_kafka import OFFSET_BEGINNING, OFFSET_END, Consumer, KafkaError, KafkaException, Message, TopicPartition

from eddyline.adapters.kafka.clients import LOGGER, as_broker_error, broker_errors, new_consumer
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.application.ports.event_log import Headers, LogRecord

Place: TypeAlias = tuple[str, int]

_NO_GROUP = "eddyline-reader"
_JOINING_S = 5.0
_POLL_S = 0.1


class Origin(StrEnum):
    """Where reading begins."""

    COMMITTED = "committed"
    BEGINNING = "beginning"
    END = "end"
    OFFSET = "offset"
    TIME = "time"


class Start(NamedTuple):
    """Where reading a partition begins; `number` is the offset, or the time in ms since the epoch.

    COMMITTED is where the group left off, the beginning where it never was.
    """

    origin: Origin = Origin.COMMITTED
    number: int = 0


class GroupMember:
    """A consumer of topics, with a group or, where `group` is None, with partitions of its own.

    `start` counts for partitions that `first_time` says yes to; others go on where the group left off. `on_change` is called
    with all partitions that the member has now, after each time that the group has moved some. With `cooperative` only the
    partitions that move are given up, else all of them at each change.
    """

    def __init__(
        self,
        settings: KafkaSettings,
        group: str | None,
        *,
        start: Start,
        first_time: Callable[[Place], bool],
        on_change: Callable[[Sequence[Place]], None],
        cooperative: bool = True,
    ) -> None:
        self._settings = settings
        self._start = start
        self._first_time = first_time
        self._on_change = on_change
        self._cooperative = cooperative
        self._group = group
        self._ends: set[Place] = set()
        self._is_joining = False
        self._is_leaving = False
        self._uncommitted: dict[Place, int] = {}
        strategy = {"partition.assignment.strategy": "cooperative-sticky" if cooperative else "range"}
        self._consumer: Consumer = new_consumer(
            settings,
            group or _NO_GROUP,
            defaults={**strategy, "auto.offset.reset": "latest" if start.origin is Origin.END else "earliest"},
            fixed={"enable.partition.eof": True},
        )

    def subscribe(self, topics: Sequence[str]) -> None:
        """Joins the group for these topics."""
        self._is_joining = True
        self._consumer.subscribe(list(topics), on_assign=self._assigned, on_revoke=self._revoked, on_lost=self._revoked)

    def take(self, places: Sequence[Place]) -> None:
        """Reads these partitions without a group."""
        self._consumer.assign(self._placed([TopicPartition(*place) for place in places]))
        self._tell()

    def poll(self, most: int, timeout_s: float) -> Sequence[LogRecord]:
        """The next records, `most` at most, nothing when there is none within the time. Raises BrokerError."""
        with broker_errors(self._settings, "read"):
            messages = self._consumer.consume(1, timeout_s)
            if messages and most > 1:
                messages += self._consumer.consume(most - 1, 0)
        records = []
        for message in messages:
            if (error := message.error()) is None:
                records.append(_record(message))
            else:
                self._consider(error, message)
        return records

    def commit(self, records: Sequence[LogRecord] = ()) -> bool:
        """Commits that these records, and earlier ones not committed yet, are done with; without a group nothing.

        False when the group is just moving partitions: try again after the next poll. Records of partitions that went to
        someone else meanwhile are given up: they are read again there. Raises BrokerError.
        """
        if self._group is None:
            return True
        self._uncommitted |= {(record.topic, record.partition): record.offset + 1 for record in records}
        if not self._uncommitted:
            return True
        try:
            self._consumer.commit(
                offsets=[TopicPartition(*place, offset) for place, offset in self._uncommitted.items()], asynchronous=False
            )
        except KafkaException as error:
            if error.args[0].name() in _MOVING:
                return False
            raise as_broker_error(self._settings, f"commit to group {self._group!r}", error) from None
        self._uncommitted.clear()
        return True

    def finish(self) -> None:
        """Commits what is left. Records that come meanwhile are not looked at."""
        deadline = time.monotonic() + _JOINING_S
        while not self.commit() and time.monotonic() < deadline:
            self._consumer.consume(1, _POLL_S)
        self._give_up(self._uncommitted.keys())

    def places(self) -> Sequence[Place]:
        """The partitions that the member has now, sorted."""
        return sorted((place.topic, place.partition) for place in self._consumer.assignment())

    def ends(self) -> AbstractSet[Place]:
        """The partitions that were read to their end at least once since the member has them."""
        return self._ends

    def close(self) -> None:
        """Leaves the group, so that others take over at once.

        Who leaves in the middle of joining stays a member until the session is over, so joining is waited for. A member
        without partitions leaves only when it unsubscribes.
        """
        deadline = time.monotonic() + _JOINING_S
        while self._is_joining and time.monotonic() < deadline:
            self._consumer.consume(1, _POLL_S)
        self._is_leaving = True
        if self._group is not None:
            self._consumer.unsubscribe()
        self._consumer.close()

    def _consider(self, error: KafkaError, message: Message) -> None:
        if error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001 - that is the constant's public name
            self._ends.add((cast("str", message.topic()), cast("int", message.partition())))
        elif error.fatal() or error.name() in _FATAL:
            raise as_broker_error(self._settings, "read", KafkaException(error))
        else:
            LOGGER.warning("%s", self._settings.hide(f"{error.str()} ({error.name()})"))

    def _assigned(self, consumer: Consumer, places: list[TopicPartition]) -> None:
        self._is_joining = False
        placed = self._placed(places)
        if self._cooperative:
            consumer.incremental_assign(placed)
        else:
            consumer.assign(placed)
        self._tell()

    def _revoked(self, consumer: Consumer, places: list[TopicPartition]) -> None:
        if self._cooperative:
            consumer.incremental_unassign(places)
        else:
            consumer.unassign()
        gone = {(place.topic, place.partition) for place in places}
        self._ends -= gone
        self._give_up(gone & self._uncommitted.keys())
        self._tell()

    def _give_up(self, places: Iterable[Place]) -> None:
        for topic, partition in sorted(places):
            del self._uncommitted[topic, partition]
            LOGGER.warning(
                "group %r moved partition %d of topic %r before a commit: its last records are read again",
                self._group,
                partition,
                topic,
            )

    def _tell(self) -> None:
        if not self._is_leaving:
            self._on_change(self.places())

    def _placed(self, places: list[TopicPartition]) -> list[TopicPartition]:
        for place in places:
            if self._first_time((place.topic, place.partition)):
                self._set_start(place)
            elif self._group is None:
                place.offset = OFFSET_BEGINNING
        return places

    def _set_start(self, place: TopicPartition) -> None:
        origin = self._start.origin
        if origin is Origin.BEGINNING or (origin is Origin.COMMITTED and self._group is None):
            place.offset = OFFSET_BEGINNING
        elif origin is Origin.END:
            place.offset = OFFSET_END
        elif origin is Origin.OFFSET:
            place.offset = self._start.number
        elif origin is Origin.TIME:
            asked = [TopicPartition(place.topic, place.partition, self._start.number)]
            with broker_errors(self._settings, "look up a time"):
                place.offset = self._consumer.offsets_for_times(asked, timeout=self._settings.request_timeout_s)[0].offset


_MOVING = {"ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID", "REBALANCE_IN_PROGRESS", "FENCED_INSTANCE_ID", "STALE_MEMBER_EPOCH"}
_FATAL = {
    "UNKNOWN_TOPIC_OR_PART",
    "TOPIC_AUTHORIZATION_FAILED",
    "GROUP_AUTHORIZATION_FAILED",
    "_AUTHENTICATION",
    "SASL_AUTHENTICATION_FAILED",
}


def _record(message: Message) -> LogRecord:
    headers = message.headers()
    return LogRecord(
        cast("str", message.topic()),
        cast("int", message.partition()),
        cast("int", message.offset()),
        message.timestamp()[1],
        message.key(),
        message.value(),
        () if headers is None else cast("Headers", tuple(headers)),
    )
