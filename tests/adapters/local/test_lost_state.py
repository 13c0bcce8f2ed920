"""State that was lost in the log ends a run, as a lost position does."""

from pathlib import Path

import pytest

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.local.restoring import StateMismatchError
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.runtime.plan.options import RunPorts
from eddyline.application.topology import TopologyBuilder
from tests.adapters.local.running import engine_of
from tests.adapters.local.test_moved_state import state_of
from tests.adapters.memory.running import built, fill, values


def counted(builder: TopologyBuilder) -> None:
    builder.stream("a", key=str, value=str).group_by_key().count(store="counts").to_stream().to("out")


@pytest.fixture
def log() -> MemoryEventLog:
    log = MemoryEventLog()
    fill(log, "a", (b"x", 1, 0), (b"x", 2, 1))
    engine_of(built(counted), log).run_available_now()
    return log


@pytest.mark.parametrize("deleted", [True, False])
def test_a_changelog_that_was_deleted_or_emptied_ends_the_run_and_is_not_exported(log: MemoryEventLog, *, deleted: bool) -> None:
    if deleted:
        log.delete_topic("app-counts-changelog")
    else:
        log.clear("app-counts-changelog")
    lost = r"topic 'app-counts-changelog', partition 0, has offsets 0 to 0, but .* at least 1 records; .* run 'eddyline reset'"
    with pytest.raises(StateMismatchError, match=lost):
        engine_of(built(counted), log).run_available_now()
    with pytest.raises(StateMismatchError, match=lost):
        state_of(built(counted), log).exported()
    assert values(log, "out") == [b"1", b"2"]


def test_records_of_tasks_that_were_deleted_end_the_run(log: MemoryEventLog) -> None:
    log.delete_topic("app-tasks")
    with pytest.raises(StateMismatchError, match="the topic with their positions, 'app-tasks', has none"):
        engine_of(built(counted), log).run_available_now()
    assert values(log, "out") == [b"1", b"2"]


class Shortened(MemoryEventLog):
    """A log in which a retention has deleted the first record of a topic."""

    topic = ""

    def beginning_offset(self, topic: str, partition: int) -> int:
        return 1 if topic == self.topic else super().beginning_offset(topic, partition)

    def bounds(self, topic: str, partition: int) -> tuple[int, int]:
        return self.beginning_offset(topic, partition), self.end_offset(topic, partition)


@pytest.mark.parametrize("topic", ["app-tasks", "app-counts-changelog"])
def test_a_topic_whose_first_records_were_deleted_ends_the_run(topic: str) -> None:
    log = Shortened()
    fill(log, "a", (b"x", 1, 0), (b"x", 2, 1))
    engine_of(built(counted), log).run_available_now()
    log.topic = topic
    with pytest.raises(StateMismatchError, match=rf"topic '{topic}', partition 0, has offsets 1 to \d, .* those before 1; "):
        engine_of(built(counted), log).run_available_now()


def test_a_changelog_on_files_that_was_emptied_ends_the_run(tmp_path: Path) -> None:
    source = MemoryEventLog()
    fill(source, "a", (b"x", 1, 0))
    topics, state = tmp_path / "topics", tmp_path / "state"
    ports = RunPorts(FileEventLog(topics), FileEventSink(topics), JsonCodecs(), MemoryStateStores())
    (topics / "a").mkdir(parents=True)
    (topics / "a" / "partition-0.jsonl").write_text('{"key": "x", "value": "1", "timestamp": 1}\n')
    engine_of(built(counted), source, ports=ports, folder=state).run_available_now()
    (topics / "app-counts-changelog" / "partition-0.jsonl").write_text("")
    with pytest.raises(StateMismatchError, match="topic 'app-counts-changelog', partition 0, has offsets 0 to 0"):
        engine_of(built(counted), source, ports=ports, folder=state).run_available_now()
