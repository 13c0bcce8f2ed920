"""Records as lines of text: what `consume` prints with --format json is what `produce` reads with it."""

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.times import utc_time
from eddyline.application.ports.codec import Codec, CodecError
from eddyline.application.ports.event_log import Headers, LogRecord
from eddyline.application.ports.event_sink import SinkRecord

_NOTHING = "null"
_FIELDS = {"key", "value", "timestamp", "headers", "partition", "topic", "offset"}


@dataclass(frozen=True)
class Undecodable:
    """Bytes that the codec could not read, and why."""

    data: bytes
    reason: str


def decoded(codec: Codec, data: bytes | None, headers: Headers = ()) -> Any:
    """The value, or Undecodable."""
    try:
        return codec.decode(data, headers)
    except CodecError as error:
        return Undecodable(data or b"", str(error))


def json_line(record: LogRecord, key: Any, value: Any) -> str:
    """The record as one JSON object; bytes are base64 under `base64`, what could not be decoded has `error` beside it."""
    return json.dumps(
        {
            "topic": record.topic,
            "partition": record.partition,
            "offset": record.offset,
            "timestamp": record.timestamp,
            "key": key,
            "value": value,
            "headers": [[name, _text_or_bytes(content)] for name, content in record.headers],
        },
        default=_as_json,
        ensure_ascii=False,
    )


def text_line(record: LogRecord, key: Any, value: Any, *, headers: bool) -> str:
    """The record as a line for people: place, time, key, value, and headers where wanted."""
    parts = [f"{record.topic}-{record.partition}@{record.offset}", utc_time(record.timestamp), _shown(key), _shown(value)]
    if headers:
        parts.append(" ".join(f"{name}={_shown(_text_or_bytes(content))}" for name, content in record.headers))
    return "\t".join(parts)


def from_json_line(
    line: str, topic: str, encode_key: Callable[[str], bytes | None], encode_value: Callable[[str], bytes | None]
) -> SinkRecord:
    """The record in a JSON object with key, value, and where given timestamp (ms since epoch), headers and partition.

    Raises UsageError for a line that is not such an object.
    """
    try:
        given = json.loads(line)
    except ValueError as error:
        raise UsageError(f"not JSON: {error}: {line[:60]!r}") from None
    if not isinstance(given, dict) or given.keys() - _FIELDS:
        raise UsageError(f"should be an object with some of {', '.join(sorted(_FIELDS))}, not {line[:60]!r}")
    return SinkRecord(
        topic,
        _content(given.get("key"), encode_key),
        _content(given.get("value"), encode_value),
        given.get("timestamp", -1),
        _headers(given.get("headers") or ()),
        given.get("partition"),
    )


def _headers(given: Any) -> Headers:
    pairs = given.items() if isinstance(given, Mapping) else given
    return tuple((name, _content(content, str.encode)) for name, content in pairs)


def _content(given: Any, encode: Callable[[str], bytes | None]) -> bytes | None:
    if given is None:
        return None
    if isinstance(given, dict) and "base64" in given:
        return base64.b64decode(given["base64"])
    return encode(given if isinstance(given, str) else json.dumps(given, ensure_ascii=False))


def _as_json(value: Any) -> Any:
    if isinstance(value, Undecodable):
        return {"base64": base64.b64encode(value.data).decode(), "error": value.reason}
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    return str(value)


def _text_or_bytes(content: bytes | None) -> str | bytes | None:
    if content is None:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content


def _shown(value: Any) -> str:
    if value is None:
        return _NOTHING
    if isinstance(value, Undecodable):
        return f"{value.data!r} (not decoded: {value.reason})"
    if isinstance(value, str):
        return value
    return json.dumps(value, default=_plain, ensure_ascii=False)


def _plain(value: Any) -> Any:
    return repr(value) if isinstance(value, bytes) else str(value)
