"""What the feed of the local engine says of partitions, and when."""

import time
from collections.abc import Callable, Iterator

import pytest

from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.streams.feed import KafkaFeed
from eddyline.adapters.kafka.topics import Topics
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.ports.task_streams import Available
from tests.adapters.kafka.conftest import Write

QUIET_S = 0.5
RECORD_BYTES = 900_000


@pytest.fixture
def feed(settings: KafkaSettings) -> Iterator[KafkaFeed]:
    feed = KafkaFeed(settings)
    yield feed
    feed.close()


def polled_until(feed: KafkaFeed, done: Callable[[Available], bool]) -> Available:
    """Return the first answer for which `done` is true."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        available = feed.poll(0.1, 1_000)
        if done(available):
            return available
    pytest.fail("the feed has not answered so")


def test_an_end_is_announced_once_however_often_the_brokers_are_asked(
    feed: KafkaFeed, topics: Topics, write: Write, name: str
) -> None:
    topics.create(name, 2)
    first, second = TopicPartition(name, 0), TopicPartition(name, 1)
    write(name, [b"a", b"b"])
    feed.seek({first: 0, second: 0})
    ends: dict[TopicPartition, int] = {}

    def all_read(available: Available) -> bool:
        ends.update(available.ends)
        return not available.more

    polled_until(feed, all_read)
    assert ends == {first: 2, second: 0}
    assert [record.value for batch in feed.read(name, 0, 0, 2) for record in batch] == [b"a", b"b"]
    feed.release(first, 2)
    deadline = time.monotonic() + QUIET_S
    while time.monotonic() < deadline:
        assert not feed.poll(0.05, 1_000).ends
    write(name, [b"c"], partition=1)
    found = polled_until(feed, lambda available: bool(available.ends))
    assert (found.ends, set(found.more)) == ({second: 1}, set())


def test_what_is_kept_is_limited_in_bytes_and_nothing_is_lost(
    settings: KafkaSettings, topics: Topics, write: Write, name: str
) -> None:
    topics.create(name, 2)
    large, small = TopicPartition(name, 0), TopicPartition(name, 1)
    values = [b"%03d" % number + bytes(RECORD_BYTES) for number in range(80)]
    for part in range(0, len(values), 10):
        write(name, values[part : part + 10])
    feed = KafkaFeed(settings, most_bytes=8 * RECORD_BYTES)
    feed.seek({large: 0, small: 0})
    found: list[bytes] = []
    position = end = most = 0
    quiet_since = time.monotonic()
    while len(found) < len(values):
        announced = feed.poll(0.05, 1_000).ends.get(large)
        if announced is not None:
            end, quiet_since = announced, time.monotonic()
        most = max(most, end - position)
        if time.monotonic() - quiet_since > QUIET_S:
            found += [record.value or b"" for batch in feed.read(name, 0, position, end) for record in batch]
            feed.release(large, end)
            position, quiet_since = end, time.monotonic()
            write(name, [b"small"], partition=1)
    feed.close()
    assert found == values
    assert most < len(values) * 3 // 4


def test_the_end_after_records_that_were_never_committed_is_announced(
    feed: KafkaFeed, topics: Topics, write_in_transaction: Write, name: str
) -> None:
    topics.create(name, 1)
    partition = TopicPartition(name, 0)
    write_in_transaction(name, [b"a"])
    feed.seek({partition: 0})
    polled_until(feed, lambda available: available.ends == {partition: 2} and not available.more)
    write_in_transaction(name, [b"never", b"never"], end="abort")
    polled_until(feed, lambda available: available.ends == {partition: 5} and not available.more)
