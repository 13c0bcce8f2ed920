"""Parses lines into records: a fast path for the usual layouts, and a strict parser for lines in any other."""

import base64
import json
import re
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any, TypeAlias

import msgspec

from eddyline.adapters.files.line import decode_json, is_base64, is_inlined
from eddyline.application.ports.event_log import Headers, LogRecord, log_record

NO_TIMESTAMP = -1
"""The timestamp of a record whose line could not be parsed."""

_FIELDS = ("timestamp", "key", "value", "headers", "arrival")
_MIN_LONG, _MAX_LONG = -(1 << 63), (1 << 63) - 1
_MAX_SHOWN = 60


class _Line(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """The JSON of the fields of a line without headers."""

    timestamp: msgspec.Raw
    value: msgspec.Raw
    key: msgspec.Raw = msgspec.Raw(b"")
    arrival: msgspec.Raw = msgspec.Raw(b"")


_line_of, _lines_of = msgspec.json.Decoder(_Line).decode, msgspec.json.Decoder(_Line).decode_lines
_text_of = msgspec.json.Decoder(str).decode
_MOST_DIGITS = 18
_REQUIRED, _KEY, _ARRIVAL = len('{"timestamp":,"value":}'), len(',"key":'), len(',"arrival":')

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
        data.decode()
    except UnicodeDecodeError:
        numbered = enumerate(data.split(b"\n"), first)
        return [record for offset, line in numbered for record in _parse_bytes(topic, partition, offset, line)]
    lines = data.split(b"\n")
    try:
        found: Sequence[_Line | None] = _lines_of(data)
    except (msgspec.DecodeError, RecursionError):
        found = ()
    if len(found) != len(lines):
        found = list(map(_line_in, lines))
    records = []
    for offset, line, fields in zip(count(first), lines, found, strict=False):
        record = None if fields is None else _record_of(topic, partition, offset, fields, len(line))
        if record is not None:
            records.append(record)
        elif line and not line.isspace():
            records.append(_parse_any_line(topic, partition, offset, line.decode()))
    return records


def _parse_bytes(topic: str, partition: int, offset: int, line: bytes) -> Iterator[LogRecord]:
    try:
        line.decode()
    except UnicodeDecodeError as error:
        yield _invalid(topic, partition, offset, line, f"not UTF-8 at byte {error.start} of the line")
    else:
        yield from parse_lines(topic, partition, offset, line)


def _line_in(line: bytes) -> _Line | None:
    """Return the fields of a line without headers, None for another one, and for what is no record."""
    try:
        return _line_of(line)
    except (msgspec.DecodeError, RecursionError):
        return None


def _record_of(topic: str, partition: int, offset: int, fields: _Line, length: int) -> LogRecord | None:
    """Return the record of a line of so many bytes, None if it needs the strict parser.

    Blanks may be nowhere around the fields, or after each colon and comma, as `json.dumps` writes them.
    """
    timestamp, key, value, arrival = bytes(fields.timestamp), bytes(fields.key), bytes(fields.value), bytes(fields.arrival)
    size, names = _REQUIRED + len(timestamp) + len(value), 2
    if key:
        size, names = size + _KEY + len(key), names + 1
    if arrival:
        size, names = size + _ARRIVAL + len(arrival), names + 1
    if length not in (size, size + 2 * names - 1):  # a field that occurs twice takes more
        return None
    try:
        number = _number(arrival) if arrival else None
        return log_record((topic, partition, offset, _number(timestamp), _plain(key), _plain(value), (), number, None))
    except ValueError:
        return None


def _number(data: bytes) -> int:
    if len(data) > _MOST_DIGITS or not data.isdigit():
        raise ValueError(data)
    return int(data)


def _plain(data: bytes) -> bytes | None:
    """Return the bytes of a text, of null, or of an object or array, given as JSON; ValueError for any other."""
    if data[:1] == b'"':
        return data[1:-1] if b"\\" not in data else _text_of(data).encode()
    if data in (b"null", b""):
        return None
    if not is_inlined(data):
        raise ValueError(data)
    return data


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
