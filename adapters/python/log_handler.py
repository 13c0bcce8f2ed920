"""A handler for Python's `logging` that writes log events to a topic."""

import logging
import queue
import sys
import threading
import time
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from eddyline.adapters.python import producer as producing
from eddyline.adapters.python.clients import DeliveryError
from eddyline.adapters.python.producer import Acknowledgement, Producer
from eddyline.application.topology.errors import listed

KeyStrategy: TypeAlias = Literal["thread", "logger", "none"]

_SEVERITIES: Final = {"WARNING": "WARN", "CRITICAL": "FATAL"}
_OWN_LOGGERS: Final = ("eddyline", "confluent_kafka")
_RETRY_S: Final = 1.0
_POLL_S: Final = 0.1


class _Event(NamedTuple):
    key: str | None
    value: dict[str, Any]
    timestamp: int


class TopicHandler(logging.Handler):
    """Writes each log record as a JSON event with the fields severity, message, logger, thread and, if given, service.

    A thread of the handler writes to the topic, so that the program waits at most `max_block_ms` for each record, when the queue
    is full. Records that do not fit are dropped and counted, and one event says how many, as soon as there is room again. The
    topic is not needed when the program starts. At its end, `logging` flushes the handler, for `flush_timeout_ms` at most.

    What Eddyline and the Kafka client log themselves is never written to a topic, since writing it would log again.

    Args:
        topic: The topic.
        key: The key of events: the name of the `thread`, the name of the `logger`, or `none`.
        service: The field service of all events, which names the program.
        max_block_ms: How long the program waits when the queue is full; 0 for not at all.
        queue_size: How many records wait at most.
        flush_timeout_ms: How long `flush` and `close` wait.
        level: The lowest level that is handled.
        config: The settings file; by default `eddyline.toml`, if it exists.
        settings: As for `Producer`. In `logging.config.dictConfig`, names with dots are given by `settings`.

    Attributes:
        dropped: How many records were dropped, or could not be written.

    Raises:
        ValueError: A choice is unknown, or a number is negative.
    """

    def __init__(
        self,
        topic: str,
        *,
        key: KeyStrategy = "logger",
        service: str | None = None,
        max_block_ms: int = 0,
        queue_size: int = 10_000,
        flush_timeout_ms: int = 5_000,
        level: int | str = logging.NOTSET,
        config: Path | None = None,
        **settings: Any,
    ) -> None:
        if key not in get_args(KeyStrategy):
            raise ValueError(f"key of the handler of topic '{topic}' is {key!r}; choose one of: {listed(get_args(KeyStrategy))}")
        for name, number, least in (
            ("max_block_ms", max_block_ms, 0),
            ("queue_size", queue_size, 1),
            ("flush_timeout_ms", flush_timeout_ms, 0),
        ):
            if number < least:
                raise ValueError(f"{name} of the handler of topic '{topic}' is {number}; pass {least} or more")
        super().__init__(level)
        self.topic, self.dropped = topic, 0
        self._key, self._service = key, service
        self._max_block_s, self._flush_s = max_block_ms / 1_000, flush_timeout_ms / 1_000
        self._config, self._settings = config, settings
        self._events: queue.Queue[_Event] = queue.Queue(queue_size)
        self._counting, self._unreported, self._pending = threading.Lock(), 0, 0
        self._idle, self._closing = threading.Condition(self._counting), threading.Event()
        self._failed = False
        self._writer = threading.Thread(target=self._write, name=f"log events to {topic}", daemon=True)
        self._writer.start()

    def createLock(self) -> None:  # noqa: N802 - the name is logging's
        """Create no lock: the queue has one, and a thread that waits for room must not keep the others from waiting, too."""
        self.lock = None

    def emit(self, record: logging.LogRecord) -> None:
        """Put a record into the queue, or drop it."""
        if record.name.partition(".")[0] in _OWN_LOGGERS or threading.current_thread() is self._writer:
            return
        try:
            event = self._event(record)
            with self._counting:
                self._pending += 1
            try:
                self._events.put(event, block=self._max_block_s > 0, timeout=self._max_block_s or None)
            except queue.Full:
                self._drop(1)
                self._done()
        except Exception:  # noqa: BLE001 - logging's rule for handlers: the program goes on
            self.handleError(record)

    def flush(self) -> None:
        """Wait until the events so far are written, for `flush_timeout_ms` at most."""
        deadline = time.monotonic() + self._flush_s
        with self._idle:
            while self._pending and (left := deadline - time.monotonic()) > 0:
                self._idle.wait(left)

    def close(self) -> None:
        """Flush, and end the thread; events that are not written by then are counted as dropped, and reported on stderr."""
        if not self._closing.is_set():
            self.flush()
            self._closing.set()
            self._writer.join(self._flush_s)
            with self._counting:
                left = self._pending + self._unreported
            if left:
                print(f"{left} log events were not written to topic '{self.topic}'", file=sys.stderr)  # noqa: T201 - no log is left
        super().close()

    def _event(self, record: logging.LogRecord) -> _Event:
        severity = _SEVERITIES.get(record.levelname, record.levelname)
        value = {"severity": severity, "message": self.format(record), "logger": record.name, "thread": record.threadName}
        if self._service is not None:
            value["service"] = self._service
        key = {"thread": record.threadName, "logger": record.name, "none": None}[self._key]
        return _Event(key, value, int(record.created * 1_000))

    def _drop(self, count: int) -> None:
        with self._counting:
            self.dropped += count
            self._unreported += count

    def _done(self) -> None:
        with self._idle:
            self._pending -= 1
            if not self._pending:
                self._idle.notify_all()

    def _write(self) -> None:
        producer: Producer[str, Any] | None = None
        while not (self._closing.is_set() and (self._events.empty() or producer is None)):
            if producer is None:
                producer = self._connect()
                continue
            try:
                event = self._events.get(timeout=_POLL_S)
            except queue.Empty:
                continue
            self._send(producer, event)
            self._report_dropped(producer)
        if producer is not None:
            try:
                producer.close()
            except Exception as error:  # noqa: BLE001 - the program ends
                self._complain(error)

    def _connect(self) -> "Producer[str, Any] | None":
        try:
            producer = producing.Producer(self.topic, key=str, value=dict, config=self._config, **self._settings)
        except Exception as error:  # noqa: BLE001 - tried again: the program goes on without its log
            self._complain(error)
            self._closing.wait(_RETRY_S)
            return None
        self._failed = False
        return producer

    def _send(self, producer: "Producer[str, Any]", event: _Event) -> None:
        try:
            producer.send(event.value, key=event.key, timestamp=event.timestamp, on_acknowledgement=self._acknowledged)
        except Exception as error:  # noqa: BLE001 - the event is counted
            self._acknowledged(None, DeliveryError(str(error)))

    def _acknowledged(self, _done: Acknowledgement | None, error: DeliveryError | None) -> None:
        if error is not None:
            self._drop(1)
            self._complain(error)
        self._done()

    def _report_dropped(self, producer: "Producer[str, Any]") -> None:
        with self._counting:
            count, self._unreported = self._unreported, 0
            if count:
                self._pending += 1
        if count:
            message = f"{count} log events before this one were dropped: the queue was full, or they could not be written"
            value = {"severity": "WARN", "message": message, "logger": "eddyline.logging"}
            if self._service is not None:
                value["service"] = self._service
            self._send(producer, _Event(None, value, int(time.time() * 1_000)))

    def _complain(self, error: Exception) -> None:
        """Say once on stderr that the topic cannot be written."""
        if not self._failed and logging.raiseExceptions:
            print(f"log events cannot be written to topic '{self.topic}': {error}", file=sys.stderr)  # noqa: T201 - see above
        self._failed = True
