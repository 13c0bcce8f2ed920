"""Decodes many records of a topic at once, in less time than one by one."""

from collections.abc import Callable, Sequence

from eddyline.application.ports.codec import Codec, CodecError
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.runtime.decoding import Decode, DecodedKeys, TopicDecoders, UnreadableRecordError, record_decoder
from eddyline.application.runtime.record_queue import NO_ARRIVAL, DecodeAll, IncomingRecord, incoming_record
from eddyline.application.runtime.trace_contexts import TraceContexts


class BatchDecoders:
    """The decoders of many records of the topics that a task reads from the log, each created on first use.

    Args:
        decoders: Decode single records.
        traces: Collects the trace contexts of the records, if there is one.
    """

    def __init__(self, decoders: TopicDecoders, traces: TraceContexts | None) -> None:
        self._decoders, self._traces = decoders, traces
        self._found: dict[str, DecodeAll] = {}

    def of_source(self, topic: str) -> DecodeAll:
        """Return the decoder of a source topic, or of the clock topic."""
        found = self._found.get(topic)
        if found is None:
            found = self._found[topic] = self._decoder(topic)
        return found

    def _decoder(self, topic: str) -> DecodeAll:
        if self._traces is not None:
            return each_decoded(self._traces.collecting(self._decoders.of_source(topic)))
        if self._decoders.is_clock(topic):
            return each_decoded(self._decoders.of_source(topic))
        return records_decoder(*self._decoders.codecs_of_source(topic))


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
    """Return a function that decodes records like `record_decoder`."""
    if key.headers_read or value.headers_read:
        return each_decoded(record_decoder(key, value))
    keys, value_of = DecodedKeys(key), value.decode

    def decode_all(records: Sequence[LogRecord], undecodable: Callable[[LogRecord, Exception], None]) -> list[IncomingRecord]:
        decoded: list[IncomingRecord] = []
        append = decoded.append
        for record in records:
            topic, partition, offset, timestamp, data, value_data, headers, arrival, problem = record
            try:
                if problem is not None:
                    raise UnreadableRecordError(problem)  # noqa: TRY301 - like the errors of codecs
                sequence = NO_ARRIVAL if arrival is None else arrival
                fields = topic, partition, offset, timestamp, keys[data], value_of(value_data), headers, sequence
            except (CodecError, UnreadableRecordError) as error:
                undecodable(record, error)
            else:
                append(incoming_record(fields))
        return decoded

    return decode_all
