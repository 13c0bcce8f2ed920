"""Decodes many records of a topic at once, in less time than one by one."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final, TypeAlias

from eddyline.application.operators.columns import RecordColumns
from eddyline.application.ports.codec import Codec, CodecError, CodecUnavailableError
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.ports.log_columns import LogColumns
from eddyline.application.runtime.input.decoding import Decode, DecodedKeys, TopicDecoders, UnreadableRecordError, record_decoder
from eddyline.application.runtime.input.incoming_columns import IncomingColumns
from eddyline.application.runtime.input.record_queue import NO_ARRIVAL, DecodeAll, IncomingRecord, incoming_record
from eddyline.application.runtime.input.trace_contexts import TraceContexts

_MIN_COLUMN: Final = 4
_LEAST_HALVED: Final = 64

DecodeRepartitioned: TypeAlias = Callable[[Sequence[LogRecord], int, int], IncomingColumns]
"""Decodes records of a repartition topic, at least one, for a partition, with offsets from a number on. Raises CodecError."""


class BatchDecoders:
    """The decoders of many records of the topics that a task reads from the log, each created on first use.

    Args:
        decoders: Decode single records.
        traces: Collects the trace contexts of the records, if there is one.
    """

    def __init__(self, decoders: TopicDecoders, traces: TraceContexts | None) -> None:
        self._decoders, self._traces = decoders, traces
        self._found: dict[str, DecodeAll] = {}
        self._repartitioned: dict[str, DecodeRepartitioned] = {}

    def of_source(self, topic: str) -> DecodeAll:
        """Return the decoder of a source topic, or of the clock topic."""
        found = self._found.get(topic)
        if found is None:
            found = self._found[topic] = self._decoder(topic)
        return found

    def of_repartition(self, topic: str) -> DecodeRepartitioned:
        """Return the decoder of a repartition topic."""
        found = self._repartitioned.get(topic)
        if found is None:
            found = self._repartitioned[topic] = repartitioned_decoder(*self._decoders.codecs_of_repartition(topic))
        return found

    def _decoder(self, topic: str) -> DecodeAll:
        if self._decoders.is_clock(topic):
            return each_decoded(self._decoders.of_source(topic))
        decode_all = records_decoder(*self._decoders.codecs_of_source(topic))
        return decode_all if self._traces is None else self._traces.collecting(decode_all)


def each_decoded(decode: Decode) -> DecodeAll:
    """Return a function that decodes each of many records by a function."""

    def decode_all(records: Sequence[LogRecord], undecodable: Callable[[LogRecord, Exception], None]) -> list[IncomingRecord]:
        decoded = []
        for record in records:
            try:
                key, value, headers = decode(record)
            except (CodecError, UnreadableRecordError) as error:
                undecodable(record, error)
            else:
                topic, partition, offset, timestamp, _, _, _, arrival, _ = record
                sequence = NO_ARRIVAL if arrival is None else arrival
                decoded.append(incoming_record((topic, partition, offset, timestamp, key, value, headers, sequence)))
        return decoded

    return decode_all


def records_decoder(key: Codec, value: Codec) -> DecodeAll:
    """Return a function that decodes records of one partition like `record_decoder`: by column.

    Those around a record that cannot be decoded are decoded one by one.
    """
    each = each_decoded(record_decoder(key, value))
    if key.headers_read or value.headers_read:
        return each
    keys_of, values_of = DecodedKeys(key).decode_all, value.decode_all

    def decode_all(records: Sequence[LogRecord], undecodable: Callable[[LogRecord, Exception], None]) -> Sequence[IncomingRecord]:
        count = len(records)
        if count < _MIN_COLUMN:
            return each(records, undecodable)
        columns, arrivals, readable = _columns_of(records)
        try:
            if not readable:
                raise UnreadableRecordError  # noqa: TRY301 - like the errors of codecs
            decoded = RecordColumns(keys_of(columns.keys), values_of(columns.values), columns.timestamps, columns.headers)
        except CodecUnavailableError:
            raise
        except Exception:  # noqa: BLE001 - whatever it is, it is raised again, or that of a single record
            if count <= _LEAST_HALVED:
                return each(records, undecodable)
            half = count // 2
            return [*decode_all(records[:half], undecodable), *decode_all(records[half:], undecodable)]
        return IncomingColumns(columns.topic, columns.partition, columns.offsets, decoded, arrivals)

    return decode_all


def _columns_of(records: Sequence[LogRecord]) -> tuple[LogColumns, Sequence[int], bool]:
    """Return records of one partition by column, their arrival numbers, and whether the log could parse all of them."""
    if isinstance(records, LogColumns):
        return records, [NO_ARRIVAL] * len(records), True
    topics, partitions, offsets, timestamps, keys, values, headers, arrivals, problems = zip(*records, strict=True)
    columns = LogColumns(topics[0], partitions[0], offsets, timestamps, keys, values, headers)
    return columns, [NO_ARRIVAL if arrival is None else arrival for arrival in arrivals], problems.count(None) == len(records)


def repartitioned_decoder(key: Codec, value: Codec) -> DecodeRepartitioned:
    """Return a function that decodes the records of a repartition topic, many at once."""
    each, with_headers = record_decoder(key, value), bool(key.headers_read or value.headers_read)
    keys_of, values_of = DecodedKeys(key).decode_all, value.decode_all

    def decode_all(records: Sequence[LogRecord], partition: int, first: int) -> IncomingColumns:
        columns, arrivals, _ = _columns_of(records)
        found: Any = None
        if not with_headers:
            with suppress(CodecError):
                found = keys_of(columns.keys), values_of(columns.values), columns.headers
        if found is None:
            found = zip(*map(each, records), strict=True)  # raises the error of the first record that has one
        keys, values, headers = found
        decoded = RecordColumns(keys, values, columns.timestamps, headers)
        return IncomingColumns(columns.topic, partition, range(first, first + len(records)), decoded, arrivals)

    return decode_all
