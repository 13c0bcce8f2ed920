"""`eddyline groups`: consumer groups, their lag, and moving their offsets."""

from collections.abc import Sequence
from typing import Annotated, TypeAlias

import typer

from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.kafka_options import (
    DEFAULT_SERVERS,
    BootstrapServers,
    KafkaAssignments,
    kafka_settings,
    parse_duration,
    parse_time,
)
from eddyline.adapters.wiring.extras import extra

app = typer.Typer(
    name="groups", help="Consumer groups: which there are, their lag, and moving their offsets.", no_args_is_help=True
)

GroupName: TypeAlias = Annotated[str, typer.Argument(metavar="GROUP", help="The group.")]


@app.command(name="list")
def list_groups(bootstrap_servers: BootstrapServers = DEFAULT_SERVERS, assignments: KafkaAssignments = None) -> None:
    """Show all groups and their states."""
    with extra("kafka"):
        from eddyline.adapters.cli.grouping import show_groups  # noqa: PLC0415 - needs an extra

        show_groups(kafka_settings(bootstrap_servers, assignments))


@app.command()
def describe(
    group: GroupName, bootstrap_servers: BootstrapServers = DEFAULT_SERVERS, assignments: KafkaAssignments = None
) -> None:
    """Show how far a group has come in each partition, how far behind it is, and who reads there."""
    with extra("kafka"):
        from eddyline.adapters.cli.grouping import show_progress  # noqa: PLC0415 - needs an extra

        show_progress(kafka_settings(bootstrap_servers, assignments), group)


@app.command()
def reset(  # noqa: PLR0917 - typer reads options from parameters
    group: GroupName,
    topic: Annotated[
        list[str] | None,
        typer.Option("--topic", metavar="TOPIC[:PARTITION,…]", help="Which partitions; all that the group has read by default."),
    ] = None,
    to_earliest: Annotated[bool, typer.Option("--to-earliest", help="To the beginning.")] = False,  # noqa: FBT002 - a flag
    to_latest: Annotated[bool, typer.Option("--to-latest", help="To the end.")] = False,  # noqa: FBT002 - a flag
    to_offset: Annotated[int | None, typer.Option(min=0, metavar="OFFSET", help="To this offset.")] = None,
    to_datetime: Annotated[
        str | None, typer.Option(metavar="TIME", help="To the first record of this time (ISO 8601, UTC without a zone).")
    ] = None,
    shift_by: Annotated[int | None, typer.Option(metavar="COUNT", help="So many offsets on, or back when negative.")] = None,
    by_duration: Annotated[
        str | None, typer.Option(metavar="DURATION", help="To the first record not older than this (P1DT2H30M).")
    ] = None,
    execute: Annotated[bool, typer.Option("--execute/--dry-run", help="Do it, or only show what would be done.")] = False,  # noqa: FBT002 - a flag
    bootstrap_servers: BootstrapServers = DEFAULT_SERVERS,
    assignments: KafkaAssignments = None,
) -> None:
    """Move the offsets of a group that nobody uses at the moment; shows what it would do unless --execute is given."""
    with extra("kafka"):
        from eddyline.adapters.cli.grouping import reset_group  # noqa: PLC0415 - needs an extra
        from eddyline.adapters.kafka.groups import Aim, Target  # noqa: PLC0415 - likewise

        settings = kafka_settings(bootstrap_servers, assignments)
    targets = [
        target
        for given, target in (
            (to_earliest, Target(Aim.EARLIEST)),
            (to_latest, Target(Aim.LATEST)),
            (to_offset is not None, Target(Aim.OFFSET, to_offset or 0)),
            (to_datetime is not None, Target(Aim.TIME, parse_time(to_datetime or "0"))),
            (shift_by is not None, Target(Aim.SHIFT, shift_by or 0)),
            (by_duration is not None, Target(Aim.DURATION, parse_duration(by_duration or "PT0S"))),
        )
        if given
    ]
    if len(targets) != 1:
        raise UsageError(f"give exactly one of {', '.join(f'--{aim}' for aim in Aim)}; {len(targets)} are given")
    reset_group(settings, group, _topics(topic), targets[0], execute=execute)


def _topics(names: Sequence[str] | None) -> dict[str, list[int]] | None:
    if not names:
        return None
    topics: dict[str, list[int]] = {}
    for name in names:
        topic, _, partitions = name.partition(":")
        try:
            topics.setdefault(topic, []).extend(int(part) for part in partitions.split(",") if part)
        except ValueError:
            raise UsageError(f"--topic '{name}' is not of the form TOPIC or TOPIC:0,1") from None
    return topics
