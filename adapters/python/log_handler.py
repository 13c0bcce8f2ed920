"""A handler for Python's `logging` that writes log events to a topic."""

import logging
import os
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from functools import partial
from multiprocessing import util as processes
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
_MAX_BYTES: Final = 32_000_000
"""How much text waits in a queue at most, whatever its number of records is."""


class _Event(NamedTuple):
    key: str | None
    value: dict[str, Any]
    timestamp: int
    size: int = 0


class TopicHandler(logging.Handler):
    """Writes each log record as a JSON event with the fields severity, message, logger, thread and, if given, service.

    A thread of the handler writes to the topic, so that the program waits at most `max_block_ms` for each record, when the queue
    is full. Records that do not fit are dropped and counted, and one event says how many, as soon as there is room again. The
    topic is not needed when the program starts. At its end, `logging` flushes the handler, for `flush_timeout_ms` at most. A
    process that is forked has a queue and a thread of its own.

    What Eddyline and the Kafka client log themselves is never written to a topic, since writing it would log again.

    Args:
        topic: The topic.
        key: The key of events: the name of the `thread`, the name of the `logger`, or `none`.
        service: The field service of all events, which names the program.
        max_block_ms: How long the program waits when the queue is full; 0 for not at all.
        queue_size: How many records wait at most; together, they have 32 MB of text at most.
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
        self._queue_size = queue_size
        self._begin()
        os.register_at_fork(after_in_child=partial(_call, weakref.WeakMethod(self._begin)))
        processes.register_after_fork(self, lambda handler: processes.Finalize(handler, handler.flush, exitpriority=0))

    def _begin(self) -> None:
        """Begin with nothing in the queue; the thread starts with the first event."""
        self._events: deque[_Event] = deque()
        self._bytes = self._unreported = self._pending = 0
        # A signal handler or a finalizer may log while its thread has the lock.
        self._changed = threading.Condition(threading.RLock())
        self._closing = False
        self._failed = False
        self._writer: threading.Thread | None = None

    def createLock(self) -> None:  # noqa: N802 - the name is logging's
        """Create no lock: the queue has one, and a thread that waits for room must not keep the others from waiting, too."""
        self.lock = None

    def emit(self, record: logging.LogRecord) -> None:
        """Put a record into the queue, or drop it."""
        try:
            if record.name.partition(".")[0] not in _OWN_LOGGERS and threading.current_thread() is not self._writer:
                self._put(self._event(record))
        except Exception:  # noqa: BLE001 - logging's rule for handlers: the program goes on
            self._drop(1)
            self.handleError(record)

    def flush(self) -> None:
        """Wait until the events so far are written, for `flush_timeout_ms` at most."""
        deadline = time.monotonic() + self._flush_s
        with self._changed:
            while self._pending and (left := deadline - time.monotonic()) > 0:
                self._changed.wait(left)

    def close(self) -> None:
        """Flush, and end the thread; events that are not written by then are counted as dropped, and reported on stderr."""
        if not self._closing:
            self.flush()
            with self._changed:
                self._closing = True
                self._changed.notify_all()
            if self._writer is not None:
                self._writer.join(self._flush_s)
            with self._changed:
                left = self._pending + self._unreported
            if left:
                print(f"{left} log events were not written to topic '{self.topic}'", file=sys.stderr)  # noqa: T201 - no log is left
        super().close()

    def _event(self, record: logging.LogRecord) -> _Event:
        severity = _SEVERITIES.get(record.levelname, record.levelname)
        message, thread, logger = _writable(self.format(record)), _writable(record.threadName), _writable(record.name)
        value = {"severity": severity, "message": message, "logger": logger, "thread": thread}
        if self._service is not None:
            value["service"] = self._service
        key = {"thread": thread, "logger": logger, "none": None}[self._key]
        return _Event(key, value, int(record.created * 1_000), len(message or ""))

    def _put(self, event: _Event) -> None:
        deadline = time.monotonic() + self._max_block_s
        with self._changed:
            if self._writer is None and not self._closing:
                self._writer = threading.Thread(target=self._write, name=f"log events to {self.topic}", daemon=True)
                self._writer.start()
            while self._closing or self._is_full(event):
                left = deadline - time.monotonic()
                if self._closing or left <= 0:
                    self._drop(1)
                    return
                self._changed.wait(left)
            self._events.append(event)
            self._bytes += event.size
            self._pending += 1
            self._changed.notify_all()

    def _is_full(self, event: _Event) -> bool:
        return len(self._events) >= self._queue_size or (len(self._events) > 0 and self._bytes + event.size > _MAX_BYTES)

    def _take(self) -> _Event | None:
        """Return the next event as soon as there is one, None when the handler is closed and there is none."""
        with self._changed:
            while not self._events and not self._closing:
                self._changed.wait()
            if not self._events:
                return None
            event = self._events.popleft()
            self._bytes -= event.size
            self._changed.notify_all()
            return event

    def _drop(self, count: int) -> None:
        with self._changed:
            self.dropped += count
            self._unreported += count

    def _done(self) -> None:
        with self._changed:
            self._pending -= 1
            if not self._pending:
                self._changed.notify_all()

    def _write(self) -> None:
        producer: Producer[str, Any] | None = None
        while producer is None:
            if self._closing:
                return
            producer = self._connect()
        while (event := self._take()) is not None:
            self._send(producer, event)
            self._report_dropped(producer)
        try:
            producer.close()
        except Exception as error:  # noqa: BLE001 - the program ends
            self._complain(error)

    def _connect(self) -> "Producer[str, Any] | None":
        try:
            producer = producing.Producer(self.topic, key=str, value=dict, config=self._config, **self._settings)
        except Exception as error:  # noqa: BLE001 - tried again: the program goes on without its log
            self._complain(error)
            with self._changed:
                self._changed.wait_for(lambda: self._closing, _RETRY_S)
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
        with self._changed:
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
        is_first, self._failed = not self._failed, True
        if is_first and logging.raiseExceptions:
            print(f"log events cannot be written to topic '{self.topic}': {error}", file=sys.stderr)  # noqa: T201 - see above


def _writable(text: str | None) -> str | None:
    """Return a text that UTF-8 can write: surrogates, as in names of files, become escapes."""
    return None if text is None else text.encode("utf-8", "backslashreplace").decode()


def _call(method: "weakref.WeakMethod[Callable[[], None]]") -> None:
    found = method()
    if found is not None:
        found()
