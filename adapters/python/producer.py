"""`eddyline.Producer`: writes values to a topic, in any program."""

import logging
import os
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from datetime import datetime
from pathlib import Path
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Any, Final, Generic, NamedTuple, Self, TypeAlias, TypeVar

from eddyline.adapters.python.clients import DeliveryError, codecs_of, container_of, encoded, milliseconds, require_topics
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.ports.record_clients import DeliveryReport

K = TypeVar("K")
V = TypeVar("V")

_LOGGER: Final = logging.getLogger("eddyline.producer")
_POLL_S: Final = 0.1
_RETRY_S: Final = 0.5


class Acknowledgement(NamedTuple):
    """Where a record was written.

    Attributes:
        topic: The topic.
        partition: The partition.
        offset: The offset; None with `acks=0`, for which brokers do not answer.
        timestamp: The timestamp of the record in ms since the epoch.
        latency_ms: The time from `send` to the acknowledgement.
    """

    topic: str
    partition: int
    offset: int | None
    timestamp: int
    latency_ms: float


OnAcknowledgement: TypeAlias = Callable[[Acknowledgement | None, DeliveryError | None], None]


class Producer(Generic[K, V]):
    """Writes records with keys and values of these types to a topic.

    `send` returns at once, with a future of the acknowledgement. Use the producer with `with`, or call `close` at the end: both
    wait until all records are written. Several threads may use it.

    Args:
        topic: The topic.
        key: The type of keys.
        value: The type of values.
        partitioner: `by-key` (the hash of the key, as Kafka's own clients do; in turn without a key), `round-robin`, on Kafka a
            partitioner of librdkafka such as `fnv1a_random`, `MODULE:FUNCTION`, or a function that takes the key, the value and
            the number of partitions and returns the partition.
        config: The settings file; by default `eddyline.toml`, if it exists.
        settings: Settings of Eddyline and of Kafka's clients with underscores for dots: `log="files"`, `acks="1"`,
            `bootstrap_servers="127.0.0.1:9092"`, which implies `log="kafka"`, and `settings={"linger.ms": 5}` for those by
            dotted names. `log` may also be an `eddyline.testing.MemoryEventLog`, so that a test needs no broker.

    Raises:
        LookupError: The topic does not exist, and `create_topics` is not set.
        ValueError: A setting is unknown or invalid.
        OSError: The event log cannot be used.
    """

    def __init__(
        self,
        topic: str,
        *,
        key: type[K] = str,  # type: ignore[assignment] # the default of the type variable
        value: type[V] = object,  # type: ignore[assignment]
        partitioner: str | Callable[[K | None, V | None, int], int] = "by-key",
        config: Path | None = None,
        **settings: Any,
    ) -> None:
        self.topic = topic
        acks = str(settings.pop("acks", "all"))
        container = container_of(config, settings)
        require_topics(container, (topic,))
        self._codecs = codecs_of(container, topic, key, Any if value is object else value)
        self._partitioner = partitioner if callable(partitioner) else None
        rule = "by-key" if callable(partitioner) else partitioner
        self._producer = container.topic_tools().producer(acks=acks, partitioner=rule)
        self._now_ms = container.clock().now_ms
        self._lock, self._closed = Lock(), Event()
        self._process = os.getpid()
        self._failed, self._first_failure = 0, ""
        self._reports = Thread(target=self._poll, name=f"producer of {topic}", daemon=True)
        self._reports.start()

    def send(
        self,
        value: V | None,
        *,
        key: K | None = None,
        timestamp: datetime | int | None = None,
        headers: Mapping[str, bytes | str | None] | None = None,
        partition: int | None = None,
        on_acknowledgement: OnAcknowledgement | None = None,
    ) -> "Future[Acknowledgement]":
        """Send a record, and return a future of its acknowledgement; block while the buffer is full.

        `send(…).result()` waits for the acknowledgement; in asyncio, `await asyncio.wrap_future(producer.send(…))` does.

        Args:
            value: The value, None for a tombstone.
            key: The key.
            timestamp: A time, or ms since the epoch; by default now.
            headers: The headers.
            partition: The partition; by default the partitioner chooses it.
            on_acknowledgement: Called in a thread of the producer with the acknowledgement, or None and the error.

        Raises:
            CodecError: The key or the value is not of its type.
            ValueError: The topic does not have the partition.
            RuntimeError: The producer is closed or was created before a fork, or the client rejects the record.
        """
        self._require_own()
        if self._closed.is_set():
            raise RuntimeError(f"the producer of topic '{self.topic}' is closed; send before close, or inside 'with'")
        at = self._now_ms() if timestamp is None else milliseconds(timestamp)
        if partition is None and self._partitioner is not None:
            partition = self._partitioner(key, value, self._producer.partitions(self.topic))
        record = SinkRecord(
            self.topic,
            encoded(self._codecs.key, key, self.topic, "key"),
            encoded(self._codecs.value, value, self.topic, "value"),
            at,
            tuple((name, each.encode() if isinstance(each, str) else each) for name, each in (headers or {}).items()),
            partition,
        )
        future: Future[Acknowledgement] = Future()
        future.set_running_or_notify_cancel()

        def report(found: DeliveryReport) -> None:
            self._report(found, at, future, on_acknowledgement)

        self._producer.send(record, report)
        return future

    def flush(self) -> None:
        """Wait until all records are acknowledged.

        Raises:
            DeliveryError: Records that were sent without `on_acknowledgement` since the last call were not written.
            OSError: The event log cannot be written now; the records are kept, and may be flushed again.
        """
        self._require_own()
        self._producer.flush()
        with self._lock:
            failed, self._failed = self._failed, 0
        if failed:
            number = "1 record was" if failed == 1 else f"{failed:,} records were"
            raise DeliveryError(f"{number} not written to topic '{self.topic}': {self._first_failure}")

    def close(self) -> None:
        """Flush, and release connections. Raises what `flush` raises."""
        if self._closed.is_set() or self._process != os.getpid():
            return
        self._closed.set()
        try:
            self.flush()
        finally:
            self._reports.join()
            self._producer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if error is None:
            self.close()
            return
        try:
            self.close()
        except Exception as failed:  # noqa: BLE001 - the error of the block is the first one
            error.add_note(f"and the producer could not be closed: {failed}")

    def _require_own(self) -> None:
        """Check that this is the process that created the producer: a fork has neither its threads nor its connections."""
        if self._process != os.getpid():
            raise RuntimeError(
                f"the producer of topic '{self.topic}' was created before this process was forked; create one in this process"
            )

    def _poll(self) -> None:
        is_failing = False
        while not self._closed.is_set():
            try:
                self._producer.poll(_POLL_S)
                is_failing = False
            except Exception as error:  # noqa: BLE001 - the records are kept, and flush raises the error
                if not is_failing:
                    _LOGGER.warning("topic '%s' cannot be written now: %s; trying again", self.topic, error)
                is_failing = True
                self._closed.wait(_RETRY_S)

    def _report(
        self, found: DeliveryReport, timestamp: int, future: "Future[Acknowledgement]", receive: OnAcknowledgement | None
    ) -> None:
        done: Acknowledgement | None = None
        error: DeliveryError | None = None
        if found.error is None:
            done = Acknowledgement(found.topic, found.partition, found.offset, timestamp, found.latency_ms)
            future.set_result(done)
        else:
            error = DeliveryError(f"topic '{found.topic}', partition {found.partition}: {found.error}")
            future.set_exception(error)
            if receive is None:
                with self._lock:
                    self._failed += 1
                    self._first_failure = str(error) if self._failed == 1 else self._first_failure
        if receive is not None:
            try:
                receive(done, error)
            except Exception:
                _LOGGER.exception("the function on_acknowledgement of the producer of topic '%s' failed", self.topic)
