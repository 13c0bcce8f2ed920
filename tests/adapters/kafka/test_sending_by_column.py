"""Records by column are passed to the producer as one by one, also when its buffer is full or it rejects some of them."""

from collections.abc import Iterator, Sequence
from typing import Any, cast, overload

import pytest
from confluent_kafka import KafkaError, KafkaException, Producer

from eddyline.adapters.kafka.errors import RecordsRejectedError
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.sink.partitioning import Partitioning
from eddyline.adapters.kafka.sink.record_sender import RecordSender
from eddyline.application.ports.event_sink import RecordsByColumn, Results, SinkRecord

SETTINGS = KafkaSettings({"bootstrap.servers": "127.0.0.1:1"})


class _Records(RecordsByColumn):
    def __init__(self, *results: Results) -> None:
        self._results = results

    def by_column(self) -> Sequence[Results]:
        return self._results

    def __iter__(self) -> Iterator[SinkRecord]:
        for each in self._results:
            yield from each.records()

    def __len__(self) -> int:
        return sum(len(found.keys) for found in self._results)

    @overload
    def __getitem__(self, index: int) -> SinkRecord: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[SinkRecord]: ...

    def __getitem__(self, index: int | slice) -> SinkRecord | Sequence[SinkRecord]:
        return list(self)[index]


class _Producer:
    """A producer whose buffer has room for some records until it is polled, and that rejects the value `bad`."""

    def __init__(self, room: int = 1_000) -> None:
        self.produced: list[tuple[Any, ...]] = []
        self._room, self._used = room, 0

    def __len__(self) -> int:
        return self._used

    def produce(self, topic: str, value: bytes | None, key: bytes | None, partition: int, *rest: Any) -> None:
        _, _, timestamp, *headers = rest
        if self._used >= self._room:
            raise BufferError
        if value == b"bad":
            raise KafkaException(KafkaError(KafkaError.MSG_SIZE_TOO_LARGE))
        self._used += 1
        self.produced.append((topic, key, value, timestamp, headers[0] if headers else None, partition))

    def poll(self, _timeout_s: float) -> None:
        self._used = 0


def _results(*values: bytes | None, **fields: Any) -> Results:
    count = len(values)
    columns = {"keys": [b"k%d" % n for n in range(count)], "timestamps": [*range(1, count + 1)], "headers": [()] * count}
    return Results(topic="t", values=values, **{"partition": None, **columns, **fields})


def _sent(records: Sequence[SinkRecord], room: int = 1_000, strategy: str = "by-key") -> list[tuple[Any, ...]]:
    producer = _Producer(room)
    RecordSender(SETTINGS).send(cast("Producer", producer), records, Partitioning(strategy, SETTINGS, lambda *_: 3))
    return producer.produced


RECORDS = {
    "by key": _results(b"a", None, b"c", b"d", b"e"),
    "to a partition": _results(b"a", b"b", b"c", partition=2),
    "without keys": _results(b"a", b"b", b"c", keys=[None, b"k", None]),
    "with headers": _results(b"a", b"b", headers=[(), (("h", b"x"),)]),
    "at time 0": _results(b"a", b"b", timestamps=[5, 0]),
}


@pytest.mark.parametrize("room", [1, 2, 1_000])
@pytest.mark.parametrize("strategy", ["by-key", "round-robin"])
@pytest.mark.parametrize("results", RECORDS.values(), ids=RECORDS)
def test_records_by_column_are_sent_as_one_by_one(results: Results, strategy: str, room: int) -> None:
    records = _Records(results, results)
    assert _sent(records, room, strategy) == _sent(list(records), room, strategy)


def test_a_rejected_record_does_not_keep_those_after_it_from_being_sent() -> None:
    producer = _Producer()
    with pytest.raises(RecordsRejectedError, match="k1") as raised:
        RecordSender(SETTINGS).send(
            cast("Producer", producer), _Records(_results(b"a", b"bad", b"c")), Partitioning("by-key", SETTINGS, lambda *_: 3)
        )
    assert list(raised.value.rejected) == [("t", b"k1", b"bad")]
    assert [value for _, _, value, *_ in producer.produced] == [b"a", b"c"]


def test_records_by_column_are_not_looked_at_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Partitioning, "choose", None)
    assert len(_sent(_Records(RECORDS["by key"], RECORDS["to a partition"]))) == 8
