"""The answers of `eddyline why` as tables."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from rich.table import Table

from eddyline.adapters.cli.printable import echo, printable
from eddyline.adapters.cli.screen import counted, message, stdout
from eddyline.adapters.cli.times import utc_time

_Document: TypeAlias = Mapping[str, Any]

_LONGEST_VALUE = 60
_MOST_INPUTS = 20
_WIDE = 10_000


def show_explanation(found: _Document, *, everything: bool) -> None:
    """Print why there is a result or an entry; what else is to be known about the answer goes to standard error."""
    echo(_subject(found["subject"]))
    inputs = found["inputs"]
    if inputs:
        echo(_headline(found))
        _print(_inputs(inputs, everything=everything))
        for path in dict.fromkeys(tuple(record["path"]) for record in inputs):
            echo(f"path: {' → '.join(path)}")
    for note in found["notes"]:
        message(f"note: {note}")
    tested = f", {counted(found['replays'], 'replay')} of inputs alone" if found["replays"] else ""
    message(f"{counted(found['replayed'], 'record')} replayed{tested}")


def show_fate(found: _Document, *, everything: bool) -> None:
    """Print what became of an input record."""
    record = found["record"]
    echo(f"{_position(record)}  {utc_time(record['timestamp'])}  key {_text(record['key'])}  {_short(record['value'], everything)}")
    if found["total"]:
        echo(f"is part of {counted(found['total'], 'result')}:")
        table = Table("result", "time", "key", "window", "value", box=None, pad_edge=False)
        for result in found["results"]:
            where = result["topic"] if result["offset"] is None else _position(result)
            table.add_row(*_cells(where, result, everything))
        _print(table)
        if found["total"] > len(found["results"]):
            echo(f"… and {counted(found['total'] - len(found['results']), 'more result')}")
    else:
        echo("has no result:")
    for step in found["steps"]:
        echo(f"- {step['text']}")
        for change in step["changes"]:
            if everything or not change["internal"]:
                echo(f"    {_entry(change)}: {_short(change['before'], everything)} → {_short(change['after'], everything)}")
    for note in found["notes"]:
        message(f"note: {note}")
    message(f"{counted(found['replayed'], 'record')} replayed")


def _headline(found: _Document) -> str:
    count = counted(len(found["inputs"]), "input record")
    if not found["found"]:
        return f"was not given by a replay; {count} for its key and timestamp:"
    neutral = sum(record["neutral"] is True for record in found["inputs"])
    without = f"; {neutral:,} of them are neutral: without one, the result is the same" if neutral else ""
    return f"is made of {count}{without}{'' if found['verified'] else ' (not verified)'}:"


def _subject(subject: _Document) -> str:
    if "store" in subject:
        return f"store {subject['store']}: {_entry(subject)}  {_text(subject['value'])}"
    window = _window(subject.get("window"))
    key = f"key {_text(subject['key'])}{f' {window}' if window else ''}"
    return f"{_position(subject)}  {utc_time(subject['timestamp'])}  {key}  {_text(subject['value'])}"


def _inputs(inputs: Sequence[_Document], *, everything: bool) -> Table:
    shown = list(_some(inputs, everything=everything))
    has_marks = any(record is not None and (record["neutral"] or record["role"] == "trigger") for record in shown)
    changes = [_changes(record, everything=everything) if record is not None else [] for record in shown]
    entries = {_named(change) for found in changes for change in found}
    columns = ["record", "time", "key", "value", *(["role"] if has_marks else [])]
    columns += (["store"] if len(entries) > 1 else []) + (["state"] if entries else [])
    if len(entries) == 1:
        echo(f"state: {next(iter(entries))}")
    table = Table(*columns, box=None, pad_edge=False)
    for record, found in zip(shown, changes, strict=True):
        if record is None:
            table.add_row(f"… {len(inputs) - _MOST_INPUTS:,} more (--all)")
            continue
        first = [_position(record), utc_time(record["timestamp"]), _text(record["key"]), _short(record["value"], everything)]
        if has_marks:
            first.append(" ".join(_marks(record)))
        for number, change in enumerate(found or [None]):
            state = [] if change is None else [*([_named(change)] if len(entries) > 1 else []), _transition(change, everything)]
            table.add_row(*map(printable, [*(first if number == 0 else [""] * len(first)), *state]))
    return table


def _marks(record: _Document) -> Iterator[str]:
    if record["role"] == "trigger":
        yield "trigger"
    if record["neutral"]:
        yield "neutral"


def _some(inputs: Sequence[_Document], *, everything: bool) -> Iterator[_Document | None]:
    """Yield the first and the last inputs, with None in place of those between."""
    if everything or len(inputs) <= _MOST_INPUTS:
        yield from inputs
        return
    half = _MOST_INPUTS // 2
    yield from inputs[:half]
    yield None
    yield from inputs[-half:]


def _changes(record: _Document, *, everything: bool) -> list[_Document]:
    return [change for change in record["changes"] if everything or not change["internal"]]


def _cells(where: str, result: _Document, everything: bool) -> tuple[str, ...]:
    window = _window(result.get("window"))
    return (where, utc_time(result["timestamp"]), _text(result["key"]), window, _short(result["value"], everything))


def _named(change: _Document) -> str:
    return f"{change['store']} {_entry(change)}"


def _entry(entry: _Document) -> str:
    window = _window(entry["window"])
    return f"{_text(entry['key'])}{f' {window}' if window else ''}"


def _position(record: _Document) -> str:
    return f"{record['topic']} {record['partition']}:{record['offset']}"


def _window(window: _Document | None) -> str:
    return "" if window is None else f"[{utc_time(window['start'])}, {utc_time(window['end'])})"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _transition(change: _Document, everything: bool) -> str:
    """Return a change of state, of objects only the fields that differ."""
    before, after = change["before"], change["after"]
    if everything or not isinstance(before, dict) or not isinstance(after, dict):
        return f"{_short(before, everything)} → {_short(after, everything)}"
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    fields = (f"{name}: {_short(before.get(name), everything)} → {_short(after.get(name), everything)}" for name in names)
    return ", ".join(fields) or "unchanged"


def _short(value: Any, everything: bool) -> str:
    if value is None:
        return "-"
    if everything:
        return _text(value)
    text = " ".join(_plain(value).split())
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"


def _plain(value: Any) -> str:
    """Return a value as text, the fields of an object without quotes and braces."""
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_text(field)}" for name, field in value.items())
    return _text(value)


def _print(table: Table) -> None:
    stdout(width=_WIDE).print(table)
