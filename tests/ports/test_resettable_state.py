"""What every place that applications leave things in does."""

from collections.abc import Sequence

import pytest

from eddyline.adapters.files.resettable_state import FileResettableState
from eddyline.adapters.kafka.resettable_state import KafkaResettableState
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.resettable_state import MemoryResettableState
from eddyline.application.operations.resetting import Outcome, reset
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.ports.resettable_state import Application, Artifact, ResettableState
from tests.ports.places import FilesPlace, MemoryPlace, Place, values

APP = Application("app")
WRITER = "app-0a1b2c3d"


@pytest.fixture
def state(place: Place, request: pytest.FixtureRequest) -> ResettableState:
    if isinstance(place, MemoryPlace):
        log = place.log()
        assert isinstance(log, MemoryEventLog)
        return MemoryResettableState(log)
    if isinstance(place, FilesPlace):
        return FileResettableState(request.getfixturevalue("tmp_path") / "topics")
    servers = request.getfixturevalue("swept_broker").bootstrap_servers
    return KafkaResettableState(KafkaSettings({"bootstrap.servers": servers}))


def write(place: Place, topic: str, writer: str, batch: int, *given: bytes) -> bool:
    sink = place.sink()
    fresh = sink.write(writer, 0, batch, [SinkRecord(topic, b"k", value, 1) for value in given])
    sink.close()
    log = place.log()
    for partition in range(log.partitions(topic)):
        log.end_offset(topic, partition)  # this waits until Kafka's brokers are done with the batch
    return fresh


def removed(state: ResettableState, application: Application) -> Sequence[Artifact]:
    shown: list[Artifact] = []

    def agree(found: Sequence[Artifact]) -> bool:
        shown.extend(found)
        return True

    reset([state], application, agree)
    return shown


def test_where_nothing_was_done_nothing_is_left(place: Place, state: ResettableState) -> None:
    topic = place.new_topic()
    assert state.find(Application("app", [topic, "no-such-topic"])) == []


def test_a_batch_that_was_forgotten_is_new_again(place: Place, state: ResettableState) -> None:
    topic = place.new_topic()
    assert write(place, topic, WRITER, 7, b"old")
    assert not write(place, topic, WRITER, 3, b"repeated")
    assert removed(state, APP)
    assert state.find(APP) == []
    assert write(place, topic, WRITER, 3, b"new")
    assert values(place.log(), topic) == [b"old", b"new"]


def test_what_is_of_another_application_stays(place: Place, state: ResettableState) -> None:
    topic = place.new_topic()
    others = ["app-v2-0a1b2c3d", "ap-0a1b2c3d", "app-redrive", "app2-0a1b2c3d", "app-0a1b2c3", "0a1b2c3d"]
    for other in [*others, WRITER]:
        write(place, topic, other, 5, b"v")
    removed(state, APP)
    assert [write(place, topic, other, 5, b"again") for other in others] == [False] * len(others)


def test_a_run_of_the_memory_engine_leaves_what_is_found_too(place: Place, state: ResettableState) -> None:
    topic = place.new_topic()
    write(place, topic, "app-a3f0c2de-0000-4000-8000-123456789abc", 0, b"v")
    assert removed(state, APP)
    assert state.find(APP) == []


def test_topics_that_are_to_go_lose_their_records_and_stay_as_they_are(place: Place, state: ResettableState) -> None:
    gone, kept = place.new_topic(partitions=3), place.new_topic()
    for topic in (gone, kept):
        write(place, topic, "somebody", 0 if topic == gone else 1, b"one", b"two")
    assert place.log().partitions(gone) == 3
    (artifact,) = removed(state, Application("app", [gone]))
    assert "3 partitions" in artifact.size
    log = place.log()
    assert [values(log, gone, partition) for partition in range(log.partitions(gone))] == [[], [], []]
    assert values(log, kept) == [b"one", b"two"]
    assert state.find(Application("app", [gone])) == []
    write(place, gone, "somebody", 2, b"new")
    assert [value for partition in range(3) for value in values(place.log(), gone, partition)] == [b"new"]


def test_what_is_gone_may_be_removed_again(place: Place, state: ResettableState) -> None:
    topic = place.new_topic()
    write(place, topic, WRITER, 0, b"v")
    application = Application("app", [topic])
    for artifact in 2 * list(state.find(application)):
        state.remove(application, artifact)
    assert state.find(application) == []


def test_nobody_is_asked_where_nothing_is_left_and_nothing_goes_where_nobody_agrees(place: Place, state: ResettableState) -> None:
    def refuse(_found: Sequence[Artifact]) -> bool:
        return False

    def never(_found: Sequence[Artifact]) -> bool:
        pytest.fail("there is nothing to ask about")

    assert reset([state], APP, never) is Outcome.CLEAN
    topic = place.new_topic()
    write(place, topic, WRITER, 7, b"old")
    assert reset([state], APP, refuse) is Outcome.REFUSED
    assert not write(place, topic, WRITER, 7, b"old")
