"""`eddyline dead-letters redrive`."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated

import typer

from eddyline.adapters.cli.commands.dead_letters.letters import DeadLetters, one_line, position_of
from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.option_groups import OptionGroup, option_groups
from eddyline.adapters.cli.options import ApplicationOptions, EventLogOptions, Execute, FlowName, FlowSources, Form
from eddyline.adapters.cli.printable import echo
from eddyline.application.operations.dead_letter_log import DeadLetter
from eddyline.application.operations.redrive import Outcome


@dataclass(frozen=True)
class SelectionOptions(OptionGroup):
    """Options that choose dead letters without their positions."""

    everything: Annotated[bool, typer.Option("--all", help="Redrive all dead letters.")] = False
    topic: Annotated[str | None, typer.Option(metavar="TOPIC", help="With --all, redrive only records of this topic.")] = None


@option_groups
def redrive(
    flow: FlowName,
    positions: Annotated[
        list[str] | None, typer.Argument(metavar="PARTITION:OFFSET", help="The dead letters, as 'list' shows them.")
    ] = None,
    *,
    selection: SelectionOptions,
    execute: Execute = False,
    form: Form = "text",
    topics: EventLogOptions,
    application: ApplicationOptions,
    sources: FlowSources,
) -> None:
    """Write dead letters back to the topics they were read from.

    Shows what would be written, and writes it with --execute. Each record is written once, with its partition, key, value,
    headers and timestamp, however often the command is run or interrupted. The exit code is 1 if one of the given dead letters
    cannot be redriven.
    """
    if positions and selection.everything:
        raise UsageError("give either the positions of dead letters or --all, not both")
    if not positions and not selection.everything:
        raise UsageError("no dead letters given; give their positions, for example 0:7 2:13, or --all")
    if selection.topic is not None and not selection.everything:
        raise UsageError("--topic selects from all dead letters; give it together with --all")
    letters = DeadLetters.of(sources.request(flow, topics, application))
    selected = _all(letters, selection.topic) if selection.everything else map(letters.log.at, map(position_of, positions or ()))
    counts = _redrive(letters, selected, named=not selection.everything, dry_run=not execute, form=form)
    if counts[Outcome.NOT_REDRIVABLE]:
        echo("get the bytes of a record to repair with 'eddyline dead-letters show FLOW PARTITION:OFFSET --raw'", err=True)
        if not selection.everything:
            raise typer.Exit(1)


def _all(letters: DeadLetters, topic: str | None) -> Iterator[DeadLetter]:
    return (letter for letter in letters.log if topic is None or letter.reason.topic == topic)


def _redrive(letters: DeadLetters, selected: Iterable[DeadLetter], *, named: bool, dry_run: bool, form: str) -> Counter[Outcome]:
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
        if form == "json":
            reason = letter.reason
            at = {"position": str(letter.position), "topic": reason.topic, "partition": reason.partition}
            echo(json.dumps({**at, "outcome": texts[outcome], "reason": why or None}))
        elif outcome is Outcome.NOT_REDRIVABLE:
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
