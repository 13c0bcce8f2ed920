"""`eddyline consume`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.event_logs import require_topic, topic_tools
from eddyline.adapters.cli.option_groups import OptionGroup, option_groups
from eddyline.adapters.cli.options import Form, SettingSources, TopicOptions
from eddyline.adapters.cli.printable import echo
from eddyline.adapters.cli.records.codecs import CODEC_NAMES, CONFIGURED_CODEC, reading_codec, windowed
from eddyline.adapters.cli.records.lines import decoded, json_line, text_line
from eddyline.adapters.cli.screen import counted, message
from eddyline.adapters.cli.stopping import stopped_by_signals
from eddyline.adapters.cli.times import parse_time
from eddyline.application.ports.codec import Codec
from eddyline.application.ports.event_log import LogRecord

if TYPE_CHECKING:
    from eddyline.adapters.container import Container


@dataclass(frozen=True)
class ConsumerOptions(OptionGroup):
    """Options for the consumers and for where they start and stop."""

    group: Annotated[
        str | None,
        typer.Option(
            "--group",
            "-g",
            metavar="GROUP",
            help="Read as this consumer group and commit its offsets.",
            show_default="no group, no commits",
        ),
    ] = None
    consumers: Annotated[
        int, typer.Option("--consumers", "-n", min=1, help="Run this many consumers, which share the partitions.")
    ] = 1
    start: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="committed|beginning|end|OFFSET|TIME",
            help="Start at the committed offsets of the group (at the beginning if there are none), at the beginning, at the "
            "end, at an offset, or at a time in ISO 8601.",
        ),
    ] = "committed"
    max_records: Annotated[
        int | None, typer.Option(metavar="RECORDS", min=1, help="Stop after this many records.", show_default="no limit")
    ] = None
    until_end: Annotated[bool, typer.Option("--until-end", help="Stop when all partitions have been read to their end.")] = False
    protocol: Annotated[
        Literal["cooperative", "eager"],
        typer.Option(help="Revoke only the partitions that move at a rebalance (cooperative), or all of them (eager)."),
    ] = "cooperative"
    batch: Annotated[int, typer.Option(min=1, help="Read and commit up to this many records at once per consumer.")] = 500


@dataclass(frozen=True)
class DisplayOptions(OptionGroup):
    """Options for decoding and printing records."""

    form: Form = "text"
    headers: Annotated[bool, typer.Option("--headers", help="Print headers in lines of text, too.")] = False
    key_codec: Annotated[
        str | None, typer.Option(metavar=CODEC_NAMES, help="Decode keys with this codec.", show_default=CONFIGURED_CODEC)
    ] = None
    key_windows: Annotated[
        str | None,
        typer.Option(
            metavar="MS|session",
            help="Decode keys as windowed keys of Kafka Streams: time windows of this size in ms, or session windows.",
            show_default="keys without windows",
        ),
    ] = None
    value_codec: Annotated[
        str | None, typer.Option(metavar=CODEC_NAMES, help="Decode values with this codec.", show_default=CONFIGURED_CODEC)
    ] = None


@option_groups
def consume(
    topic: Annotated[str, typer.Argument(metavar="TOPIC", help="The topic to read.")],
    *,
    consumer: ConsumerOptions,
    display: DisplayOptions,
    topics: TopicOptions,
    sources: SettingSources,
) -> None:
    """Read records from a topic and print them.

    Reads the event log that the settings choose for flows, with the codecs that they choose for the topic.
    Runs until SIGINT or SIGTERM, unless --until-end or --max-records is given. Records go to standard output; assignments of
    partitions and the totals go to standard error. With --group, the offsets of all printed records have been committed when the
    command exits.
    """
    container = container_for(sources.settings(topics))
    require_topic(container, topic)
    lines = _Lines(container, topic, display)
    try:
        consuming = topic_tools(container).consumers(
            topic,
            consumer.group,
            start=_start(consumer.start),
            count=consumer.consumers,
            max_batch_records=consumer.batch,
            cooperative=consumer.protocol == "cooperative",
            until_end=consumer.until_end,
        )
    except ValueError as invalid:
        raise UsageError(str(invalid)) from None
    printed = 0

    def show(_number: int, records: Sequence[LogRecord]) -> int:
        nonlocal printed
        wanted = records if consumer.max_records is None else records[: consumer.max_records - printed]
        for record in wanted:
            echo(lines.line(record))
        printed += len(wanted)
        if printed == consumer.max_records:
            consuming.stop()
        return len(wanted)

    with stopped_by_signals(consuming.stop):
        consuming.run(show, _show_assignment)
    commits = f"offsets committed to group '{consumer.group}'" if consumer.group else "no offsets committed"
    message(f"{counted(printed, 'record')}, {commits}")


class _Lines:
    """Records as lines."""

    def __init__(self, container: "Container", topic: str, options: DisplayOptions) -> None:
        key = reading_codec(container, options.key_codec, topic, key=True)
        self._key_codec: Codec = windowed(container, key, options.key_windows)
        self._value_codec = reading_codec(container, options.value_codec, topic, key=False)
        self._is_json = options.form == "json"
        self._headers = options.headers

    def line(self, record: LogRecord) -> str:
        """Return the line of a record."""
        key = decoded(self._key_codec, record.key, record.headers)
        value = decoded(self._value_codec, record.value, record.headers)
        return json_line(record, key, value) if self._is_json else text_line(record, key, value, headers=self._headers)


def _start(text: str) -> tuple[str, int]:
    """Return where to start: one of committed, beginning, end, offset and time, with the offset or the time in ms.

    Raises:
        UsageError: the text is none of these.
    """
    if text in {"committed", "beginning", "end"}:
        return text, 0
    if text.isdigit():
        return "offset", int(text)
    try:
        return "time", parse_time(text, "--from")
    except UsageError:
        raise UsageError(
            f"invalid --from '{text}'; choose one of: committed, beginning, end, an offset, or a time such as 2026-03-01T12:00:00"
        ) from None


def _show_assignment(assignment: Mapping[int, Sequence[tuple[str, int]]]) -> None:
    message("; ".join(f"consumer {number}: {_partitions(partitions)}" for number, partitions in assignment.items()))


def _partitions(partitions: Sequence[tuple[str, int]]) -> str:
    if not partitions:
        return "standing by"
    topics = groupby(partitions, key=itemgetter(0))
    return ", ".join(f"{topic} {' '.join(str(partition) for _, partition in rows)}" for topic, rows in topics)
