"""From a record's bytes to what a task takes, the same way under every engine."""

from collections.abc import Callable
from typing import Any, TypeAlias

from eddyline.application.ports.codec import Codec
from eddyline.application.ports.event_log import Headers, LogRecord

Decode: TypeAlias = Callable[[LogRecord], tuple[Any, Any, Headers]]
"""Gives key, value and the headers that go on with the record. Raises CodecError."""

_REMEMBERED_KEYS = 1 << 16


class UnreadableRecordError(ValueError):
    """What the log holds here is not a record; the message is the log's."""


def record_decoder(key: Codec, value: Codec) -> Decode:
    """What decodes the records of a topic; it raises UnreadableRecordError too, for what the log could not read.

    Headers that the codecs read end here. Keys that came lately are remembered, since few of them make up most records.
    """
    key_of, value_of = key.decode, value.decode
    known: dict[bytes | None, Any] = {None: key_of(None)}

    def decode(record: LogRecord) -> tuple[Any, Any, Headers]:
        _, _, _, _, data, value_data, headers, _, error = record
        if error is not None:
            raise UnreadableRecordError(error)
        if data in known:
            found = known[data]
        else:
            found = key_of(data)
            if len(known) >= _REMEMBERED_KEYS:
                known.clear()
            known[data] = found
        return found, value_of(value_data), headers

    names = key.headers_read | value.headers_read
    if not names:
        return decode

    def decode_by_headers(record: LogRecord) -> tuple[Any, Any, Headers]:
        headers = record.headers
        if not headers or names.isdisjoint(name for name, _ in headers) or record.error is not None:
            return decode(record)
        going_on = tuple(header for header in headers if header[0] not in names)
        return key_of(record.key, headers), value_of(record.value, headers), going_on

    return decode_by_headers
