"""Sends records to a topic and prints the delivery report of each."""

import threading
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.event_logs import topic_tools
from eddyline.adapters.cli.printable import echo
from eddyline.adapters.cli.screen import counted, message
from eddyline.application.ports.event_sink import InvalidTopicError, SinkRecord

if TYPE_CHECKING:
    from eddyline.adapters.container import Container

_POLL_S = 0.1


class _DeliveryReport(Protocol):
    @property
    def topic(self) -> str: ...
    @property
    def partition(self) -> int: ...
    @property
    def offset(self) -> int | None: ...
    @property
    def latency_ms(self) -> float: ...
    @property
    def error(self) -> str | None: ...


class Sender:
    """Sends records at a rate (records per second, None is as fast as possible).

    Raises:
        UsageError: the partitioner is unknown or cannot be imported.
    """

    def __init__(self, container: "Container", acks: str, partitioner: str, rate: float | None, *, quiet: bool) -> None:
        self._rate = rate
        self._quiet = quiet
        try:
            self._producer = topic_tools(container).producer(on_report=self._delivered, acks=acks, partitioner=partitioner)
        except ValueError as invalid:
            raise UsageError(str(invalid)) from None

    def send_all(self, records: Iterable[SinkRecord]) -> bool:
        """Send records and print the totals; return False if the brokers have refused some."""
        started = time.monotonic()
        done = threading.Event()
        self._failure: OSError | None = None
        poller = threading.Thread(target=self._poll, args=(done,))
        poller.start()
        try:
            for number, record in enumerate(records):
                if self._failure is not None:
                    raise self._failure
                if self._rate is not None:
                    time.sleep(max(0.0, started + number / self._rate - time.monotonic()))
                self._producer.send(record)
            return bool(self._producer.flush().failed == 0)
        except InvalidTopicError as invalid:
            raise UsageError(str(invalid)) from invalid
        finally:
            done.set()
            poller.join()
            self._show_totals(time.monotonic() - started)

    def _poll(self, done: threading.Event) -> None:
        try:
            while not done.is_set():
                self._producer.poll(_POLL_S)
        except OSError as failure:  # standard output is closed or full
            self._failure = failure

    def _delivered(self, report: _DeliveryReport) -> None:
        topic, partition, offset = report.topic, report.partition, report.offset
        if report.error is not None:
            message(f"{topic}-{partition} refused: {report.error}")
        elif not self._quiet:
            echo(f"{topic}-{partition}@{'?' if offset is None else offset}\t{report.latency_ms:.1f} ms")

    def _show_totals(self, seconds: float) -> None:
        totals = self._producer.flush()
        records = totals.delivered + totals.failed
        if records:
            message(
                f"{counted(totals.delivered, 'record')} written, {totals.failed:,} refused, in {seconds:.1f} s "
                f"({records / max(seconds, 1e-9):,.0f}/s); "
                f"acknowledged within {totals.p50_ms:.1f} ms (p50) and {totals.p99_ms:.1f} ms (p99)"
            )
