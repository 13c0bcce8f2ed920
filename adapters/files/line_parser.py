"""Lines back into records: fast for the lines that a sink writes, lenient in form with those of a person, strict in content."""

import base64
import json
import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from eddyline.adapters.files.line import decode_json, is_base64
from eddyline.application.ports.event_log import Headers, LogRecord

NO_TIMESTAMP = -1
"""The timestamp of a record whose line could not be read."""

_FIELDS = ("timestamp", "key", "value", "headers", "arrival")
_LEAST, _GREATEST = -(1 << 63), (1 << 63) - 1

_SINKS_LINE = re.compile(
    r'\{"timestamp":(-?(?:0|[1-9][0-9]{0,17})),(?:"arrival":(0|[1-9][0-9]{0,17}),)?"key":(?:null|"([^"\\\x00-\x1f]*)"),"value":'
)
"""How a line of a sink begins when its key is plain text; unless it has headers, the line ends with its value."""

_BLANKS = re.compile(r"[ \t\r\n]*")


class LineError(ValueError):
    """The line is no record; the message says why, in one line."""


def parse_lines(topic: str, partition: int, first: int, data: bytes) -> list[LogRecord]:
    """The records in whole lines, the first of which has the offset `first`; blank lines hold none.

    A line that is no record comes as a LogRecord with `error` set, `timestamp` -1 and the raw line as its value.
    """
    try:
        lines = data.decode().split("\n")
    except UnicodeDecodeError:
        numbered = enumerate(data.split(b"\n"), first)
        return [record for offset, line in numbered for record in _parse_bytes(topic, partition, offset, line)]
    records: list[LogRecord] = []
    keep = records.append
    for offset, line in enumerate(lines, first):
        record = _parse_sinks_line(topic, partition, offset, line)
        if record is not None:
            keep(record)
        elif line and not line.isspace():
            keep(_parse_persons_line(topic, partition, offset, line))
    return records


def _parse_bytes(topic: str, partition: int, offset: int, line: bytes) -> Iterator[LogRecord]:
    try:
        line.decode()
    except UnicodeDecodeError as error:
        yield _broken(topic, partition, offset, line, f"not UTF-8 at byte {error.start} of the line")
    else:
        yield from parse_lines(topic, partition, offset, line)


def _parse_sinks_line(topic: str, partition: int, offset: int, line: str) -> LogRecord | None:
    """The record in a line that looks as a sink writes it, else None; what is wrong with it is not told here."""
    head = _SINKS_LINE.match(line)
    if head is None:
        return None
    start = head.end()
    try:
        value, end = decode_json(line, start)
        if end != len(line) - 1 or line[end] != "}" or (type(value) is dict and "base64" in value):
            return None
        timestamp, arrival, key = head.groups()
        return LogRecord(
            topic,
            partition,
            offset,
            int(timestamp),
            None if key is None else key.encode(),
            None if value is None else (value if type(value) is str else line[start:end]).encode(),
            (),
            None if arrival is None else int(arrival),
        )
    except (ValueError, RecursionError):
        return None


def _parse_persons_line(topic: str, partition: int, offset: int, line: str) -> LogRecord:
    """The record in a line of any form, a broken one where it holds none."""
    try:
        members = _members(line)
        return LogRecord(
            topic,
            partition,
            offset,
            _timestamp(members),
            _key(members),
            _value(members),
            _headers(members),
            _arrival(members),
        )
    except LineError as error:
        return _broken(topic, partition, offset, line.encode(), str(error))


def _broken(topic: str, partition: int, offset: int, line: bytes, error: str) -> LogRecord:
    return LogRecord(topic, partition, offset, NO_TIMESTAMP, None, line, error=error)


_Members: TypeAlias = dict[str, tuple[Any, str]]
"""What stands in a line: the value of a field, and its text as it is written, by the field's name."""


def _members(line: str) -> _Members:
    try:
        whole, end = decode_json(line, _after_blanks(line, 0))
    except RecursionError:
        raise LineError("nested too deeply") from None
    except json.JSONDecodeError as error:
        raise LineError(f"not JSON: {error.msg} at column {error.colno}") from None
    except ValueError as error:
        raise LineError(f"not JSON: {error}") from None
    if not isinstance(whole, dict):
        raise LineError(f"not an object but {_kind(whole)}")
    if _after_blanks(line, end) != len(line):
        raise LineError(f"not JSON: something follows the object at column {end + 1}")
    members: _Members = {}
    at = _after_blanks(line, line.index("{") + 1)
    while line[at] != "}":
        name, at = decode_json(line, at)
        start = _after_blanks(line, _after_blanks(line, at) + 1)
        value, end = decode_json(line, start)
        if name in members:
            raise LineError(f"field '{name}' occurs twice")
        if name not in _FIELDS:
            raise LineError(f"unknown field '{name}'; a line has {', '.join(_FIELDS)}")
        members[name] = (value, line[start:end])
        at = _after_blanks(line, end)
        if line[at] == ",":
            at = _after_blanks(line, at + 1)
    return members


def _after_blanks(line: str, at: int) -> int:
    found = _BLANKS.match(line, at)
    return at if found is None else found.end()


def _kind(value: Any) -> str:
    return {list: "a list", str: "a text", bool: "true or false", type(None): "null"}.get(type(value), "a number")


def _timestamp(members: _Members) -> int:
    timestamp, _ = members.get("timestamp", (None, ""))
    if type(timestamp) is int and _LEAST <= timestamp <= _GREATEST:
        return timestamp
    raise LineError("'timestamp' must be a whole number of milliseconds since the epoch")


def _arrival(members: _Members) -> int | None:
    arrival, _ = members.get("arrival", (None, ""))
    if arrival is None or (type(arrival) is int and 0 <= arrival <= _GREATEST):
        return arrival
    raise LineError("'arrival' must be a whole number from 0 on")


def _key(members: _Members) -> bytes | None:
    key, text = members.get("key", (None, ""))
    if isinstance(key, str | dict | list | None):
        return _bytes("key", key, text)
    raise LineError("'key' must be a text, an object, a list or null")


def _value(members: _Members) -> bytes | None:
    if "value" not in members:
        raise LineError("there is no 'value'; write null for a tombstone")
    return _bytes("value", *members["value"])


def _bytes(field: str, value: Any, text: str) -> bytes | None:
    """The bytes that a JSON value under `field` stands for; `text` is the value as it is written."""
    if value is None:
        return None
    if is_base64(value):
        try:
            return base64.b64decode(value["base64"], validate=True)
        except ValueError as error:
            raise LineError(f"'{field}' is no base64: {error}") from None
    try:
        return (value if isinstance(value, str) else text).encode()
    except UnicodeEncodeError:
        raise LineError(f"'{field}' holds half of a surrogate pair, which UTF-8 cannot") from None


def _headers(members: _Members) -> Headers:
    if "headers" not in members:
        return ()
    value = json.loads(members["headers"][1], object_pairs_hook=_once)
    pairs = list(value.items()) if isinstance(value, dict) else value
    if not isinstance(pairs, list):
        raise LineError("'headers' must be an object, or a list of [name, value]")
    headers: list[tuple[str, bytes | None]] = []
    for pair in pairs:
        match pair:
            case [str(name), held] if held is None or isinstance(held, str) or is_base64(held):
                _bytes("headers", name, "")
                headers.append((name, _bytes(f"headers.{name}", held, "")))
            case _:
                raise LineError("a header needs a name and a value that is a text, null or a base64 object")
    return tuple(headers)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise LineError("a header occurs twice in an object; write a list of [name, value]")
    return members
