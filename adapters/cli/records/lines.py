"""Records as lines of text: `produce --format json` reads what `consume --format json` prints."""

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.printable import printable
from eddyline.adapters.cli.records.hex_dump import text_or_escapes
from eddyline.adapters.cli.times import utc_time
from eddyline.application.ports.codec import Codec, CodecError
from eddyline.application.ports.event_log import Headers, LogRecord
from eddyline.application.ports.event_sink import SinkRecord

_NULL = "null"
_END_OF_LONGS, _END_OF_INTS = 2**63, 2**31
_FIELDS = {"key", "value", "timestamp", "headers", "partition", "topic", "offset"}


@dataclass(frozen=True)
class Undecodable:
    """Bytes that the codec could not decode, and the reason."""

    data: bytes
    reason: str


def decoded(codec: Codec, data: bytes | None, headers: Headers = ()) -> Any:
    """Return the decoded value, or Undecodable."""
    try:
        return codec.decode(data, headers)
    except CodecError as error:
        return Undecodable(data or b"", str(error))


def json_line(record: LogRecord, key: Any, value: Any) -> str:
    """Return a record as a JSON object.

    Bytes are an object with the field `base64`, and with the field `error` if they could not be decoded.
    """
    line = json.dumps(
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
    return printable(line)


def text_line(record: LogRecord, key: Any, value: Any, *, headers: bool) -> str:
    """Return a record as `topic-partition@offset`, time, key and value, separated by tabs; `headers` adds its headers."""
    parts = [f"{record.topic}-{record.partition}@{record.offset}", utc_time(record.timestamp), _shown(key), _shown(value)]
    if headers:
        parts.append(" ".join(f"{name}={_shown(_text_or_bytes(content))}" for name, content in record.headers))
    return "\t".join(parts)


def from_json_line(
    line: str, topic: str, encode_key: Callable[[str], bytes | None], encode_value: Callable[[str], bytes | None]
) -> SinkRecord:
    """Return the record in a JSON object with the fields key, value, timestamp (ms since the epoch), headers and partition.

    Raises:
        UsageError: the line is not such an object.
    """
    try:
        given = json.loads(line)
    except ValueError as error:
        raise UsageError(f"invalid line '{line[:60]}': not JSON ({error})") from None
    except RecursionError:
        raise UsageError(f"invalid line '{line[:60]}…': nested too deeply") from None
    if not isinstance(given, dict) or given.keys() - _FIELDS:
        raise UsageError(f"invalid line '{line[:60]}': write a JSON object with some of the fields {', '.join(sorted(_FIELDS))}")
    timestamp, partition = given.get("timestamp", -1), given.get("partition")
    if type(timestamp) is not int or not -1 <= timestamp < _END_OF_LONGS:
        raise UsageError(f"invalid line '{line[:60]}': timestamp must be an integer, in ms since the epoch, not {timestamp!r}")
    if partition is not None and (type(partition) is not int or not 0 <= partition < _END_OF_INTS):
        raise UsageError(f"invalid line '{line[:60]}': partition must be the number of a partition, not {partition!r}")
    try:
        return SinkRecord(
            topic,
            _content(given.get("key"), encode_key),
            _content(given.get("value"), encode_value),
            timestamp,
            _headers(given.get("headers") or ()),
            partition,
        )
    except binascii.Error as error:
        raise UsageError(f"invalid line '{line[:60]}': not valid base64 ({error})") from None
    except UnicodeEncodeError:
        raise UsageError(f"invalid line '{line[:60]}': an unpaired surrogate, which UTF-8 cannot encode") from None


def _headers(given: Any) -> Headers:
    pairs = list(given.items()) if isinstance(given, Mapping) else given
    if not isinstance(pairs, list | tuple) or not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in pairs):  # noqa: PLR2004 - a name and a value
        raise UsageError(f"invalid headers {str(given)[:60]!r}: write an object, or an array of [name, value] pairs")
    if not all(isinstance(name, str) for name, _ in pairs):
        raise UsageError(f"invalid headers {str(given)[:60]!r}: the name of a header must be a string")
    return tuple((name, _content(content, str.encode)) for name, content in pairs)


def _content(given: Any, encode: Callable[[str], bytes | None]) -> bytes | None:
    if given is None:
        return None
    if isinstance(given, dict) and isinstance(given.get("base64"), str):
        return base64.b64decode(given["base64"].encode(), validate=True)
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
        return _NULL
    if isinstance(value, Undecodable):
        return f"{text_or_escapes(value.data)} (not decoded: {value.reason})"
    if isinstance(value, str):
        return value
    return json.dumps(value, default=_plain, ensure_ascii=False)


def _plain(value: Any) -> Any:
    return text_or_escapes(value) if isinstance(value, bytes) else str(value)
