"""Parses lines into records: a fast path for lines as a sink writes them, and a strict parser for lines in any other layout."""

import base64
import json
import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from eddyline.adapters.files.line import decode_json, is_base64, is_inlined
from eddyline.application.ports.event_log import Headers, LogRecord

NO_TIMESTAMP = -1
"""The timestamp of a record whose line could not be parsed."""

_FIELDS = ("timestamp", "key", "value", "headers", "arrival")
_MIN_LONG, _MAX_LONG = -(1 << 63), (1 << 63) - 1
_MAX_SHOWN = 60

_SINK_LINE = re.compile(
    r'\{"timestamp":(-?(?:0|[1-9][0-9]{0,17})),(?:"arrival":(0|[1-9][0-9]{0,17}),)?"key":'
    r'(?:(?:null|"([^"\\\x00-\x1f]*)"),"value":|((?=[{\[])))'
)
"""The beginning of a line as a sink writes it: up to the value, or to a key that is an object or an array.

A key that needs escapes has another layout. Without headers, the line ends after the value.
"""
_VALUE_FIELD = ',"value":'

_BLANKS = re.compile(r"[ \t\r\n]*")


class LineError(ValueError):
    """A line that is not a record; the message says why, in one line."""


def parse_lines(topic: str, partition: int, first: int, data: bytes) -> list[LogRecord]:
    """Parse complete lines into records; blank lines are skipped.

    Args:
        topic: The topic of the records.
        partition: The partition of the records.
        first: The offset of the first line; each line, also a blank one, has the next offset.
        data: The lines, separated by newlines.

    Returns:
        The records. For a line that is not a record, `error` says why, `timestamp` is -1 and `value` is the line itself.
    """
    try:
        lines = data.decode().split("\n")
    except UnicodeDecodeError:
        numbered = enumerate(data.split(b"\n"), first)
        return [record for offset, line in numbered for record in _parse_bytes(topic, partition, offset, line)]
    records: list[LogRecord] = []
    add = records.append
    for offset, line in enumerate(lines, first):
        record = _parse_sink_line(topic, partition, offset, line)
        if record is not None:
            add(record)
        elif line and not line.isspace():
            add(_parse_any_line(topic, partition, offset, line))
    return records


def _parse_bytes(topic: str, partition: int, offset: int, line: bytes) -> Iterator[LogRecord]:
    try:
        line.decode()
    except UnicodeDecodeError as error:
        yield _invalid(topic, partition, offset, line, f"not UTF-8 at byte {error.start} of the line")
    else:
        yield from parse_lines(topic, partition, offset, line)


def _parse_sink_line(topic: str, partition: int, offset: int, line: str) -> LogRecord | None:
    """Return the record of a line in the layout that a sink writes, None for any other line."""
    head = _SINK_LINE.match(line)
    if head is None:
        return None
    timestamp, arrival, key, opened = head.groups()
    start = head.end()
    if opened is not None:
        end = line.find(_VALUE_FIELD, start)
        key = line[start:end]
        if end < 0 or not is_inlined(key):
            return None
        start = end + len(_VALUE_FIELD)
    try:
        text = line[start:-1]
        content: str | None = text
        if not is_inlined(text):
            value, end = decode_json(line, start)
            if end != len(line) - 1 or (type(value) is dict and "base64" in value):
                return None
            content = value if value is None or type(value) is str else text
        if line[-1] != "}":
            return None
        return LogRecord(
            topic,
            partition,
            offset,
            int(timestamp),
            None if key is None else key.encode(),
            None if content is None else content.encode(),
            (),
            None if arrival is None else int(arrival),
        )
    except (ValueError, RecursionError):
        return None


def _parse_any_line(topic: str, partition: int, offset: int, line: str) -> LogRecord:
    """Return the record of a line, with `error` set if it is not one."""
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
        return _invalid(topic, partition, offset, line.encode(), str(error))


def _invalid(topic: str, partition: int, offset: int, line: bytes, error: str) -> LogRecord:
    return LogRecord(topic, partition, offset, NO_TIMESTAMP, None, line, error=error)


_Members: TypeAlias = dict[str, tuple[Any, str]]
"""The members of the JSON object in a line: the value of each field, and the text of that value in the line."""


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
        raise LineError(f"not a JSON object but {_kind(whole)}")
    if _after_blanks(line, end) != len(line):
        raise LineError(f"not JSON: unexpected text after the object, at column {end + 1}")
    members: _Members = {}
    at = _after_blanks(line, line.index("{") + 1)
    while line[at] != "}":
        name, at = decode_json(line, at)
        start = _after_blanks(line, _after_blanks(line, at) + 1)
        value, end = decode_json(line, start)
        if name in members:
            raise LineError(f"field '{name}' occurs twice")
        if name not in _FIELDS:
            raise LineError(f"unknown field '{name}'; the fields are {', '.join(_FIELDS)}")
        members[name] = (value, line[start:end])
        at = _after_blanks(line, end)
        if line[at] == ",":
            at = _after_blanks(line, at + 1)
    return members


def _after_blanks(line: str, at: int) -> int:
    found = _BLANKS.match(line, at)
    return at if found is None else found.end()


def _kind(value: Any) -> str:
    return {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}.get(type(value), "a number")


def _shown(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…"


def _timestamp(members: _Members) -> int:
    if "timestamp" not in members:
        raise LineError("'timestamp' is missing; write milliseconds since the epoch")
    timestamp, text = members["timestamp"]
    if type(timestamp) is int and _MIN_LONG <= timestamp <= _MAX_LONG:
        return timestamp
    raise LineError(f"'timestamp' must be an integer, in milliseconds since the epoch, not '{_shown(text)}'")


def _arrival(members: _Members) -> int | None:
    arrival, text = members.get("arrival", (None, ""))
    if arrival is None or (type(arrival) is int and 0 <= arrival <= _MAX_LONG):
        return arrival
    raise LineError(f"'arrival' must be a non-negative integer, not '{_shown(text)}'")


def _key(members: _Members) -> bytes | None:
    key, text = members.get("key", (None, ""))
    if isinstance(key, str | dict | list | None):
        return _bytes("key", key, text)
    raise LineError(f"'key' must be a string, an object, an array or null, not '{_shown(text)}'")


def _value(members: _Members) -> bytes | None:
    if "value" not in members:
        raise LineError("'value' is missing; write null for a tombstone")
    return _bytes("value", *members["value"])


def _bytes(field: str, value: Any, text: str) -> bytes | None:
    """Return the bytes that a JSON value stands for; `text` is the JSON text of the value."""
    if value is None:
        return None
    if is_base64(value):
        try:
            return base64.b64decode(value["base64"], validate=True)
        except ValueError as error:
            raise LineError(f"'{field}' is not valid base64: {error}") from None
    try:
        return (value if isinstance(value, str) else text).encode()
    except UnicodeEncodeError:
        raise LineError(f"'{field}' contains an unpaired surrogate, which UTF-8 cannot encode") from None


def _headers(members: _Members) -> Headers:
    if "headers" not in members:
        return ()
    value = json.loads(members["headers"][1], object_pairs_hook=_unique_members)
    pairs = list(value.items()) if isinstance(value, dict) else value
    if not isinstance(pairs, list):
        raise LineError("'headers' must be an object, or an array of [name, value] pairs")
    headers: list[tuple[str, bytes | None]] = []
    for pair in pairs:
        match pair:
            case [str(name), content] if content is None or isinstance(content, str) or is_base64(content):
                _bytes("headers", name, "")
                headers.append((name, _bytes(f"headers.{name}", content, "")))
            case _:
                raise LineError("a header must have a name and a value that is a string, null or a base64 object")
    return tuple(headers)


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise LineError("a header name occurs twice in the object; write an array of [name, value] pairs instead")
    return members
