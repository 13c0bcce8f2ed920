"""Fetching ahead of the ranges that are read: with a consumer in memory, and with the readers of Kafka."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence

import pytest
from confluent_kafka import KafkaError, Message, TopicPartition
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.adapters.kafka.log import partition_reader
from eddyline.adapters.kafka.log.partition_reader import PartitionReader
from eddyline.adapters.kafka.log.read_ahead import ReadAhead
from eddyline.adapters.kafka.settings import KafkaSettings
from tests.fixtures.examples import examples

_RECORDS = 12_000
_DEADLINE_S = 120.0


class MemoryConsumer:
    """A consumer of a partition whose offsets with a remainder of 7 are not records, as those of markers."""

    def __init__(self) -> None:
        self.position = 0
        self.consumed_by: list[str] = []
        self._at_end = False

    def assign(self, partitions: Sequence[TopicPartition]) -> None:
        self.position, self._at_end = partitions[0].offset, False

    def consume(self, count: int, timeout_s: float) -> list[Message]:
        del timeout_s
        self.consumed_by.append(threading.current_thread().name)
        found = [offset for offset in range(self.position, _RECORDS) if offset % 10 != 7][:count]
        if found:
            self.position = found[-1] + 1
            return [Message(topic="t", partition=0, offset=offset, value=b"%d" % offset) for offset in found]
        if self._at_end:
            return []
        self._at_end = True
        return [Message(topic="t", partition=0, offset=_RECORDS, error=KafkaError(KafkaError._PARTITION_EOF))]  # noqa: SLF001

    def close(self) -> None:
        """Nothing is to be closed."""


class Endless:
    """A reader that fetches 10 bytes whenever it may."""

    def __init__(self) -> None:
        self.fetched = 0
        self.fetching = False

    def fetch_ahead(self, budget: int) -> int | None:
        if budget < 10:
            return None
        self.fetching = True
        time.sleep(0.001)
        self.fetched += 10
        self.fetching = False
        return 10


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[PartitionReader, MemoryConsumer]]:
    consumer = MemoryConsumer()
    monkeypatch.setattr(partition_reader, "new_consumer", lambda *_args, **_options: consumer)
    found = PartitionReader(KafkaSettings({"bootstrap.servers": "127.0.0.1:1"}), "t", 0)
    yield found, consumer
    found.close()


def _offsets(reader: PartitionReader, start: int, end: int) -> list[int]:
    return [record.offset for batch in reader.read(start, end, 1.0) for record in batch]


def _expected(start: int, end: int) -> list[int]:
    return [offset for offset in range(start, end) if offset % 10 != 7]


def _wait_until(reached: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _DEADLINE_S
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_the_range_after_a_long_one_is_fetched_meanwhile(reader: tuple[PartitionReader, MemoryConsumer]) -> None:
    found, consumer = reader
    assert _offsets(found, 0, 5_000) == _expected(0, 5_000)
    _wait_until(lambda: consumer.position >= 9_000)
    consumer.consumed_by.clear()
    assert _offsets(found, 5_000, 9_000) == _expected(5_000, 9_000)
    assert threading.current_thread().name not in consumer.consumed_by


def test_nothing_is_fetched_ahead_of_a_short_range(reader: tuple[PartitionReader, MemoryConsumer]) -> None:
    found, consumer = reader
    _offsets(found, 0, 1_000)
    position = consumer.position
    time.sleep(0.1)
    assert consumer.position == position


def test_a_range_elsewhere_drops_what_was_fetched(reader: tuple[PartitionReader, MemoryConsumer]) -> None:
    found, consumer = reader
    _offsets(found, 0, 5_000)
    _wait_until(lambda: consumer.position >= 8_000)
    assert _offsets(found, 100, 700) == _expected(100, 700)


@settings(max_examples=examples(50), deadline=None)
@given(st.lists(st.integers(0, _RECORDS), min_size=1, max_size=6), st.booleans())
def test_ranges_have_the_same_records_whatever_was_fetched_before(limits: list[int], pause: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partition_reader, "new_consumer", lambda *_args, **_options: MemoryConsumer())
        found, start = PartitionReader(KafkaSettings({"bootstrap.servers": "127.0.0.1:1"}), "t", 0), 0
        for end in [*sorted(limits), _RECORDS]:
            assert _offsets(found, start, end) == _expected(start, end)
            start = end
            if pause:
                time.sleep(0.002)
        found.close()


def test_a_closed_reader_returns_what_it_has_kept_to_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    ahead, consumer = ReadAhead(1 << 20), MemoryConsumer()
    monkeypatch.setattr(partition_reader, "READ_AHEAD", ahead)
    monkeypatch.setattr(partition_reader, "new_consumer", lambda *_args, **_options: consumer)
    found = PartitionReader(KafkaSettings({"bootstrap.servers": "127.0.0.1:1"}), "t", 0)
    _offsets(found, 0, 5_000)
    _wait_until(lambda: consumer.position >= 8_000 and ahead.kept > 0)
    found.close()
    assert ahead.kept == 0


def test_readers_fetch_only_while_no_range_is_read_and_until_the_budget_is_spent() -> None:
    ahead, source, other = ReadAhead(budget=1_000), Endless(), Endless()
    ahead.begin_range()
    ahead.follow(source)
    ahead.follow(other)
    time.sleep(0.05)
    assert (source.fetched, other.fetched) == (0, 0)
    ahead.end_range()
    _wait_until(lambda: source.fetched > 0 and other.fetched > 0)
    ahead.begin_range()
    assert not source.fetching
    assert not other.fetching
    before = source.fetched + other.fetched
    time.sleep(0.05)
    assert source.fetched + other.fetched == before
    ahead.end_range()
    _wait_until(lambda: source.fetched + other.fetched == 1_000)


def test_the_thread_of_a_process_survives_a_reader_that_fails() -> None:
    class Failing:
        def fetch_ahead(self, budget: int) -> int | None:
            raise ValueError(budget)

    ahead, source = ReadAhead(), Endless()
    ahead.follow(Failing())
    ahead.follow(source)
    _wait_until(lambda: source.fetched > 0)
    ahead.forget(source)
