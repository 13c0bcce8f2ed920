"""How often a feed asks a log for its ends while nothing comes, how soon it notices a record, and in which order."""

from types import SimpleNamespace
from typing import Any

import pytest

from eddyline import TopologyBuilder
from eddyline.adapters.local import log_feed
from eddyline.adapters.local.alone import streams_of_log
from eddyline.adapters.local.log_feed import LogFeed
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.ports.task_streams import Available
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.runtime.plan.run_plan import RunPlan
from tests.adapters.local.running import engine_of
from tests.adapters.memory.running import built, values
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


class PassedLog(MemoryEventLog):
    """A log that gets a row and an order while a feed asks for its ends: after that of the rows, before that of the orders."""

    is_asked = False

    def end_offset(self, topic: str, partition: int) -> int:
        if topic == "orders" and self.is_asked and not super().end_offset("orders", 0):
            self.append("rows", b"k", b"row", 1)
            self.append("orders", b"k", b"order", 2)
        return super().end_offset(topic, partition)


class AskingFeed(LogFeed):
    def poll(self, timeout_s: float, limit: int) -> Available:
        log: Any = self._plan.ports.log
        log.is_asked = True
        return super().poll(timeout_s, limit)


@pytest.mark.parametrize(("idle_ms", "expected"), [(0, [b"order/row"]), (-1, [b"order/None"])])
def test_a_record_waits_for_those_of_other_topics_that_were_written_before_it(idle_ms: int, expected: list[bytes]) -> None:
    def define(builder: TopologyBuilder) -> None:
        rows = builder.table("rows", key=str, value=str)
        builder.stream("orders", key=str, value=str).left_join(rows, lambda order, row: f"{order}/{row}", value=str).to("out")

    log = PassedLog()
    log.create_topic("rows", 1)
    log.create_topic("orders", 1)
    streams = streams_of_log(MemoryEventSink(log), "app", AskingFeed, None)
    engine = engine_of(built(define), log, streams=streams, max_task_idle_ms=idle_ms)
    engine.run(lambda *_: engine.stop() if values(log, "out") else None)
    assert values(log, "out") == expected
