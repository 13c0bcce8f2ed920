"""Shows consumer groups and moves their offsets."""

from collections.abc import Mapping, Sequence

from rich.table import Table

from eddyline.adapters.cli.screen import stderr, stdout
from eddyline.adapters.kafka.groups.admin import ConsumerGroups
from eddyline.adapters.kafka.groups.offset_reset import OffsetChange, OffsetReset, ResetTarget
from eddyline.adapters.kafka.settings import KafkaSettings


def show_groups(settings: KafkaSettings) -> None:
    """A row a group."""
    table = Table("group", "state", "kind", box=None)
    for group in ConsumerGroups(settings).list():
        table.add_row(group.name, _word(group.state), _word(group.kind))
    stdout().print(table)


def show_progress(settings: KafkaSettings, group: str) -> None:
    """A row a partition, with the lag."""
    progress = ConsumerGroups(settings).describe(group)
    table = Table("topic", "partition", "offset", "end", "lag", "consumer", "host", box=None)
    for row in progress.partitions:
        table.add_row(
            row.topic,
            str(row.partition),
            _number(row.committed),
            str(row.end),
            _number(row.lag),
            row.client or "-",
            row.host or "-",
        )
    stdout().print(table)
    lag = sum(row.lag or 0 for row in progress.partitions)
    stderr().print(
        f"group '{group}' is {_word(progress.state)} with {progress.members} members; lag {lag:,} in all", soft_wrap=True
    )


def reset_group(
    settings: KafkaSettings, group: str, topics: Mapping[str, Sequence[int]] | None, target: ResetTarget, *, execute: bool
) -> None:
    """Shows the moves and, with `execute`, makes them. Raises GroupActiveError while the group has members."""
    offset_reset = OffsetReset(settings)
    offset_reset.require_inactive(group)
    moves = offset_reset.plan(group, topics, target)
    if execute:
        offset_reset.execute(group, moves)
    _show_moves(moves)
    news = "moved" if execute else "nothing was changed: --execute does it"
    stderr().print(f"group '{group}': {news}", soft_wrap=True)


def _show_moves(moves: Sequence[OffsetChange]) -> None:
    table = Table("topic", "partition", "offset", "new offset", box=None)
    for move in moves:
        table.add_row(move.topic, str(move.partition), _number(move.before), str(move.after))
    stdout().print(table)


def _number(value: int | None) -> str:
    return "-" if value is None else str(value)


def _word(state: str) -> str:
    return state.lower().replace("_", " ")
