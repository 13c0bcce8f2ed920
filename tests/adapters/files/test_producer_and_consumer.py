"""The producer and the consumer of topics in files, as `eddyline produce` and `eddyline consume` use them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from eddyline.adapters.files import consumer
from eddyline.adapters.files.consumer import FileConsumer
from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.memory import producer
from eddyline.adapters.memory.producer import LogProducer
from eddyline.application.ports.event_log import LogRecord, UnknownTopicError
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.ports.record_clients import DeliveryReport
from eddyline.application.runtime.plan.partitioner import partition_for


@pytest.fixture
def root(tmp_path: Path) -> Path:
    FileEventSink(tmp_path).create_topic("t", 3)
    return tmp_path


@pytest.fixture
def reports() -> list[DeliveryReport]:
    return []


@pytest.fixture
def producing(root: Path, reports: list[DeliveryReport]) -> LogProducer:
    return LogProducer(FileEventLog(root), FileEventSink(root), on_report=reports.append)


def record(value: bytes, key: bytes | None = None, partition: int | None = None) -> SinkRecord:
    return SinkRecord("t", key, value, 5, (), partition)


def written(root: Path) -> list[list[bytes | None]]:
    """Return the values of each partition."""
    log = FileEventLog(root)
    return [
        [found.value for batch in log.read("t", number, 0, log.end_offset("t", number)) for found in batch] for number in range(3)
    ]


def places(reports: Sequence[DeliveryReport]) -> list[tuple[str, int, int | None]]:
    return [report[:3] for report in reports]


def test_records_without_a_key_take_turns_and_are_reported_with_their_offsets(
    producing: LogProducer, reports: list[DeliveryReport], root: Path
) -> None:
    for value in (b"a", b"b", b"c", b"d"):
        producing.send(record(value))
    assert reports == []
    producing.poll(0)
    producing.send(record(b"e", partition=0))
    producing.poll(0)
    producing.poll(0)
    assert written(root) == [[b"a", b"d", b"e"], [b"b"], [b"c"]]
    assert places(reports) == [("t", 0, 0), ("t", 1, 0), ("t", 2, 0), ("t", 0, 1), ("t", 0, 2)]
    assert all(report.latency_ms >= 0 and report.error is None for report in reports)


def test_the_hash_of_the_key_chooses_the_partition(producing: LogProducer, root: Path) -> None:
    for key in (b"k", b"l", b"m", b"n"):
        producing.send(record(key, key))
    producing.flush()
    assert written(root) == [[key for key in (b"k", b"l", b"m", b"n") if partition_for(key, 3) == number] for number in range(3)]


def test_round_robin_ignores_keys(root: Path, reports: list[DeliveryReport]) -> None:
    producing = LogProducer(FileEventLog(root), FileEventSink(root), on_report=reports.append, partitioner="round-robin")
    for value in (b"a", b"b"):
        producing.send(record(value, b"k"))
    producing.flush()
    assert written(root) == [[b"a"], [b"b"], []]


def test_another_partitioner_is_an_error_with_the_choices(root: Path) -> None:
    with pytest.raises(
        ValueError, match="unknown partitioner 'murmur' for topics in files or memory; choose by-key or round-robin"
    ):
        LogProducer(FileEventLog(root), FileEventSink(root), on_report=print, partitioner="murmur")


@pytest.mark.parametrize("partition", [-1, 3])
def test_a_partition_that_the_topic_does_not_have_is_an_error(producing: LogProducer, partition: int) -> None:
    with pytest.raises(ValueError, match=rf"topic 't' has no partition {partition}; it has 0 to 2"):
        producing.send(record(b"a", partition=partition))


def test_records_are_written_when_a_batch_is_full(
    producing: LogProducer, reports: list[DeliveryReport], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(producer, "_BATCH", 2)
    for number, expected in ((1, 0), (2, 2), (3, 2), (4, 4)):
        producing.send(record(b"%d" % number, partition=2))
        assert len(reports) == expected
    assert places(reports) == [("t", 2, offset) for offset in range(4)]


def test_the_totals_have_the_number_of_records_and_percentiles_of_their_latency(
    producing: LogProducer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert producing.flush() == (0, 0, 0.0, 0.0)
    times = iter([float(number) for number in range(99, -1, -1)] + [100.0])
    monkeypatch.setattr("eddyline.adapters.memory.producer.time.monotonic", lambda: next(times))
    for number in range(100):
        producing.send(record(b"%d" % number))
    assert producing.flush() == (100, 0, 51_000.0, 100_000.0)


class Reading:
    """A consumer whose batches and assignments are collected; `then` is called after each batch."""

    def __init__(self, root: Path, then: Callable[[FileConsumer], Any] | None = None, **options: Any) -> None:
        given = {"start": ("committed", 0), "max_batch_records": 10, "until_end": True, **options}
        self.consumer = FileConsumer(root, "t", **given)
        self._then = then
        self.batches: list[tuple[int, list[bytes | None]]] = []
        self.assigned: list[Mapping[int, Sequence[tuple[str, int]]]] = []
        self.consumer.run(self._on_batch, self.assigned.append)

    def _on_batch(self, number: int, records: Sequence[LogRecord]) -> int:
        self.batches.append((number, [found.value for found in records]))
        if self._then is not None:
            self._then(self.consumer)
        return len(records)

    @property
    def values(self) -> list[bytes | None]:
        return [value for _, values in self.batches for value in values]


def fill(root: Path, *values: bytes, timestamps: Sequence[int] = (), partition: int = 0, batch: int = 0) -> None:
    records = [
        SinkRecord("t", None, value, timestamps[number] if timestamps else 5, (), partition)
        for number, value in enumerate(values)
    ]
    FileEventSink(root).write("w", 0, batch, records)


def test_all_partitions_are_read_to_their_ends(root: Path) -> None:
    fill(root, b"a", b"b", partition=0)
    fill(root, b"c", partition=2, batch=1)
    reading = Reading(root)
    assert reading.batches == [(1, [b"a", b"b"]), (1, [b"c"])]
    assert reading.assigned == [{1: [("t", 0), ("t", 1), ("t", 2)]}]


def test_batches_have_the_most_records_that_are_allowed(root: Path) -> None:
    fill(root, b"a", b"b", b"c", b"d", b"e")
    assert [values for _, values in Reading(root, max_batch_records=2).batches] == [[b"a", b"b"], [b"c", b"d"], [b"e"]]


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (("committed", 0), [b"a", b"b", b"c"]),
        (("beginning", 0), [b"a", b"b", b"c"]),
        (("end", 0), []),
        (("offset", 1), [b"b", b"c"]),
        (("offset", 9), []),
        (("time", 20), [b"b", b"c"]),
        (("time", 21), [b"c"]),
        (("time", 31), []),
    ],
)
def test_a_consumer_starts_where_its_option_says(root: Path, start: tuple[str, int], expected: list[bytes]) -> None:
    fill(root, b"a", b"b", b"c", timestamps=(10, 20, 30))
    assert Reading(root, start=start).values == expected


def test_a_consumer_stops_after_the_current_batch(root: Path) -> None:
    fill(root, b"a", b"b", b"c")
    assert Reading(root, FileConsumer.stop, max_batch_records=1, until_end=False).values == [b"a"]


def test_records_that_arrive_later_are_read_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumer, "_POLL_S", 0.0)
    fill(root, b"a")

    def then(consuming: FileConsumer) -> None:
        if FileEventLog(root).end_offset("t", 0) == 1:
            fill(root, b"b", partition=0, batch=1)
        else:
            consuming.stop()

    assert Reading(root, then, until_end=False).values == [b"a", b"b"]


def test_an_unknown_topic_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UnknownTopicError):
        Reading(tmp_path)
