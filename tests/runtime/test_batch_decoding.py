"""Records that are decoded many at once are those that are decoded one by one."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.ports.codec import Codec, CodecError, CodecUnavailableError
from eddyline.application.ports.event_log import Headers, LogRecord
from eddyline.application.runtime.input.batch_decoding import each_decoded, records_decoder, repartitioned_decoder
from eddyline.application.runtime.input.decoding import DecodedKeys, record_decoder
from eddyline.application.runtime.input.interruption import ChunkSize
from eddyline.application.runtime.input.record_queue import NO_ARRIVAL, DecodeAll, IncomingRecord, LogQueue, OffsetRange
from eddyline.application.runtime.plan import encoding


class Text(Codec):
    """Decodes text, to upper case if there is the header that it reads."""

    def __init__(self, *headers: str) -> None:
        self.headers_read = frozenset(headers)

    def encode(self, value: Any) -> bytes | None:
        raise NotImplementedError

    def decode(self, data: bytes | None, headers: Headers = ()) -> Any:
        if data == b"bad":
            raise CodecError("bad")
        if data == b"down":
            raise CodecUnavailableError("the registry is down")
        text = None if data is None else data.decode()
        return text.upper() if text and self.headers_read & dict(headers).keys() else text


class ChunkedLog(MemoryEventLog):
    """Returns batches of seven records."""

    def read(self, topic: str, partition: int, start: int, end: int) -> Iterator[Sequence[LogRecord]]:
        read = super().read
        return (batch for first in range(start, end, 7) for batch in read(topic, partition, first, min(first + 7, end)))


BLOBS = st.sampled_from([None, b"a", b"b", b"bad", b"x" * 300])
RECORDS = st.lists(st.tuples(BLOBS, BLOBS, st.sampled_from([(), (("how", b"x"), ("trace", b"y"))]), st.booleans()), max_size=20)


@pytest.mark.parametrize("headers", [(), ("how",)])
@given(RECORDS, st.integers(2, 9), st.integers(0, 3), st.lists(st.integers(1, 5)))
def test_a_queue_that_decodes_many_at_once_has_the_records_of_one_that_decodes_one_by_one(
    headers: tuple[str, ...], records: list[Any], size: int, start: int, takes: list[int]
) -> None:
    log = ChunkedLog()
    log.create_topic("t", 1)
    for number, (key, value, own, broken) in enumerate(records):
        arrival = number if number % 2 else None
        log.append("t", key, value, number * 10, own, arrival=arrival, error="torn" if broken else None)
    start = min(start, len(records))
    key, value = Text(), Text(*headers)

    def states(decode_all: DecodeAll, size: int) -> dict[int, tuple[Any, ...]]:
        """Return the state of the queue by how many records were taken from it."""
        refused: list[tuple[int, str]] = []
        queue = LogQueue(
            log,
            OffsetRange("t", 0, start, len(records)),
            decode_all,
            lambda record, error: refused.append((record.offset, str(error))),
            size=ChunkSize(limit=size),
        )
        found: list[IncomingRecord] = []
        by_taken: dict[int, tuple[Any, ...]] = {0: (queue.head, queue.position, (), tuple(refused))}
        left = list(takes)
        while queue.head is not None:
            count = min(left.pop(), len(queue.records) - queue.at) if left else 1
            found += queue.take(count)
            queue.report_undecodable()
            by_taken[queue.taken] = (queue.head, queue.position, tuple(found), tuple(refused))
        assert queue.taken == len(found)
        return by_taken

    one_by_one = states(each_decoded(record_decoder(key, value)), 1)
    for decode_all in (records_decoder(key, value), each_decoded(record_decoder(key, value))):
        found = states(decode_all, size)
        assert {taken: one_by_one[taken] for taken in found} == found
        assert max(found) == max(one_by_one)


@given(st.sets(st.integers(0, 399), max_size=5), st.sets(st.integers(0, 399), max_size=5))
def test_records_that_cannot_be_decoded_are_found_among_many(bad: set[int], torn: set[int]) -> None:
    records = [
        LogRecord("t", 0, offset, 0, b"k", b"bad" if offset in bad else b"a", error="torn" if offset in torn else None)
        for offset in range(400)
    ]
    found = []
    for decode_all in (records_decoder(Text(), Text()), each_decoded(record_decoder(Text(), Text()))):
        refused: list[tuple[int, str]] = []
        decoded = decode_all(records, lambda record, error, to=refused: to.append((record.offset, str(error))))  # type: ignore[misc]
        found.append((list(decoded), refused))
    assert found[0] == found[1]
    assert {offset for offset, _ in found[0][1]} == bad | torn


def test_a_codec_that_is_unavailable_does_not_make_a_record_undecodable() -> None:
    records = [LogRecord("t", 0, offset, 0, None, value) for offset, value in enumerate([b"a", b"b", b"a", b"a", b"down"])]
    for decode_all in (records_decoder(Text(), Text()), each_decoded(record_decoder(Text(), Text()))):
        with pytest.raises(CodecUnavailableError):
            decode_all(records, lambda record, _error: pytest.fail(f"{record} is undecodable"))


@pytest.mark.parametrize("headers", [(), ("how",)])
@given(RECORDS.filter(bool), st.integers(0, 3), st.integers(0, 9))
def test_records_of_a_repartition_topic_are_decoded_as_one_by_one(
    headers: tuple[str, ...], records: list[Any], partition: int, first: int
) -> None:
    key, value = Text(), Text(*headers)
    decode = record_decoder(key, value)
    given = [
        LogRecord("t", 9, 0, number * 10, key_data, value_data, own, number if number % 2 else None)
        for number, (key_data, value_data, own, _) in enumerate(records)
    ]

    def one_by_one() -> list[IncomingRecord]:
        found = []
        for offset, record in enumerate(given, first):
            arrival = NO_ARRIVAL if record.arrival is None else record.arrival
            key_of, value_of, remaining = decode(record)
            found.append(IncomingRecord("t", partition, offset, record.timestamp, key_of, value_of, remaining, arrival))
        return found

    if any(b"bad" in (key_data, value_data) for key_data, value_data, *_ in records):
        with pytest.raises(CodecError):
            repartitioned_decoder(key, value)(given, partition, first)
    else:
        assert list(repartitioned_decoder(key, value)(given, partition, first)) == one_by_one()


def test_many_records_of_a_repartition_topic_are_decoded() -> None:
    records = [LogRecord("t", 0, 0, number, str(number).encode(), b"v") for number in range(10_000)]
    found = repartitioned_decoder(Text(), Text())(records, 2, 5)
    assert [(record.offset, record.key) for record in found] == [(number + 5, str(number)) for number in range(10_000)]


@given(st.lists(BLOBS.filter(lambda data: data != b"bad") | st.integers(0, 30).map(lambda number: str(number).encode())))
def test_many_keys_are_decoded_as_one_by_one(column: list[bytes | None]) -> None:
    keys = DecodedKeys(Text())
    expected = [None if data is None else data.decode() for data in column]
    assert keys.decode_all(column[:7]) == expected[:7]
    assert keys.decode_all(column) == expected
    assert b"x" * 300 not in keys


def test_a_column_of_different_keys_is_not_looked_up_among_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "_AT_HAND", 4)
    keys, column = DecodedKeys(Text()), [b"k%d" % number for number in range(8)]
    few = column[:1] * 6 + column[1:3]
    for some in (few, column[:5] + few[:3]):
        assert keys.decode_all(some) == [data.decode() for data in some]
    first, second = keys.decode_all(column), keys.decode_all(column)
    assert first == second == [data.decode() for data in column]
    assert first[0] is not second[0]
    assert column[7] not in keys
