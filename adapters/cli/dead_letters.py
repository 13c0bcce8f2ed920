"""Shows dead letters and redrives them."""

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import nlargest
from typing import NamedTuple

import typer
from rich.table import Table
from rich.text import Text

from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.hex_dump import text_or_dump
from eddyline.adapters.cli.options import Request
from eddyline.adapters.cli.screen import stdout
from eddyline.adapters.cli.times import utc_time
from eddyline.adapters.container import Container
from eddyline.adapters.system.clock import SystemClock
from eddyline.application.operations.dead_letter_log import DeadLetter, DeadLetterLog, LetterPosition, parse_letter_position
from eddyline.application.operations.redrive import Outcome, Redriver
from eddyline.application.runtime.dead_letters import Reason, original_headers

_LONGEST_MESSAGE = 60
_LONGEST_CONTENT = 4_096
_MOST_REASONS = 20
_EXAMPLES = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")


class Box(NamedTuple):
    """The dead letters of one run, and what redrives them."""

    letters: DeadLetterLog
    redriver: Redriver

    @classmethod
    def of(cls, request: Request) -> "Box":
        """The letters that the request is about; they are redriven once whatever the flow itself guarantees."""
        settings = request.settings.model_copy(update={"processing_guarantee": "exactly_once_v2"})
        container = Container(settings=settings)
        application_id = request.application_id
        log = container.log()
        return cls(DeadLetterLog(log, application_id), Redriver(log, container.sink(), SystemClock(), application_id))


class _Listed(NamedTuple):
    timestamp: int
    place: LetterPosition
    reason: Reason
    redriven: bool


def show_letters(box: Box, *, topic: str | None, exception: str | None, limit: int) -> None:
    """A row a letter, at most `limit` of them, the latest; then how many there are for each reason."""
    totals = Counter[tuple[str, str]]()
    redriven = 0
    box.redriver.refresh()

    def listed() -> Iterator[_Listed]:
        nonlocal redriven
        for letter in box.letters:
            reason = letter.reason._replace(stacktrace="")
            if (topic is None or reason.topic == topic) and (exception is None or reason.exception == exception):
                found = _Listed(letter.record.timestamp, letter.position, reason, box.redriver.is_redriven(letter))
                totals[reason.topic, f"{reason.exception}: {_one_line(_EXAMPLES.sub('…', reason.message), None)}"] += 1
                redriven += found.redriven
                yield found

    shown = sorted(nlargest(limit, listed()))
    if shown:
        stdout().print(_table(shown))
    _tell_totals(box, totals, len(shown), redriven)


def show_letter(box: Box, place: str, *, full: bool) -> None:
    """All of a letter; of a long key or value the beginning only, unless `full`. Raises UsageError, NoSuchLetterError."""
    letter = box.letters.at(_place(place))
    box.redriver.refresh()
    _, record, reason = letter
    most = None if full else _LONGEST_CONTENT
    lines = [
        f"dead letter {letter.position} of topic '{box.letters.topic}'{', redriven' if box.redriver.is_redriven(letter) else ''}",
        f"from: topic '{reason.topic}', partition {_number(reason.partition)}, offset {_number(reason.offset)}",
        f"time: {_time(record.timestamp)} ({record.timestamp} ms)",
        f"exception: {reason.exception}",
        f"message: {_harmless(reason.message)}",
    ]
    headers = original_headers(record.headers)
    lines += (
        ["headers:", *(f"  {name}: {text_or_dump(value, most)}" for name, value in headers)] if headers else ["headers: none"]
    )
    lines += [f"key: {text_or_dump(record.key, most)}", f"value: {text_or_dump(record.value, most)}"]
    lines += ["stacktrace:", *(f"  {line}" for line in _harmless(reason.stacktrace).splitlines())] if reason.stacktrace else []
    for line in lines:
        typer.echo(line)


def show_value(box: Box, place: str) -> None:
    """The value's bytes on standard output, for a file; nothing for a tombstone. Raises UsageError, NoSuchLetterError."""
    sys.stdout.buffer.write(box.letters.at(_place(place)).record.value or b"")
    sys.stdout.buffer.flush()


def redrive_letters(box: Box, places: Sequence[str] | None, *, topic: str | None, dry_run: bool) -> bool:
    """Redrives the letters at the places, or all; a line for each and totals. False when a named one cannot be redriven."""
    letters = _all(box.letters, topic) if places is None else map(box.letters.at, map(_place, places))
    counts = Counter[Outcome]()
    said = {outcome: str(outcome) for outcome in Outcome} | ({Outcome.WRITTEN: "would be written"} if dry_run else {})
    for letter, outcome, why in box.redriver.preview(letters) if dry_run else box.redriver.redrive(letters):
        counts[outcome] += 1
        reason = letter.reason
        if outcome is Outcome.NOT_REDRIVABLE:
            typer.echo(f"{letter.position} cannot be redriven: {_one_line(why, None)}", err=True)
        elif outcome is Outcome.WRITTEN or places is not None:
            typer.echo(f"{letter.position} → topic '{reason.topic}', partition {reason.partition}: {said[outcome]}")
    told = f"{counts[Outcome.WRITTEN]:,} {said[Outcome.WRITTEN]}, {counts[Outcome.ALREADY_REDRIVEN]:,} in already"
    told += f", {counts[Outcome.NOT_REDRIVABLE]:,} cannot be redriven" if counts[Outcome.NOT_REDRIVABLE] else ""
    typer.echo(told, err=True)
    if counts[Outcome.NOT_REDRIVABLE]:
        typer.echo("`eddyline dead-letters show FLOW PARTITION:OFFSET --raw` gives the bytes of a letter, to be mended", err=True)
    return places is None or not counts[Outcome.NOT_REDRIVABLE]


def _all(letters: Iterable[DeadLetter], topic: str | None) -> Iterator[DeadLetter]:
    return (letter for letter in letters if topic is None or letter.reason.topic == topic)


def _place(text: str) -> LetterPosition:
    try:
        return parse_letter_position(text)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _table(shown: Iterable[_Listed]) -> Table:
    table = Table(box=None)
    for column in ("letter", "topic", "partition", "offset", "time", "exception", "redriven"):
        table.add_column(column, no_wrap=True)
    table.add_column("message")
    for timestamp, place, reason, redriven in shown:
        cells = (
            str(place),
            reason.topic or "-",
            _number(reason.partition),
            _number(reason.offset),
            _time(timestamp),
            reason.exception or "-",
            "yes" if redriven else "-",
            _one_line(reason.message),
        )
        table.add_row(*map(Text, cells))
    return table


def _tell_totals(box: Box, totals: Counter[tuple[str, str]], shown: int, redriven: int) -> None:
    lines = [f"{totals.total():,} dead letters in '{box.letters.topic}', {redriven:,} redriven; {shown:,} shown"]
    most = totals.most_common(_MOST_REASONS)
    lines += [f"  {number:,} of topic '{topic}': {reason}" for (topic, reason), number in most]
    if len(totals) > len(most):
        lines.append(f"  {totals.total() - sum(number for _, number in most):,} for {len(totals) - len(most):,} other reasons")
    for line in lines:
        typer.echo(line, err=True)


def _time(timestamp: int) -> str:
    try:
        return utc_time(timestamp)
    except OverflowError:
        return f"{timestamp} ms"


def _one_line(text: str, most: int | None = _LONGEST_MESSAGE) -> str:
    line = _harmless(" ".join(text.split()))
    return line if most is None or len(line) <= most else f"{line[: most - 1]}…"


def _harmless(text: str) -> str:
    """The text without characters that a terminal would obey."""
    return "".join(one if one.isprintable() or one == "\n" else one.encode("unicode_escape").decode() for one in text)


def _number(value: int | None) -> str:
    return "-" if value is None else str(value)
