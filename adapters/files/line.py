"""One record as one line of JSON: any bytes are preserved, and people can read and write the lines.

    {"timestamp": 1700000000000, "key": "AAPL", "value": {"price": 1.5}, "headers": {"trace": "abc"}, "arrival": 7}

- `timestamp`, in milliseconds since the epoch, and `value` are required; `key`, `headers` and `arrival` are optional.
- A JSON string stands for its text in UTF-8: `"value": "hello"` is the five bytes `hello`.
- A JSON object, array, number, `true` or `false` as `value`, and an object or array as `key`, stands for its own text, byte for
  byte: `"value": {"a": 1.0}` is the ten bytes `{"a": 1.0}`.
- `null` means no key, or no value (a tombstone).
- `{"base64": "…"}` stands for bytes that are not UTF-8.
- `headers` is an object whose values are strings, nulls and base64 objects, or, if a name occurs twice, an array of
  `[name, value]` pairs.
"""

import base64
import json
from typing import Any, Final, NoReturn

import msgspec

from eddyline.application.ports.event_log import Headers
from eddyline.application.ports.event_sink import SinkRecord


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


decode_json = json.JSONDecoder(parse_constant=_refuse_constant).raw_decode
"""Decode the JSON value at an index of a text; return the value and the index after it. Raises ValueError."""

_quote = json.JSONEncoder(ensure_ascii=False).encode
_check_json = msgspec.json.Decoder(msgspec.Raw).decode
_OPEN, _CLOSED, _BASE64 = frozenset((b"{", b"[")), frozenset((b"}", b"]")), b'"base64"'
_MAX_DIGITS: Final = 4_300
"""The most digits of an integer that `decode_json` accepts: https://docs.python.org/3/library/stdtypes.html#int-max-str-digits."""


def format_line(record: SinkRecord) -> str:
    """Return the record as a line without the newline. Raises ValueError for a header name with an unpaired surrogate."""
    key, value = record.key, record.value
    key_text = "null" if key is None else _json_for(key, "{[")
    value_text = "null" if value is None else _json_for(value, "{[-0123456789tf")
    headers = f',"headers":{_json_for_headers(record.headers)}' if record.headers else ""
    return f'{{"timestamp":{record.timestamp},"key":{key_text},"value":{value_text}{headers}}}'


def is_inlined(data: bytes) -> bool:
    """Return whether valid JSON, without blanks around it, is an object or array that a line has as it is.

    False for what is left to `decode_json`: base64 objects, and long texts, which may have a number that it does not accept.
    """
    return len(data) <= _MAX_DIGITS and data[:1] in _OPEN and _BASE64 not in data


def _is_valid(data: bytes) -> bool:
    """Return whether data is JSON without unpaired surrogates and without blanks after it."""
    try:
        _check_json(data)
    except (msgspec.DecodeError, RecursionError):
        return False
    return data[-1:] in _CLOSED


def is_base64(value: Any) -> bool:
    """Return whether a JSON value is an object that stands for bytes which are not UTF-8."""
    return type(value) is dict and len(value) == 1 and type(value.get("base64")) is str


def _json_for(data: bytes, inlined: str) -> str:
    """Return the bytes as a JSON value; JSON that begins with one of the characters `inlined` is kept as it is."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return '{"base64":"' + base64.b64encode(data).decode() + '"}'
    if text and text[0] in inlined and "\n" not in text:
        if is_inlined(data) and _is_valid(data):
            return text
        try:
            value, end = decode_json(text)
        except (ValueError, RecursionError):
            return _quote(text)
        if end == len(text) and not is_base64(value):
            return text
    return _quote(text)


def _json_for_headers(headers: Headers) -> str:
    members = [(_quote(name), "null" if value is None else _json_for(value, "")) for name, value in headers]
    if len(dict(headers)) == len(headers):
        return "{" + ",".join(f"{name}:{value}" for name, value in members) + "}"
    return "[" + ",".join(f"[{name},{value}]" for name, value in members) + "]"
