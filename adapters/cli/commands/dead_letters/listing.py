"""`eddyline dead-letters list`."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import nlargest
from typing import Annotated, NamedTuple

import typer
from rich.table import Table

from eddyline.adapters.cli.commands.dead_letters.letters import DeadLetters, number, one_line
from eddyline.adapters.cli.option_groups import OptionGroup, option_groups
from eddyline.adapters.cli.options import ApplicationOptions, EventLogOptions, FlowName, FlowSources, Form
from eddyline.adapters.cli.printable import echo, printable
from eddyline.adapters.cli.screen import counted, stdout
from eddyline.adapters.cli.times import utc_time
from eddyline.application.operations.dead_letter_log import LetterPosition
from eddyline.application.runtime.plan.dead_letters import Reason

_LONGEST_MESSAGE = 58
_MOST_REASONS = 20
_VALUES = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")


@dataclass(frozen=True)
class FilterOptions(OptionGroup):
    """Options for the selection of dead letters."""

    topic: Annotated[str | None, typer.Option(metavar="TOPIC", help="List only records of this topic.")] = None
    exception: Annotated[
        str | None, typer.Option(metavar="NAME", help="List only records that failed with this exception, such as CodecError.")
    ] = None
    limit: Annotated[
        int, typer.Option(metavar="ROWS", min=0, help="List at most this many, the latest ones; the totals count all.")
    ] = 50

    def matches(self, reason: Reason) -> bool:
        """Return whether a dead letter with this reason is listed."""
        return self.topic in {None, reason.topic} and self.exception in {None, reason.exception}


class _Row(NamedTuple):
    timestamp: int
    position: LetterPosition
    reason: Reason
    redriven: bool


@option_groups
def list_letters(
    flow: FlowName,
    *,
    filters: FilterOptions,
    form: Form = "text",
    topics: EventLogOptions,
    application: ApplicationOptions,
    sources: FlowSources,
) -> None:
    """List dead letters, the latest last, with totals by reason."""
    letters = DeadLetters.of(sources.request(flow, topics, application))
    totals = Counter[tuple[str, str]]()
    redriven = 0
    letters.redriver.refresh()

    def matching() -> Iterator[_Row]:
        nonlocal redriven
        for letter in letters.log:
            reason = letter.reason._replace(stacktrace="")
            if filters.matches(reason):
                row = _Row(letter.record.timestamp, letter.position, reason, letters.redriver.is_redriven(letter))
                totals[reason.topic, f"{reason.exception}: {one_line(_VALUES.sub('…', reason.message))}"] += 1
                redriven += row.redriven
                yield row

    rows = sorted(nlargest(filters.limit, matching()))
    if form == "json":
        for row in rows:
            echo(json.dumps(_as_json(row)))
    elif rows:
        stdout().print(_table(rows))
    found = counted(totals.total(), "dead letter")
    echo(f"{found} in '{letters.log.topic}', {redriven:,} redriven; {len(rows):,} shown", err=True)
    for line in _reasons(totals):
        echo(line, err=True)


def _as_json(row: _Row) -> dict[str, object]:
    timestamp, position, reason, redriven = row
    found = {"position": str(position), "time": utc_time(timestamp), "redriven": redriven}
    return found | {name: value for name, value in reason._asdict().items() if name != "stacktrace"}


def _table(rows: Iterable[_Row]) -> Table:
    table = Table(box=None)
    for column in ("position", "topic", "partition", "offset", "time", "exception", "redriven"):
        table.add_column(column, no_wrap=True)
    table.add_column("message")
    for timestamp, position, reason, redriven in rows:
        cells = (
            str(position),
            reason.topic or "-",
            number(reason.partition),
            number(reason.offset),
            utc_time(timestamp),
            reason.exception or "-",
            "yes" if redriven else "-",
            one_line(reason.message, _LONGEST_MESSAGE),
        )
        table.add_row(*map(printable, cells))
    return table


def _reasons(totals: Counter[tuple[str, str]]) -> Iterator[str]:
    most = totals.most_common(_MOST_REASONS)
    for (topic, reason), count in most:
        yield f"  {count:,} of topic '{topic}': {reason}"
    if len(totals) > len(most):
        others = totals.total() - sum(count for _, count in most)
        yield f"  {others:,} for {counted(len(totals) - len(most), 'other reason')}"
