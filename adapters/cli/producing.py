"""Makes records of lines or of simulated trades, and writes them to Kafka with a line of news each."""

import io
import itertools
import json
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import typer

from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.record_codecs import text_to_bytes
from eddyline.adapters.cli.record_lines import from_json_line
from eddyline.adapters.cli.screen import stderr
from eddyline.adapters.files.log_lines import LogLine, log_events
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.kafka.errors import KafkaSettingsError
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.sink.partitioning import Partitioner, find_partitioner
from eddyline.adapters.kafka.sink.reporting_producer import DeliveryReport, DeliveryTotals, ReportingProducer
from eddyline.adapters.kafka.topics import Topics
from eddyline.adapters.market.daily_prices import TICKERS, daily_prices
from eddyline.application.ports.event_log import Headers
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.samples.trading.simulator import Simulation
from eddyline.domain.trading import Trade, common_days

_ANSWERS_S = 0.1
_NO_TIME = -1


@dataclass(frozen=True)
class Template:
    """What the records of lines get where a line does not say; a timestamp of None is the moment of sending."""

    topic: str
    key: bytes | None
    headers: Headers
    timestamp: int | None
    partition: int | None
    key_codec: str
    value_codec: str
    key_separator: str | None
    form: Literal["text", "json", "log"]

    def records(self, lines: Iterable[str], service: str | None = None) -> Iterator[SinkRecord]:
        """A record a line, as the lines come; log events name the `service`. Raises UsageError for a line that cannot be read."""
        if self.form == "log":
            found = (self._of_log(entry) for entry in log_events(lines, service=service))
        elif self.form == "json":
            found = (from_json_line(line, self.topic, self._key, self._value) for line in lines)
        else:
            found = (self._of_text(line) for line in lines)
        return (self._completed(record) for record in found)

    def _completed(self, found: SinkRecord) -> SinkRecord:
        return found._replace(
            key=self.key if found.key is None else found.key,
            headers=(*self.headers, *found.headers),
            timestamp=found.timestamp if found.timestamp >= 0 else self._time(),
            partition=self.partition if found.partition is None else found.partition,
        )

    def _of_text(self, line: str) -> SinkRecord:
        if self.key_separator is None:
            return SinkRecord(self.topic, None, self._value(line), _NO_TIME)
        key, separator, value = line.partition(self.key_separator)
        if not separator:
            raise UsageError(f"the line {line[:60]!r} has no {self.key_separator!r}, which ends a key (--key-separator)")
        return SinkRecord(self.topic, self._key(key), self._value(value), _NO_TIME)

    def _of_log(self, line: LogLine) -> SinkRecord:
        value = self._value(json.dumps(line.event, ensure_ascii=False))
        return SinkRecord(self.topic, None, value, _NO_TIME if line.timestamp is None else line.timestamp)

    def _time(self) -> int:
        return int(time.time() * 1000) if self.timestamp is None else self.timestamp

    def _key(self, text: str) -> bytes | None:
        return encoded(self.key_codec, text, self.topic, key=True)

    def _value(self, text: str) -> bytes | None:
        return encoded(self.value_codec, text, self.topic, key=False)


class Producing:
    """Writes records at a rate (records a second, None is as fast as possible) and prints what became of each."""

    def __init__(self, settings: KafkaSettings, *, acks: str, partitioner: str, rate: float | None, quiet: bool) -> None:
        rule, settings = _rule_of(partitioner, settings)
        self._rate = rate
        self._quiet = quiet
        self._producer = ReportingProducer(settings, on_report=self._answered, acks=acks, partitioner=rule)

    def run(self, records: Iterable[SinkRecord], count: int | None) -> bool:
        """Writes them, `count` at most, and prints the totals; False when the brokers refused some."""
        began = time.monotonic()
        done = threading.Event()
        listener = threading.Thread(target=self._listen, args=(done,))
        listener.start()
        try:
            for number, record in enumerate(itertools.islice(records, count)):
                if self._rate is not None:
                    time.sleep(max(0.0, began + number / self._rate - time.monotonic()))
                self._producer.send(record)
            return self._producer.flush().failed == 0
        finally:
            done.set()
            listener.join()
            totals = self._producer.flush()
            if totals.delivered or totals.failed:
                self._tell(totals, time.monotonic() - began)

    def _listen(self, done: threading.Event) -> None:
        while not done.is_set():
            self._producer.poll(_ANSWERS_S)

    def _answered(self, answer: DeliveryReport) -> None:
        place = f"{answer.topic}-{answer.partition}@{'?' if answer.offset is None else answer.offset}"
        if answer.error is not None:
            stderr().print(f"{answer.topic}-{answer.partition} refused: {answer.error}", soft_wrap=True)
        elif not self._quiet:
            typer.echo(f"{place}\t{answer.latency_ms:.1f} ms")

    def _tell(self, totals: DeliveryTotals, seconds: float) -> None:
        speed = (totals.delivered + totals.failed) / max(seconds, 1e-9)
        stderr().print(
            f"{totals.delivered:,} records written, {totals.failed:,} refused, in {seconds:.1f} s ({speed:,.0f}/s); "
            f"acknowledged within {totals.p50_ms:.1f} ms (p50) and {totals.p99_ms:.1f} ms (p99)",
            soft_wrap=True,
        )


def encoded(codec: str, text: str, topic: str, *, key: bool) -> bytes | None:
    """The text as bytes of the codec. Raises UsageError."""
    try:
        return text_to_bytes(codec, text, topic, key=key)
    except ValueError as error:
        raise UsageError(f"{text[:60]!r} cannot be written as {codec}: {error}") from None


def headers_of(assignments: Sequence[str]) -> Headers:
    """Headers of `name=value`; a name may come more than once. Raises UsageError."""
    pairs = [assignment.partition("=") for assignment in assignments]
    for name, equals, _ in pairs:
        if not (name and equals):
            raise UsageError(f"--header '{name}' is not of the form NAME=VALUE")
    return tuple((name, value.encode()) for name, _, value in pairs)


def lines_of(file: Path | None, *, any_bytes: bool = False) -> Iterator[str]:
    """The lines of a file or of standard input, without their ends, as they come; `any_bytes` takes what is no UTF-8 too."""
    errors = "backslashreplace" if any_bytes else "strict"
    path = _path(file)
    if path is None:
        if any_bytes and isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(encoding="utf-8", errors=errors)
        yield from (line.rstrip("\r\n") for line in sys.stdin)
        return
    with path.open(encoding="utf-8", newline="\n", errors=errors) as lines:
        yield from (line.rstrip("\r\n") for line in lines)


def named_after(file: Path | None) -> str | None:
    """The name of the program whose log a file is: its own without what follows the last dot; None for standard input."""
    path = _path(file)
    return None if path is None else path.stem


def _path(file: Path | None) -> Path | None:
    """None for standard input, however it is named."""
    return None if str(file) == "-" else file


def simulated_trades(topic: str, partition: int | None, seed: int = 0) -> Iterator[SinkRecord]:
    """Trades of all companies on all days, keyed by ticker, as JSON."""
    codecs = JsonCodecs()
    encode_key, encode_value = codecs.for_key(topic, str).encode, codecs.for_value(topic, Trade).encode
    for simulated in Simulation(seed=seed).trades(common_days(daily_prices(TICKERS))):
        yield SinkRecord(topic, encode_key(simulated.ticker), encode_value(simulated.trade), simulated.timestamp, (), partition)


def make_topic(settings: KafkaSettings, topic: str, partitions: int) -> None:
    """Makes the topic where it is missing and says so."""
    if Topics(settings).create(topic, partitions):
        stderr().print(f"made topic '{topic}' with {partitions} partitions", soft_wrap=True)


def _rule_of(partitioner: str, settings: KafkaSettings) -> tuple[str | Partitioner, KafkaSettings]:
    try:
        return find_partitioner(partitioner, settings)
    except KafkaSettingsError as error:
        raise UsageError(str(error)) from None
