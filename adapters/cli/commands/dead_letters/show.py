"""`eddyline dead-letters show`."""

import json
import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from eddyline.adapters.cli.commands.dead_letters.letters import DeadLetters, number, position_of
from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.option_groups import option_groups
from eddyline.adapters.cli.options import ApplicationOptions, EventLogOptions, FlowName, FlowSources, Form
from eddyline.adapters.cli.printable import echo, printable
from eddyline.adapters.cli.records.hex_dump import text_or_dump
from eddyline.adapters.cli.times import utc_time
from eddyline.application.operations.dead_letter_log import DeadLetter
from eddyline.application.runtime.plan.dead_letters import original_headers

_MOST_BYTES = 4_096


@option_groups
def show(
    flow: FlowName,
    position: Annotated[str, typer.Argument(metavar="PARTITION:OFFSET", help="The dead letter, as 'list' shows it.")],
    *,
    full: Annotated[
        bool, typer.Option("--full", help=f"Show keys and values of more than {_MOST_BYTES:,} bytes in full.")
    ] = False,
    raw: Annotated[bool, typer.Option("--raw", help="Print only the bytes of the value, unchanged.")] = False,
    form: Form = "text",
    topics: EventLogOptions,
    application: ApplicationOptions,
    sources: FlowSources,
) -> None:
    """Show a dead letter.

    Shows where the record was read, why it failed, and its headers, key and value. Bytes that are not text are shown as a hex
    dump.
    """
    if raw and form == "json":
        raise UsageError("--format json does not go with --raw; leave one of them out")
    letters = DeadLetters.of(sources.request(flow, topics, application))
    letter = letters.log.at(position_of(position))
    if raw:
        sys.stdout.buffer.write(letter.record.value or b"")
        sys.stdout.buffer.flush()
        return
    letters.redriver.refresh()
    is_redriven = letters.redriver.is_redriven(letter)
    if form == "json":
        echo(json.dumps(_as_json(letter, is_redriven=is_redriven, limit=None if full else _MOST_BYTES), ensure_ascii=False))
        return
    redriven = ", redriven" if is_redriven else ""
    echo(f"dead letter {letter.position} of topic '{letters.log.topic}'{redriven}")
    for line in _lines(letter, None if full else _MOST_BYTES):
        echo(line)


def _as_json(letter: DeadLetter, *, is_redriven: bool, limit: int | None) -> dict[str, object]:
    """Return a dead letter as an object; what is not text is a hex dump, as in the text."""
    record = letter.record
    key, value = text_or_dump(record.key, limit), text_or_dump(record.value, limit)
    headers = {name: text_or_dump(content, limit) for name, content in original_headers(record.headers)}
    found = {"position": str(letter.position), "time": utc_time(record.timestamp), "redriven": is_redriven}
    return {**found, **letter.reason._asdict(), "headers": headers, "key": key, "value": value}


def _lines(letter: DeadLetter, limit: int | None) -> Iterator[str]:
    _, record, reason = letter
    yield f"from: topic '{reason.topic}', partition {number(reason.partition)}, offset {number(reason.offset)}"
    yield f"time: {utc_time(record.timestamp)} ({record.timestamp} ms)"
    yield f"exception: {printable(reason.exception)}"
    yield f"message: {printable(reason.message)}"
    headers = original_headers(record.headers)
    yield "headers:" if headers else "headers: none"
    for name, value in headers:
        yield f"  {name}: {text_or_dump(value, limit)}"
    yield f"key: {text_or_dump(record.key, limit)}"
    yield f"value: {text_or_dump(record.value, limit)}"
    if reason.stacktrace:
        yield "stacktrace:"
        for line in printable(reason.stacktrace).splitlines():
            yield f"  {line}"
