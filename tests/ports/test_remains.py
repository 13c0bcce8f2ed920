"""What every place that applications leave things in does."""

from collections.abc import Sequence

import pytest

from eddyline.adapters.files.remains import FileRemains
from eddyline.adapters.kafka.remains import KafkaRemains
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.remains import MemoryRemains
from eddyline.application.operations.resetting import Outcome, reset
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.ports.remains import Application, Remains, Remnant
from tests.ports.places import FilesPlace, MemoryPlace, Place, values

APP = Application("app")
WRITER = "app-0a1b2c3d"


@pytest.fixture
def remains(place: Place, request: pytest.FixtureRequest) -> Remains:
    if isinstance(place, MemoryPlace):
        log = place.log()
        assert isinstance(log, MemoryEventLog)
        return MemoryRemains(log)
    if isinstance(place, FilesPlace):
        return FileRemains(request.getfixturevalue("tmp_path") / "topics")
    servers = request.getfixturevalue("swept_broker").bootstrap_servers
    return KafkaRemains(KafkaSettings({"bootstrap.servers": servers}))


def write(place: Place, topic: str, writer: str, batch: int, *given: bytes) -> bool:
    sink = place.sink()
    fresh = sink.write(writer, 0, batch, [SinkRecord(topic, b"k", value, 1) for value in given])
    sink.close()
    log = place.log()
    for partition in range(log.partitions(topic)):
        log.end_offset(topic, partition)  # this waits until Kafka's brokers are done with the batch
    return fresh


def removed(remains: Remains, application: Application) -> Sequence[Remnant]:
    shown: list[Remnant] = []

    def agree(found: Sequence[Remnant]) -> bool:
        shown.extend(found)
        return True

    reset([remains], application, agree)
    return shown


def test_where_nothing_was_done_nothing_is_left(place: Place, remains: Remains) -> None:
    topic = place.new_topic()
    assert remains.find(Application("app", [topic, "no-such-topic"])) == []


def test_a_batch_that_was_forgotten_is_new_again(place: Place, remains: Remains) -> None:
    topic = place.new_topic()
    assert write(place, topic, WRITER, 7, b"old")
    assert not write(place, topic, WRITER, 3, b"repeated")
    assert removed(remains, APP)
    assert remains.find(APP) == []
    assert write(place, topic, WRITER, 3, b"new")
    assert values(place.log(), topic) == [b"old", b"new"]


def test_what_is_of_another_application_stays(place: Place, remains: Remains) -> None:
    topic = place.new_topic()
    others = ["app-v2-0a1b2c3d", "ap-0a1b2c3d", "app-redrive", "app2-0a1b2c3d", "app-0a1b2c3", "0a1b2c3d"]
    for other in [*others, WRITER]:
        write(place, topic, other, 5, b"v")
    removed(remains, APP)
    assert [write(place, topic, other, 5, b"again") for other in others] == [False] * len(others)


def test_a_run_of_the_memory_engine_leaves_what_is_found_too(place: Place, remains: Remains) -> None:
    topic = place.new_topic()
    write(place, topic, "app-a3f0c2de-0000-4000-8000-123456789abc", 0, b"v")
    assert removed(remains, APP)
    assert remains.find(APP) == []


def test_topics_that_are_to_go_lose_their_records_and_stay_as_they_are(place: Place, remains: Remains) -> None:
    gone, kept = place.new_topic(partitions=3), place.new_topic()
    for topic in (gone, kept):
        write(place, topic, "somebody", 0 if topic == gone else 1, b"one", b"two")
    assert place.log().partitions(gone) == 3
    (remnant,) = removed(remains, Application("app", [gone]))
    assert "3 partitions" in remnant.size
    log = place.log()
    assert [values(log, gone, partition) for partition in range(log.partitions(gone))] == [[], [], []]
    assert values(log, kept) == [b"one", b"two"]
    assert remains.find(Application("app", [gone])) == []
    write(place, gone, "somebody", 2, b"new")
    assert [value for partition in range(3) for value in values(place.log(), gone, partition)] == [b"new"]


def test_what_is_gone_may_be_removed_again(place: Place, remains: Remains) -> None:
    topic = place.new_topic()
    write(place, topic, WRITER, 0, b"v")
    application = Application("app", [topic])
    for remnant in 2 * list(remains.find(application)):
        remains.remove(application, remnant)
    assert remains.find(application) == []


def test_nobody_is_asked_where_nothing_is_left_and_nothing_goes_where_nobody_agrees(place: Place, remains: Remains) -> None:
    def refuse(_found: Sequence[Remnant]) -> bool:
        return False

    def never(_found: Sequence[Remnant]) -> bool:
        pytest.fail("there is nothing to ask about")

    assert reset([remains], APP, never) is Outcome.CLEAN
    topic = place.new_topic()
    write(place, topic, WRITER, 7, b"old")
    assert reset([remains], APP, refuse) is Outcome.REFUSED
    assert not write(place, topic, WRITER, 7, b"old")
