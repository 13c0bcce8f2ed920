"""The contract of the resettable state, tested on every adapter that belongs to an event log."""

from collections.abc import Sequence

import pytest

from eddyline.adapters.files.resettable_state import FileResettableState
from eddyline.adapters.kafka.resettable_state import KafkaResettableState
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.resettable_state import MemoryResettableState
from eddyline.application.operations.reset import Outcome, reset
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.ports.resettable_state import Application, Artifact, ResettableState
from tests.ports.environments import Environment, FileEnvironment, MemoryEnvironment, values

APP = Application("app")
WRITER = "app-0a1b2c3d"

pytestmark = pytest.mark.parametrize(
    "environment", ["memory", "files", pytest.param("kafka", marks=pytest.mark.services)], indirect=True
)


@pytest.fixture
def state(environment: Environment, request: pytest.FixtureRequest) -> ResettableState:
    if isinstance(environment, MemoryEnvironment):
        log = environment.log()
        assert isinstance(log, MemoryEventLog)
        return MemoryResettableState(log)
    if isinstance(environment, FileEnvironment):
        return FileResettableState(request.getfixturevalue("tmp_path") / "topics")
    servers = request.getfixturevalue("clean_broker").bootstrap_servers
    return KafkaResettableState(KafkaSettings({"bootstrap.servers": servers}))


def write(environment: Environment, topic: str, writer: str, batch: int, *contents: bytes) -> bool:
    sink = environment.sink()
    was_written = sink.write(writer, 0, batch, [SinkRecord(topic, b"k", value, 1) for value in contents])
    sink.close()
    log = environment.log()
    for partition in range(log.partitions(topic)):
        log.end_offset(topic, partition)  # waits until the batch is visible on Kafka
    return was_written


def remove_all(state: ResettableState, application: Application) -> Sequence[Artifact]:
    artifacts: list[Artifact] = []

    def confirm(found: Sequence[Artifact]) -> bool:
        artifacts.extend(found)
        return True

    reset([state], application, confirm)
    return artifacts


def test_an_application_that_never_ran_has_no_artifacts(environment: Environment, state: ResettableState) -> None:
    topic = environment.new_topic()
    assert state.find(Application("app", [topic, "no-such-topic"])) == []


def test_after_a_reset_the_batch_numbers_start_again(environment: Environment, state: ResettableState) -> None:
    topic = environment.new_topic()
    assert write(environment, topic, WRITER, 7, b"old")
    assert not write(environment, topic, WRITER, 3, b"repeated")
    assert remove_all(state, APP)
    assert state.find(APP) == []
    assert write(environment, topic, WRITER, 3, b"new")
    assert values(environment.log(), topic) == [b"old", b"new"]


def test_the_state_of_other_applications_is_kept(environment: Environment, state: ResettableState) -> None:
    topic = environment.new_topic()
    others = ["app-v2-0a1b2c3d", "ap-0a1b2c3d", "app-redrive", "app2-0a1b2c3d", "app-0a1b2c3", "0a1b2c3d"]
    for other in [*others, WRITER]:
        write(environment, topic, other, 5, b"v")
    remove_all(state, APP)
    assert [write(environment, topic, other, 5, b"again") for other in others] == [False] * len(others)


def test_the_state_of_a_run_of_the_memory_engine_is_removed_too(environment: Environment, state: ResettableState) -> None:
    topic = environment.new_topic()
    write(environment, topic, "app-a3f0c2de-0000-4000-8000-123456789abc", 0, b"v")
    assert remove_all(state, APP)
    assert state.find(APP) == []


def test_the_given_topics_are_emptied_and_keep_their_partitions(environment: Environment, state: ResettableState) -> None:
    emptied, kept = environment.new_topic(partitions=3), environment.new_topic()
    for topic in (emptied, kept):
        write(environment, topic, "another-writer", 0 if topic == emptied else 1, b"one", b"two")
    assert environment.log().partitions(emptied) == 3
    (artifact,) = remove_all(state, Application("app", [emptied]))
    assert "3 partitions" in artifact.size
    log = environment.log()
    assert [values(log, emptied, partition) for partition in range(log.partitions(emptied))] == [[], [], []]
    assert values(log, kept) == [b"one", b"two"]
    assert state.find(Application("app", [emptied])) == []
    write(environment, emptied, "another-writer", 2, b"new")
    assert [value for partition in range(3) for value in values(environment.log(), emptied, partition)] == [b"new"]


def test_internal_topics_are_deleted(environment: Environment, state: ResettableState) -> None:
    internal, kept = environment.new_topic(partitions=2), environment.new_topic()
    for topic in (internal, kept):
        write(environment, topic, "another-writer", 0 if topic == internal else 1, b"v")
    application = Application("app", internal_topics=[internal, "no-such-topic"])
    (artifact,) = remove_all(state, application)
    assert (artifact.kind, artifact.size) == ("internal topic", "2 partitions")
    assert artifact.location.endswith(internal)
    state.remove(application, artifact)
    assert state.find(application) == []
    assert internal not in environment.log().topics()
    assert values(environment.log(), kept) == [b"v"]
    environment.sink().create_topic(internal, 3)
    assert [values(environment.log(), internal, partition) for partition in range(3)] == [[], [], []]


def test_removing_an_artifact_twice_does_nothing(environment: Environment, state: ResettableState) -> None:
    topic = environment.new_topic()
    write(environment, topic, WRITER, 0, b"v")
    application = Application("app", [topic])
    for artifact in 2 * list(state.find(application)):
        state.remove(application, artifact)
    assert state.find(application) == []


def test_nothing_is_removed_without_confirmation_and_none_is_asked_for_if_there_is_nothing(
    environment: Environment, state: ResettableState
) -> None:
    def decline(_found: Sequence[Artifact]) -> bool:
        return False

    def fail(_found: Sequence[Artifact]) -> bool:
        pytest.fail("there is nothing to confirm")

    assert reset([state], APP, fail) is Outcome.NOTHING_TO_DO
    topic = environment.new_topic()
    write(environment, topic, WRITER, 7, b"old")
    assert reset([state], APP, decline) is Outcome.DECLINED
    assert not write(environment, topic, WRITER, 7, b"old")
