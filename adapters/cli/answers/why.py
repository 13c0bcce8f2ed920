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


class AnswerView:
    """Prints answers; with `everything`, all input records, whole values, and the buffers of operators."""

    def __init__(self, *, everything: bool) -> None:
        self._everything = everything

    def explanation(self, found: _Document) -> None:
        """Print why there is a result or an entry; what else is to be known goes to standard error."""
        echo(_subject(found["subject"]))
        inputs = found["inputs"]
        if inputs:
            echo(_headline(found))
            self._inputs(inputs)
            for path in dict.fromkeys(tuple(record["path"]) for record in inputs):
                echo(f"path: {' → '.join(path)}")
        tested = f", {counted(found['replays'], 'replay')} of inputs alone" if found["replays"] else ""
        _end(found, tested)

    def fate(self, found: _Document) -> None:
        """Print what became of an input record."""
        record = found["record"]
        value = self._short(record["value"])
        echo(f"{_position(record)}  {utc_time(record['timestamp'])}  key {_text(record['key'])}  {value}")
        if found["total"]:
            echo(f"is part of {counted(found['total'], 'result')}:")
            self._results(found["results"])
            if found["total"] > len(found["results"]):
                echo(f"… and {counted(found['total'] - len(found['results']), 'more result')}")
        else:
            echo("has no result:")
        for step in found["steps"]:
            echo(f"- {step['text']}")
            for change in self._shown(step["changes"]):
                echo(f"    {_entry(change)}: {self._transition(change)}")
        _end(found)

    def _results(self, results: Sequence[_Document]) -> None:
        table = Table("result", "time", "key", "window", "value", box=None, pad_edge=False)
        for result in results:
            where = result["topic"] if result["offset"] is None else _position(result)
            window = _window(result.get("window"))
            cells = (where, utc_time(result["timestamp"]), _text(result["key"]), window, self._short(result["value"]))
            table.add_row(*map(printable, cells))
        stdout(width=_WIDE).print(table)

    # --- inputs -------------------------------------------------------------------------------------------------------

    def _inputs(self, inputs: Sequence[_Document]) -> None:
        shown = list(self._some(inputs))
        changes = [[] if record is None else self._shown(record["changes"]) for record in shown]
        entries = list(dict.fromkeys(_named(change) for found in changes for change in found))
        with_roles = any(record is not None and _role(record) for record in shown)
        if len(entries) == 1:
            echo(f"state: {entries[0]}")
        columns = [*(["role"] if with_roles else []), *(["store"] if len(entries) > 1 else []), *(["state"] if entries else [])]
        table = Table("record", "time", "key", "value", *columns, box=None, pad_edge=False)
        for record, found in zip(shown, changes, strict=True):
            if record is None:
                table.add_row(f"… {len(inputs) - _MOST_INPUTS:,} more (--full)")
                continue
            cells = [_position(record), utc_time(record["timestamp"]), _text(record["key"]), self._short(record["value"])]
            cells += [_role(record)] if with_roles else []
            rows: Sequence[_Document | None] = found or [None]
            for change in rows:
                state = self._state(change, named=len(entries) > 1)
                table.add_row(*map(printable, [*cells, *state]))
                cells = [""] * len(cells)
        stdout(width=_WIDE).print(table)

    def _state(self, change: _Document | None, *, named: bool) -> list[str]:
        if change is None:
            return []
        return [*([_named(change)] if named else []), self._transition(change)]

    def _some(self, inputs: Sequence[_Document]) -> Iterator[_Document | None]:
        """Yield the first and the last inputs, with None in place of those between."""
        if self._everything or len(inputs) <= _MOST_INPUTS:
            yield from inputs
            return
        half = _MOST_INPUTS // 2
        yield from inputs[:half]
        yield None
        yield from inputs[-half:]

    def _shown(self, changes: Sequence[_Document]) -> list[_Document]:
        return [change for change in changes if self._everything or not change["internal"]]

    def _transition(self, change: _Document) -> str:
        """Return a change of state, of objects only the fields that differ."""
        before, after = change["before"], change["after"]
        if before == after:
            return "unchanged"
        if self._everything or not isinstance(before, dict) or not isinstance(after, dict):
            return f"{self._short(before)} → {self._short(after)}"
        return ", ".join(f"{name}: {self._short(old)} → {self._short(new)}" for name, old, new in _differences(before, after))

    def _short(self, value: Any) -> str:
        if value is None:
            return "-"
        if self._everything:
            return _text(value)
        if isinstance(value, dict):
            value = ", ".join(f"{name}: {_text(field)}" for name, field in value.items())
        text = " ".join(_text(value).split())
        return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"


def _differences(before: _Document, after: _Document) -> Iterator[tuple[str, Any, Any]]:
    """Yield the fields that differ, each with its values; a field of an object in an object is named `outer.inner`."""
    for name in {**before, **after}:
        old, new = before.get(name), after.get(name)
        if isinstance(old, dict) and isinstance(new, dict):
            yield from ((f"{name}.{inner}", *values) for inner, *values in _differences(old, new))
        elif old != new:
            yield name, old, new


def _end(found: _Document, tested: str = "") -> None:
    for note in found["notes"]:
        message(f"note: {note}")
    message(f"{counted(found['replayed'], 'record')} replayed{tested}")


def _headline(found: _Document) -> str:
    count = counted(len(found["inputs"]), "input record")
    if not found["found"]:
        return f"was not given by a replay, but another value for its key and timestamp, made of {count}:"
    neutral = sum(record["neutral"] is True for record in found["inputs"])
    without = f"; {neutral:,} neutral: without any one of them the result is the same" if neutral else ""
    return f"is made of {count}{without}{'' if found['verified'] else ' (not verified)'}:"


def _subject(subject: _Document) -> str:
    if "store" in subject:
        return f"store {_named(subject)}  {_text(subject['value'])}"
    window = _window(subject.get("window"))
    key = f"key {_text(subject['key'])}{f' {window}' if window else ''}"
    return f"{_position(subject)}  {utc_time(subject['timestamp'])}  {key}  {_text(subject['value'])}"


def _role(record: _Document) -> str:
    return " ".join([*(["trigger"] if record["role"] == "trigger" else []), *(["neutral"] if record["neutral"] else [])])


def _named(entry: _Document) -> str:
    return f"{entry['store']} {_entry(entry)}"


def _entry(entry: _Document) -> str:
    window = _window(entry["window"])
    return f"{_text(entry['key'])}{f' {window}' if window else ''}"


def _position(record: _Document) -> str:
    return f"{record['topic']} {record['partition']}:{record['offset']}"


def _window(window: _Document | None) -> str:
    return "" if window is None else f"[{utc_time(window['start'])}, {utc_time(window['end'])})"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
