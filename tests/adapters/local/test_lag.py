"""When a process of the local engine says that it falls behind."""

import logging

import pytest

from eddyline.adapters.local import session
from eddyline.adapters.local.session import LagWatch
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from tests.adapters.local.running import engine_of
from tests.adapters.memory.running import built, fill

LOOK_MS = 10_000


def test_lag_that_grows_for_a_minute_is_noticed_once_a_minute() -> None:
    watch = LagWatch()
    noticed = [second for second in range(0, 130, 5) if watch.is_behind(float(second), 100 + second)]
    assert noticed == [60, 120]


def test_lag_that_shrinks_once_begins_again() -> None:
    watch = LagWatch()
    lags = {second: 50 if second == 40 else 100 + second for second in range(0, 90, 5)}
    assert not any(watch.is_behind(float(second), lag) for second, lag in lags.items())


def test_lag_that_was_looked_at_too_seldom_is_not_noticed() -> None:
    watch = LagWatch()
    assert [watch.is_behind(float(second), 1 + second) for second in (0, 40, 80, 120, 160)] == [False, False, False, False, True]


@pytest.mark.parametrize(("come", "said_after_ms"), [(2, 70_000), (1, None), (0, None)], ids=["grows", "stays", "shrinks"])
def test_a_process_says_that_it_falls_behind_once_lag_has_grown_for_a_minute(
    come: int, said_after_ms: int | None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("_CHECK_S", "_CHECK_SHARE"):
        monkeypatch.setattr(session, name, 0)  # it looks after each record
    log, clock, said_at = MemoryEventLog(), MemoryClock(), []

    def process(value: str) -> str:
        for _ in range(come):
            log.append("a", b"k", b"more", 1)
        if caplog.messages:
            said_at.append(clock.now_ms())
        clock.advance(LOOK_MS)
        if said_at or clock.now_ms() == 20 * LOOK_MS:
            engine.stop()
        return value

    fill(log, "a", *((b"v", 1, number) for number in range(20)))
    topology = built(lambda builder: builder.stream("a", key=str, value=str).map_values(process).to("out"))
    engine = engine_of(topology, log, clock=clock, max_batch_records=1)
    with caplog.at_level(logging.WARNING, "eddyline.local"):
        engine.run()
    assert said_at == ([] if said_after_ms is None else [said_after_ms])
    assert [message for message in caplog.messages if "falls behind: 2" not in message] == []
    assert all("start more processes, or move the flow to Spark" in message for message in caplog.messages)
