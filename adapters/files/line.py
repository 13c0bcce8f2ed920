"""One record as one line of JSON, such that any bytes survive and a person can read and write it.

    {"timestamp": 1700000000000, "key": "AAPL", "value": {"price": 1.5}, "headers": {"trace": "abc"}, "arrival": 7}

- `timestamp`, milliseconds since the epoch, and `value` are required; `key`, `headers` and `arrival` may be left out.
- A JSON text is the text itself, as UTF-8: `"value": "hello"` are the five bytes `hello`.
- A JSON object, list, number, `true` or `false` under `value`, and an object or list under `key`, is what stands in the line,
  byte for byte: `"value": {"a": 1.0}` are the ten bytes `{"a": 1.0}`.
- `null` is no key, and no value (a tombstone).
- `{"base64": "…"}` holds bytes that are not UTF-8.
- `headers` are an object of texts, nulls and base64 objects, or a list of `[name, value]` where a name occurs twice.
"""

import base64
import json
from typing import Any, NoReturn

from eddyline.application.ports.event_log import Headers
from eddyline.application.ports.event_sink import SinkRecord


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


decode_json = json.JSONDecoder(parse_constant=_refuse_constant).raw_decode
"""Takes a text and a place in it; gives the JSON value that begins there and the place after it. Raises ValueError."""

_quote = json.JSONEncoder(ensure_ascii=False).encode


def format_line(record: SinkRecord) -> str:
    """The record as a line of text, without the newline. Raises ValueError for a header name that is not Unicode text."""
    key, value = record.key, record.value
    key_text = "null" if key is None else _json_for(key, "{[")
    value_text = "null" if value is None else _json_for(value, "{[-0123456789tf")
    headers = f',"headers":{_json_for_headers(record.headers)}' if record.headers else ""
    return f'{{"timestamp":{record.timestamp},"key":{key_text},"value":{value_text}{headers}}}'


def is_base64(value: Any) -> bool:
    """Whether a JSON value is the form that holds bytes which are not UTF-8."""
    return type(value) is dict and len(value) == 1 and type(value.get("base64")) is str


def _json_for(data: bytes, inlined: str) -> str:
    """The bytes as a JSON value; JSON that begins with one of the characters `inlined` stays as it is."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return '{"base64":"' + base64.b64encode(data).decode() + '"}'
    if text and text[0] in inlined and "\n" not in text:
        try:
            value, end = decode_json(text)
        except (ValueError, RecursionError):
            return _quote(text)
        if end == len(text) and not is_base64(value):
            return text
    return _quote(text)


def _json_for_headers(headers: Headers) -> str:
    written = [(_quote(name), "null" if value is None else _json_for(value, "")) for name, value in headers]
    if len(dict(headers)) == len(headers):
        return "{" + ",".join(f"{name}:{value}" for name, value in written) + "}"
    return "[" + ",".join(f"[{name},{value}]" for name, value in written) + "]"
