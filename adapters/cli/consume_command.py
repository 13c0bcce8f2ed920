"""`eddyline consume`: shows the records of a Kafka topic, alone or as consumers of a group."""

from typing import Annotated, Literal

import typer

from eddyline.adapters.cli.kafka_options import DEFAULT_SERVERS, BootstrapServers, KafkaAssignments, kafka_settings
from eddyline.adapters.cli.record_codecs import NAMES, record_codec, windowed
from eddyline.adapters.wiring.extras import extra

_CODECS = ", ".join(NAMES)


def consume(  # noqa: PLR0917 - typer reads options from parameters
    topic: Annotated[str, typer.Argument(help="The topic to read.")],
    group: Annotated[
        str | None, typer.Option("--group", "-g", help="The group whose offsets count; none commits nothing.")
    ] = None,
    consumers: Annotated[int, typer.Option("--consumers", "-n", min=1, help="How many consumers share the partitions.")] = 1,
    start: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="PLACE",
            help="committed (where the group left off, else the beginning), beginning, end, an offset, or a time in ISO 8601.",
        ),
    ] = "committed",
    max_records: Annotated[int | None, typer.Option(min=1, help="End after so many records.")] = None,
    until_end: Annotated[  # noqa: FBT002 - a flag
        bool, typer.Option("--until-end", help="End when all partitions were read to their end; else run until stopped.")
    ] = False,
    form: Annotated[
        Literal["text", "json"], typer.Option("--format", help="Lines for people, or a JSON object a line.")
    ] = "text",
    headers: Annotated[bool, typer.Option("--headers", help="Show headers in lines for people too.")] = False,  # noqa: FBT002 - a flag
    key_codec: Annotated[str, typer.Option(help=f"What keys are: {_CODECS}.")] = "string",
    key_windows: Annotated[
        str | None,
        typer.Option(
            metavar="MS|session", help="Keys end with a window, as Kafka Streams writes them: its length, or a session."
        ),
    ] = None,
    value_codec: Annotated[str, typer.Option(help=f"What values are: {_CODECS}.")] = "string",
    schema_registry: Annotated[
        str | None, typer.Option(metavar="URL", help="Where the schemas of avro are.", envvar="EDDYLINE_SCHEMA_REGISTRY_URL")
    ] = None,
    protocol: Annotated[
        Literal["cooperative", "eager"],
        typer.Option(help="At a rebalance, give up only the partitions that move, or all of them."),
    ] = "cooperative",
    batch: Annotated[int, typer.Option(min=1, help="How many records a consumer takes, and commits, at once.")] = 500,
    bootstrap_servers: BootstrapServers = DEFAULT_SERVERS,
    assignments: KafkaAssignments = None,
) -> None:
    """Show the records of a Kafka topic; SIGINT and SIGTERM end it when the batch in hand is committed."""
    with extra("kafka"):
        from eddyline.adapters.cli.consuming import Shown, consume_topic, parse_start  # noqa: PLC0415

        settings = kafka_settings(bootstrap_servers, assignments)
    shown = Shown(
        windowed(key_windows, record_codec(key_codec, topic, key=True, registry_url=schema_registry)),
        record_codec(value_codec, topic, key=False, registry_url=schema_registry),
        form,
        headers=headers,
    )
    consume_topic(
        settings,
        topic,
        group,
        shown,
        consumers=consumers,
        start=parse_start(start),
        max_records=max_records,
        until_end=until_end,
        cooperative=protocol == "cooperative",
        batch=batch,
    )
