"""`eddyline produce`."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from eddyline.adapters.cli.catalogue import open_working_directory
from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.event_logs import require_topic, topic_tools
from eddyline.adapters.cli.module_paths import importable, is_path
from eddyline.adapters.cli.option_groups import OptionGroup, option_groups
from eddyline.adapters.cli.options import SettingSources, TopicOptions
from eddyline.adapters.cli.records.codecs import CODEC_NAMES, CONFIGURED_CODEC, text_encoder
from eddyline.adapters.cli.records.reading import RecordReader, RecordTemplate, parse_headers, read_lines
from eddyline.adapters.cli.records.sending import Sender
from eddyline.adapters.cli.screen import counted, message
from eddyline.adapters.cli.simulation import trading_days
from eddyline.adapters.cli.times import parse_time
from eddyline.application.ports.event_sink import InvalidTopicError, SinkRecord
from eddyline.application.samples.trading.simulator import Simulation
from eddyline.domain.trading import Trade

if TYPE_CHECKING:
    from eddyline.adapters.container import Container


def _path(file: Path | None) -> Path | None:
    """Return the path of a file, None for standard input."""
    return None if file is None or str(file) == "-" else file


def _existing(file: Path | None) -> Path | None:
    """Return the file if it exists, or if it is `-` for standard input. Raises BadParameter otherwise."""
    path = _path(file)
    if path is not None and not path.exists():
        raise typer.BadParameter(f"file '{file}' does not exist")
    return file


@dataclass(frozen=True)
class InputOptions(OptionGroup):
    """Options for the source of records."""

    file: Annotated[
        Path | None,
        typer.Option(
            "--file",
            "-f",
            metavar="FILE",
            help="Read records from this file, or from standard input (-).",
            show_default="standard input",
            dir_okay=False,
            callback=_existing,
        ),
    ] = None
    simulate: Annotated[Literal["trades"] | None, typer.Option(help="Write simulated records instead of reading any.")] = None
    max_records: Annotated[
        int | None, typer.Option(metavar="RECORDS", min=1, help="Stop after this many records.", show_default="no limit")
    ] = None
    form: Annotated[
        Literal["text", "json", "log"],
        typer.Option(
            "--format",
            help="Read each line as a value (text), as a JSON object with key, value, timestamp, headers and partition (json), "
            "or as a line of a program's log, which becomes a JSON log event with the name of the file as its key (log).",
        ),
    ] = "text"


@dataclass(frozen=True)
class RecordOptions(OptionGroup):
    """Options for the parts of records that are not in their lines."""

    key_separator: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Split lines of text into key and value at this text.")
    ] = None
    key: Annotated[str | None, typer.Option(metavar="KEY", help="Use this key for records without one.")] = None
    headers: Annotated[
        list[str] | None, typer.Option("--header", metavar="NAME=VALUE", help="Add this header to every record. Can be repeated.")
    ] = None
    timestamp: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Use this time (ISO 8601, or ms since the epoch) for records without a timestamp.",
            show_default="now",
        ),
    ] = None
    key_codec: Annotated[
        str | None, typer.Option(metavar=CODEC_NAMES, help="Encode keys with this codec.", show_default=CONFIGURED_CODEC)
    ] = None
    value_codec: Annotated[
        str | None,
        typer.Option(
            metavar=CODEC_NAMES,
            help="Encode values with this codec. The codecs avro, json-schema and protobuf take JSON and write it with the "
            "latest schema in the registry.",
            show_default=CONFIGURED_CODEC,
        ),
    ] = None
    key_schema: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Register this schema for keys and write them with it.", exists=True)
    ] = None
    value_schema: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Register this schema for values and write them with it.", exists=True)
    ] = None
    partition: Annotated[
        int | None,
        typer.Option(min=0, help="Write records without a partition to this one.", show_default="chosen by the partitioner"),
    ] = None


@dataclass(frozen=True)
class ProducerOptions(OptionGroup):
    """Options for sending records."""

    partitioner: Annotated[
        str,
        typer.Option(
            metavar="NAME|MODULE:FUNCTION",
            help="Choose partitions by-key, round-robin, with a partitioner of librdkafka such as fnv1a_random, or with a Python "
            "function of a record and the number of partitions.",
        ),
    ] = "by-key"
    acks: Annotated[
        Literal["all", "1", "0"],
        typer.Option(help="Wait for all in-sync replicas, for the leader (1), or for no broker (0) to acknowledge a record."),
    ] = "all"
    rate: Annotated[
        float | None, typer.Option(min=0.001, help="Write this many records per second.", show_default="as fast as possible")
    ] = None
    create_topics: Annotated[bool, typer.Option("--create-topics", help="Create the topic if it is missing.")] = False
    partitions: Annotated[int, typer.Option(min=1, help="Give the topic this many partitions if it is created.")] = 4
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the totals.")] = False


@option_groups
def produce(
    topic: Annotated[str, typer.Argument(metavar="TOPIC", help="The topic to write to.")],
    *,
    source: InputOptions,
    record: RecordOptions,
    producer: ProducerOptions,
    topics: TopicOptions,
    sources: SettingSources,
) -> None:
    """Write records to a topic.

    Writes to the event log that the settings choose for flows, with the codecs that they choose for the topic.
    Prints the partition, the offset and the time to acknowledgement of each record, and the totals to standard error. The exit
    code is 1 if the brokers have refused a record.
    """
    container = container_for(sources.settings(topics))
    key = _program(source.file) if source.form == "log" and record.key is None else record.key
    template = RecordTemplate(
        topic,
        key=key,
        headers=parse_headers(record.headers or ()),
        timestamp=None if record.timestamp is None else parse_time(record.timestamp, "--timestamp"),
        partition=record.partition,
        encode_key=text_encoder(container, record.key_codec, topic, record.key_schema, key=True),
        encode_value=text_encoder(container, record.value_codec, topic, record.value_schema, key=False),
    )
    reader = RecordReader(container, template, source.form, record.key_separator)
    sender = Sender(container, producer.acks, _importable(producer.partitioner), producer.rate, quiet=producer.quiet)
    try:
        created = producer.create_topics and topic_tools(container).create_topic(topic, producer.partitions)
    except InvalidTopicError as invalid:
        raise UsageError(str(invalid)) from invalid
    if created:
        message(f"created topic '{topic}' with {counted(producer.partitions, 'partition')}")
    require_topic(container, topic, fix="create it with --create-topics, or ")
    if source.simulate:
        records = _simulated_trades(container, topic, record.partition)
    else:
        records = reader.records(read_lines(_path(source.file), any_bytes=source.form == "log"))
    if not sender.send_all(itertools.islice(records, source.max_records)):
        raise typer.Exit(1)


def _importable(partitioner: str) -> str:
    """Let Python find the module of a partitioner where it finds those of flows: in the working directory, or by its path."""
    module, colon, function = partitioner.rpartition(":")
    if not colon:
        return partitioner
    open_working_directory()
    return f"{importable(module) if is_path(module) else module}:{function}"


def _program(file: Path | None) -> str | None:
    """Return the name of the program that a log file is named after, None for standard input."""
    path = _path(file)
    return None if path is None else path.stem


def _simulated_trades(container: "Container", topic: str, partition: int | None) -> Iterator[SinkRecord]:
    """Return trades of all companies on all days as JSON, with the ticker as the key."""
    codecs = container.codecs()
    encode_key, encode_value = codecs.for_key(topic, str).encode, codecs.for_value(topic, Trade).encode
    for ticker, trade, timestamp in Simulation(seed=0).trades(trading_days(container)):
        yield SinkRecord(topic, encode_key(ticker), encode_value(trade), timestamp, (), partition)
