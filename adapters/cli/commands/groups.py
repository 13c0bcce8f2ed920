"""`eddyline groups`."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer
from rich.table import Table

from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.option_groups import OptionGroup, SettingOptions, option_groups
from eddyline.adapters.cli.options import Execute, Form, SettingSources
from eddyline.adapters.cli.printable import echo
from eddyline.adapters.cli.screen import counted, message, stdout
from eddyline.adapters.cli.times import parse_duration, parse_time

if TYPE_CHECKING:
    from eddyline.adapters.container import Container

app = typer.Typer(name="groups", help="List, describe and reset Kafka consumer groups.", no_args_is_help=True)

_GroupName: TypeAlias = Annotated[str, typer.Argument(metavar="GROUP", help="The consumer group.")]
_Target: TypeAlias = tuple[str, int]
"""A target of a reset: the name of its option and its number."""
_TARGETS = ("to-earliest", "to-latest", "to-offset", "to-datetime", "shift-by", "by-duration")


@dataclass(frozen=True)
class KafkaOptions(SettingOptions):
    """Options for the Kafka cluster."""

    bootstrap_servers: Annotated[
        str | None,
        typer.Option(
            "--bootstrap-servers", metavar="HOST:PORT,…", help="Connect to these Kafka brokers. Setting: bootstrap.servers."
        ),
    ] = None

    def container(self, sources: SettingSources) -> "Container":
        """Return the adapters for the cluster that the settings name, whatever event log flows use."""
        return container_for(sources.settings(self).model_copy(update={"log": "kafka"}))


@dataclass(frozen=True)
class TargetOptions(OptionGroup):
    """Options for the target of a reset, named as in Kafka's own group tool."""

    to_earliest: Annotated[bool, typer.Option("--to-earliest", help="Reset to the first offset.")] = False
    to_latest: Annotated[bool, typer.Option("--to-latest", help="Reset to the end offset.")] = False
    to_offset: Annotated[int | None, typer.Option(min=0, metavar="OFFSET", help="Reset to this offset.")] = None
    to_datetime: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="Reset to the first record at or after this time (ISO 8601; UTC unless it has an offset)."
        ),
    ] = None
    shift_by: Annotated[
        int | None, typer.Option(metavar="COUNT", help="Move forward by this number of offsets, or back if it is negative.")
    ] = None
    by_duration: Annotated[
        str | None,
        typer.Option(metavar="DURATION", help="Reset to the first record that is at most this old (such as P1DT2H30M)."),
    ] = None

    def target(self) -> _Target:
        """Return the target that was given.

        Raises:
            UsageError: none or several were given.
        """
        given = list(self._given())
        if len(given) != 1:
            options = ", ".join(f"--{name}" for name in _TARGETS)
            raise UsageError(f"{len(given) or 'no'} targets given; give exactly one of {options}")
        return given[0]

    def _given(self) -> Iterator[_Target]:
        if self.to_earliest:
            yield "to-earliest", 0
        if self.to_latest:
            yield "to-latest", 0
        if self.to_offset is not None:
            yield "to-offset", self.to_offset
        if self.to_datetime is not None:
            yield "to-datetime", parse_time(self.to_datetime, "--to-datetime")
        if self.shift_by is not None:
            yield "shift-by", self.shift_by
        if self.by_duration is not None:
            yield "by-duration", parse_duration(self.by_duration, "--by-duration")


@app.command(name="list")
@option_groups
def list_groups(*, form: Form = "text", kafka: KafkaOptions, sources: SettingSources) -> None:
    """List all consumer groups with their states."""
    found = kafka.container(sources).kafka_tools().groups().list()
    if form == "json":
        for group in found:
            echo(json.dumps({"group": group.name, "state": group.state, "kind": group.kind}))
        return
    table = Table("group", "state", "kind", box=None)
    for group in found:
        table.add_row(group.name, _word(group.state), _word(group.kind))
    stdout().print(table)


@app.command()
@option_groups
def describe(group: _GroupName, *, form: Form = "text", kafka: KafkaOptions, sources: SettingSources) -> None:
    """Show the offsets, the lag and the consumers of a group."""
    progress = kafka.container(sources).kafka_tools().groups().describe(group)
    if form == "json":
        partitions = [
            {
                "topic": row.topic,
                "partition": row.partition,
                "offset": row.committed,
                "end": row.end,
                "lag": row.lag,
                "consumer": row.client,
                "host": row.host,
            }
            for row in progress.partitions
        ]
        echo(json.dumps({"group": group, "state": progress.state, "members": progress.members, "partitions": partitions}))
        return
    table = Table("topic", "partition", "offset", "end", "lag", "consumer", "host", box=None)
    for row in progress.partitions:
        numbers = (str(row.partition), _number(row.committed), str(row.end), _number(row.lag))
        table.add_row(row.topic, *numbers, row.client or "-", row.host or "-")
    stdout().print(table)
    lag = sum(row.lag or 0 for row in progress.partitions)
    message(f"group '{group}' is {_word(progress.state)} with {counted(progress.members, 'member')}; total lag {lag:,}")


@app.command()
@option_groups
def reset(
    group: _GroupName,
    *,
    topic: Annotated[
        list[str] | None,
        typer.Option(
            "--topic",
            metavar="TOPIC[:PARTITION,…]",
            help="Reset the offsets of this topic, or of these partitions of it. Can be repeated.",
            show_default="all partitions with a committed offset",
        ),
    ] = None,
    targets: TargetOptions,
    execute: Execute = False,
    form: Form = "text",
    kafka: KafkaOptions,
    sources: SettingSources,
) -> None:
    """Reset the offsets of an inactive consumer group.

    Shows the new offsets, and commits them with --execute. The group must not have members. Give exactly one target:
    --to-earliest, --to-latest, --to-offset, --to-datetime, --shift-by or --by-duration.
    """
    target, topics = targets.target(), _partitions(topic or ())
    tools = kafka.container(sources).kafka_tools()
    offset_reset = tools.offset_reset()
    offset_reset.require_inactive(group)
    moves = offset_reset.plan(group, topics or None, tools.reset_target(*target))
    if execute:
        offset_reset.execute(group, moves)
    if form == "json":
        for topic_name, partition, before, after in moves:
            echo(json.dumps({"topic": topic_name, "partition": partition, "offset": before, "newOffset": after}))
    else:
        _show_moves(moves)
    message(f"group '{group}': {'offsets reset' if execute else 'nothing was changed; reset the offsets with --execute'}")


def _show_moves(moves: Iterable[tuple[str, int, int | None, int]]) -> None:
    table = Table("topic", "partition", "offset", "new offset", box=None)
    for topic, partition, before, after in moves:
        table.add_row(topic, str(partition), _number(before), str(after))
    stdout().print(table)


def _partitions(names: Sequence[str]) -> dict[str, list[int]]:
    """Return the partitions of topics given as `TOPIC` (no partitions, which means all of them) or `TOPIC:0,1`.

    Raises:
        UsageError: a partition is not a number.
    """
    topics: dict[str, list[int]] = {}
    for name in names:
        topic, _, partitions = name.partition(":")
        try:
            topics.setdefault(topic, []).extend(int(part) for part in partitions.split(",") if part)
        except ValueError:
            raise UsageError(f"invalid --topic '{name}'; write it as TOPIC or TOPIC:0,1") from None
    return topics


def _number(value: int | None) -> str:
    return "-" if value is None else str(value)


def _word(state: str) -> str:
    return state.lower().replace("_", " ")
