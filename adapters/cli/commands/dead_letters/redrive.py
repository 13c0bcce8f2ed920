"""`eddyline dead-letters redrive`."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Annotated

import typer

from eddyline.adapters.cli.commands.dead_letters.letters import DeadLetters, one_line, position_of
from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.option_groups import option_groups
from eddyline.adapters.cli.options import ApplicationOptions, EventLogOptions, FlowName, FlowSources
from eddyline.adapters.cli.printable import echo
from eddyline.application.operations.dead_letter_log import DeadLetter
from eddyline.application.operations.redrive import Outcome


@option_groups
def redrive(
    flow: FlowName,
    positions: Annotated[
        list[str] | None, typer.Argument(metavar="PARTITION:OFFSET", help="The dead letters, as 'list' shows them.")
    ] = None,
    *,
    everything: Annotated[bool, typer.Option("--all", help="Redrive all dead letters.")] = False,
    topic: Annotated[str | None, typer.Option(metavar="TOPIC", help="With --all, redrive only records of this topic.")] = None,
    execute: Annotated[
        bool, typer.Option("--execute/--dry-run", help="Write the records, or only show what would be written.")
    ] = False,
    topics: EventLogOptions,
    application: ApplicationOptions,
    sources: FlowSources,
) -> None:
    """Write dead letters back to the topics they were read from.

    Shows what would be written, and writes it with --execute. Each record is written once, with its partition, key, value,
    headers and timestamp, however often the command is run or interrupted. The exit code is 1 if one of the given dead letters
    cannot be redriven.
    """
    if positions and everything:
        raise UsageError("give either the positions of dead letters or --all, not both")
    if not positions and not everything:
        raise UsageError("no dead letters given; give their positions, for example 0:7 2:13, or --all")
    if topic is not None and not everything:
        raise UsageError("--topic selects from all dead letters; give it together with --all")
    letters = DeadLetters.of(sources.request(flow, topics, application))
    selected = _all(letters, topic) if everything else map(letters.log.at, map(position_of, positions or ()))
    counts = _redrive(letters, selected, named=not everything, dry_run=not execute)
    if counts[Outcome.NOT_REDRIVABLE]:
        echo("get the bytes of a record to repair with 'eddyline dead-letters show FLOW PARTITION:OFFSET --raw'", err=True)
        if not everything:
            raise typer.Exit(1)


def _all(letters: DeadLetters, topic: str | None) -> Iterator[DeadLetter]:
    return (letter for letter in letters.log if topic is None or letter.reason.topic == topic)


def _redrive(letters: DeadLetters, selected: Iterable[DeadLetter], *, named: bool, dry_run: bool) -> Counter[Outcome]:
    """Redrive dead letters, print what became of each and the totals, and return the totals."""
    counts = Counter[Outcome]()
    texts = {
        Outcome.WRITTEN: "would be redriven" if dry_run else "redriven",
        Outcome.ALREADY_REDRIVEN: "already redriven",
        Outcome.NOT_REDRIVABLE: "cannot be redriven",
    }
    steps = letters.redriver.preview(selected) if dry_run else letters.redriver.redrive(selected)
    for letter, outcome, why in steps:
        counts[outcome] += 1
        if outcome is Outcome.NOT_REDRIVABLE:
            echo(f"{letter.position} {texts[outcome]}: {one_line(why)}", err=True)
        elif outcome is Outcome.WRITTEN or named:
            reason = letter.reason
            echo(f"{letter.position} → topic '{reason.topic}', partition {reason.partition}: {texts[outcome]}")
    totals = [f"{counts[outcome]:,} {texts[outcome]}" for outcome in (Outcome.WRITTEN, Outcome.ALREADY_REDRIVEN)]
    totals += [f"{counts[Outcome.NOT_REDRIVABLE]:,} {texts[Outcome.NOT_REDRIVABLE]}"] if counts[Outcome.NOT_REDRIVABLE] else []
    if dry_run and counts[Outcome.WRITTEN]:
        totals.append("nothing was changed; redrive with --execute")
    echo(", ".join(totals), err=True)
    return counts
