"""The ends of source topics are read again while queries go on with those that are known."""

import logging
from threading import Event
from typing import Any

import pytest

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.ports.event_log import UnknownTopicError
from eddyline.application.queries import freshness
from eddyline.application.queries.freshness import SourceEnds

TIMEOUT_S = 120


class SlowLog(MemoryEventLog):
    """A log that can be held up, and counts how often bounds are read."""

    def __init__(self) -> None:
        super().__init__()
        self.reads, self.may_go, self.failing = 0, Event(), False
        self.may_go.set()
        self.create_topic("orders", 1)

    def bounds(self, topic: str, partition: int) -> tuple[int, int]:
        assert self.may_go.wait(TIMEOUT_S)
        self.reads += 1
        if self.failing:
            raise ConnectionError("no broker")
        return super().bounds(topic, partition)


class Clock:
    time = 0.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def log() -> SlowLog:
    return SlowLog()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ends(log: SlowLog, clock: Clock) -> SourceEnds:
    return SourceEnds(log, clock)


def end(ends: SourceEnds) -> int:
    return ends.bounds("orders")[0][1]


def until_refreshed(ends: SourceEnds) -> None:
    refreshed: Any = ends._refreshed  # noqa: SLF001 - the end of its thread
    assert refreshed is None or refreshed.wait(TIMEOUT_S)


def test_ends_are_read_once_a_second(log: SlowLog, clock: Clock, ends: SourceEnds) -> None:
    log.append("orders", b"k", b"1", 0)
    assert [end(ends) for _ in range(5)] == [1] * 5
    log.append("orders", b"k", b"2", 0)
    clock.time = 0.9
    assert (end(ends), log.reads) == (1, 1)


def test_queries_do_not_wait_while_ends_are_read(log: SlowLog, clock: Clock, ends: SourceEnds) -> None:
    assert end(ends) == 0
    log.append("orders", b"k", b"1", 0)
    log.may_go.clear()
    clock.time = 1.5
    assert [end(ends) for _ in range(5)] == [0] * 5
    log.may_go.set()
    until_refreshed(ends)
    assert (end(ends), log.reads) == (1, 2)


def test_ends_that_nobody_has_asked_for_are_waited_for(log: SlowLog, clock: Clock, ends: SourceEnds) -> None:
    assert end(ends) == 0
    log.append("orders", b"k", b"1", 0)
    clock.time = 60
    assert end(ends) == 1


def test_ends_are_known_from_the_first_answer_until_nobody_has_asked_for_a_while(clock: Clock, ends: SourceEnds) -> None:
    found = [ends.known(["orders"])]
    end(ends)
    found += [ends.known(["orders"]), ends.known([]), ends.known(["orders", "payments"])]
    clock.time = 2.9
    found.append(ends.known(["orders"]))
    clock.time = 3.1
    found.append(ends.known(["orders"]))
    assert found == [False, True, True, False, True, False]


def test_without_brokers_the_known_ends_are_used(
    log: SlowLog, clock: Clock, ends: SourceEnds, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.append("orders", b"k", b"1", 0)
    assert end(ends) == 1
    log.failing = True
    with caplog.at_level(logging.WARNING, "eddyline.queries"):
        for clock.time in (60, 120):
            assert end(ends) == 1
            until_refreshed(ends)
    assert [record.getMessage() for record in caplog.records] == ["the lag of queries is out of date: no broker"]
    monkeypatch.setattr(freshness, "_LONGEST_WAIT_S", 0.01)
    log.failing = False
    log.may_go.clear()
    clock.time = 180
    assert end(ends) == 1
    log.may_go.set()


def test_a_topic_that_does_not_exist_has_no_ends(log: SlowLog, ends: SourceEnds) -> None:
    with pytest.raises(UnknownTopicError):
        log.bounds("nope", 0)
    assert ends.bounds("nope") == []
