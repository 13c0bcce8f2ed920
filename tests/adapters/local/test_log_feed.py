"""How often a feed asks a log for its ends while nothing comes, and how soon it notices a record."""

from types import SimpleNamespace

import pytest

from eddyline import TopologyBuilder
from eddyline.adapters.local import log_feed
from eddyline.adapters.local.log_feed import LogFeed
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.runtime.plan.run_plan import RunPlan
from tests.adapters.memory.running import built
from tests.runtime.plans import memory_ports

LINES = TopicPartition("lines", 0)


class QuietLog(MemoryEventLog):
    """A log that counts how often it is asked for an end, and gets a record at a time of the clock."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.now, self.due = 0, 0.0, float("inf")

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def end_offset(self, topic: str, partition: int) -> int:
        self.asked += 1
        if self.now >= self.due:
            self.due = float("inf")
            self.append(topic, b"k", b"v", 0, partition=partition)
        return super().end_offset(topic, partition)


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> QuietLog:
    quiet = QuietLog()
    quiet.create_topic("lines", 1)
    monkeypatch.setattr(log_feed, "time", SimpleNamespace(monotonic=lambda: quiet.now, sleep=quiet.sleep))
    return quiet


def feed_of(log: QuietLog) -> LogFeed:
    def define(builder: TopologyBuilder) -> None:
        builder.stream("lines", key=str, value=str).to("copies")

    feed = LogFeed(RunPlan.of(built(define), memory_ports(log), RunOptions(application_id="app")))
    feed.seek({LINES: 0})
    return feed


def test_an_idle_log_is_asked_twenty_times_a_second(log: QuietLog) -> None:
    feed = feed_of(log)
    feed.poll(2, 100)
    log.asked = 0
    for _ in range(100):
        assert not feed.poll(0.1, 100).ends
    assert 180 <= log.asked <= 220  # not at the end of a poll as well, since the next one begins with it


@pytest.mark.parametrize(("pause_s", "latest_s"), [(0.01, 0.003), (0.1, 0.006), (0.5, 0.03), (60.0, 0.051)])
def test_a_record_is_noticed_the_sooner_the_less_time_has_passed_since_the_last(
    log: QuietLog, pause_s: float, latest_s: float
) -> None:
    feed = feed_of(log)
    log.due = pause_s
    assert feed.poll(100, 100).ends == {LINES: 1}
    assert log.now - pause_s <= latest_s
