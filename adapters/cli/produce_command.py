"""`eddyline produce`: lines, JSON or simulated trades into a Kafka topic."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from eddyline.adapters.cli.kafka_options import DEFAULT_SERVERS, BootstrapServers, KafkaAssignments, kafka_settings, parse_time
from eddyline.adapters.cli.record_codecs import NAMES
from eddyline.adapters.wiring.extras import extra

_CODECS = ", ".join(name for name in NAMES if name != "avro")


def produce(  # noqa: PLR0917 - typer reads options from parameters
    topic: Annotated[str, typer.Argument(help="The topic to write to.")],
    file: Annotated[
        Path | None, typer.Option("--file", "-f", metavar="FILE", help="Where the records are; standard input by default.")
    ] = None,
    simulate: Annotated[Literal["trades"] | None, typer.Option(help="Make records up instead of reading them.")] = None,
    count: Annotated[int | None, typer.Option(min=1, help="End after so many records.")] = None,
    form: Annotated[
        Literal["text", "json", "log"],
        typer.Option(
            "--format",
            help="A line is a value, a JSON object with key, value, timestamp, headers, partition, or of a program's log: "
            "then its event, as JSON, is the value, and the name of the file the key.",
        ),
    ] = "text",
    key_separator: Annotated[str | None, typer.Option(help="What ends the key in a line of text.")] = None,
    key: Annotated[str | None, typer.Option(help="The key of records that bring none.")] = None,
    header: Annotated[
        list[str] | None, typer.Option("--header", metavar="NAME=VALUE", help="A header of every record; any number of times.")
    ] = None,
    timestamp: Annotated[
        str | None, typer.Option(help="The time of records that bring none: ISO 8601 or ms since 1970; now by default.")
    ] = None,
    key_codec: Annotated[str, typer.Option(help=f"How keys become bytes: {_CODECS}.")] = "string",
    value_codec: Annotated[str, typer.Option(help=f"How values become bytes: {_CODECS}.")] = "string",
    partition: Annotated[int | None, typer.Option(min=0, help="The partition of records that name none.")] = None,
    partitioner: Annotated[
        str,
        typer.Option(help="Who chooses partitions: by-key, round-robin, one of the client's (fnv1a_random), MODULE:FUNCTION."),
    ] = "by-key",
    acks: Annotated[Literal["all", "1", "0"], typer.Option(help="Who must have a record before it counts as written.")] = "all",
    rate: Annotated[float | None, typer.Option(min=0.001, help="Records a second; as fast as possible by default.")] = None,
    create_topics: Annotated[  # noqa: FBT002 - a flag
        bool, typer.Option("--create-topics", help="Make the topic where it is missing.")
    ] = False,
    partitions: Annotated[int, typer.Option(min=1, help="How many partitions a topic gets that is made.")] = 4,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show the totals only.")] = False,  # noqa: FBT002 - a flag
    bootstrap_servers: BootstrapServers = DEFAULT_SERVERS,
    assignments: KafkaAssignments = None,
) -> None:
    """Write records to a Kafka topic; shows partition and offset of each, and how long the brokers took."""
    with extra("kafka"):
        from eddyline.adapters.cli.producing import (  # noqa: PLC0415
            Producing,
            Template,
            encoded,
            headers_of,
            lines_of,
            make_topic,
            named_after,
            simulated_trades,
        )

        settings = kafka_settings(bootstrap_servers, assignments)
    is_log = form == "log"
    if is_log and key is None:
        key = named_after(file)
    template = Template(
        topic,
        None if key is None else encoded(key_codec, key, topic, key=True),
        headers_of(header or ()),
        None if timestamp is None else parse_time(timestamp),
        partition,
        key_codec,
        value_codec,
        key_separator,
        form,
    )
    if create_topics:
        make_topic(settings, topic, partitions)
    lines = lines_of(file, any_bytes=is_log)
    records = simulated_trades(topic, partition) if simulate else template.records(lines, service=key)
    producing = Producing(settings, acks=acks, partitioner=partitioner, rate=rate, quiet=quiet)
    if not producing.run(records, count):
        raise typer.Exit(1)
