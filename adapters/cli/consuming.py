"""Runs consumers until they are stopped, and prints records on standard output and news on standard error."""

import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Literal

import typer

from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.kafka_options import parse_time
from eddyline.adapters.cli.record_lines import decoded, json_line, text_line
from eddyline.adapters.cli.screen import stderr
from eddyline.adapters.kafka.groups.consumers import Consumers
from eddyline.adapters.kafka.groups.start import StartFrom, StartPosition
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.application.ports.codec import Codec
from eddyline.application.ports.event_log import LogRecord, TopicPartition

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True)
class Shown:
    """How records become lines."""

    key_codec: Codec
    value_codec: Codec
    form: Literal["text", "json"]
    headers: bool = False

    def line(self, record: LogRecord) -> str:
        """The line of a record."""
        key = decoded(self.key_codec, record.key, record.headers)
        value = decoded(self.value_codec, record.value, record.headers)
        return json_line(record, key, value) if self.form == "json" else text_line(record, key, value, headers=self.headers)


def parse_start(text: str) -> StartPosition:
    """committed, beginning, end, an offset or a time. Raises UsageError."""
    if text in {StartFrom.COMMITTED, StartFrom.BEGINNING, StartFrom.END}:
        return StartPosition(StartFrom(text))
    if text.isdigit():
        return StartPosition(StartFrom.OFFSET, int(text))
    try:
        return StartPosition(StartFrom.TIME, parse_time(text))
    except UsageError:
        raise UsageError(
            f"--from '{text}' is no place; there are: committed, beginning, end, an offset, or a time in ISO 8601"
        ) from None


def consume_topic(
    settings: KafkaSettings,
    topic: str,
    group: str | None,
    shown: Shown,
    *,
    consumers: int,
    start: StartPosition,
    max_records: int | None,
    until_end: bool,
    cooperative: bool,
    batch: int,
) -> None:
    """Prints records until a signal, `max_records` or the end; all that was printed is committed then."""
    consuming = Consumers(
        settings,
        topic,
        group,
        count=consumers,
        start=start,
        max_batch_records=batch,
        cooperative=cooperative,
        until_end=until_end,
    )
    printed = 0

    def show(_number: int, records: Sequence[LogRecord]) -> int:
        nonlocal printed
        wanted = records if max_records is None else records[: max_records - printed]
        for record in wanted:
            typer.echo(shown.line(record))
        printed += len(wanted)
        if printed == max_records:
            consuming.stop()
        return len(wanted)

    with _stopping(consuming):
        consuming.run(show, _tell)
    where = f"committed to group '{group}'" if group else "nothing committed"
    stderr().print(f"{printed:,} records, {where}", soft_wrap=True)


def _tell(has: Mapping[int, Sequence[TopicPartition]]) -> None:
    stderr().print("; ".join(f"consumer {number}: {_places(places)}" for number, places in has.items()), soft_wrap=True)


def _places(places: Sequence[TopicPartition]) -> str:
    if not places:
        return "standing by"
    topics = groupby(places, key=itemgetter(0))
    return ", ".join(f"{topic} {' '.join(str(partition) for _, partition in rows)}" for topic, rows in topics)


@contextmanager
def _stopping(consuming: Consumers) -> Iterator[None]:
    before = {number: signal.signal(number, lambda *_: consuming.stop()) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
