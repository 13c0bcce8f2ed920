"""The progress of a flow, from samples of its state and from a run."""

from dataclasses import replace
from typing import Any

import pytest

from eddyline.adapters.page.progress import Waiting, of_run, of_samples
from eddyline.application.monitoring.freshness_history import FreshnessSample
from eddyline.application.monitoring.run_status import RunState
from tests.fixtures.example_runs import NOW_MS, after_one_batch


def sample(time: int, records: int, **others: Any) -> FreshnessSample:
    known: dict[str, Any] = {
        "batch": 1,
        "batch_time": time,
        "stream_time": 5,
        "lag": 0,
        "entries": 2,
        "size_bytes": 9,
        "restoring": False,
    }
    return FreshnessSample(time=time, offsets={"t": [records, 0]}, **known | others)


def test_nothing_is_known_without_samples() -> None:
    assert of_samples([]) is None


def test_throughput_is_measured_over_the_last_samples() -> None:
    found = of_samples([sample(1_000 * number, 10 * number) for number in range(8)])
    assert found is not None
    assert [point.throughput for point in found.points] == [None, *[10.0] * 7]
    assert found.now.throughput == 10


def test_a_state_that_is_restored_has_no_throughput_and_no_lag() -> None:
    found = of_samples([sample(0, 0, restoring=True, lag=9), sample(1_000, 100, restoring=True, lag=9)])
    assert found is not None
    assert (found.state, found.tone, found.now.throughput, found.now.lag) == ("restoring", "warn", None, None)


@pytest.mark.parametrize(("lag", "state", "tone"), [(0, "up to date", "good"), (8, "records waiting", "")])
def test_the_state_tells_whether_records_wait(lag: int, state: str, tone: str) -> None:
    found = of_samples([sample(0, 5, lag=lag)])
    assert found is not None
    assert (found.state, found.tone, found.totals) == (state, tone, None)
    assert [(part.topic, part.partition, part.offset, part.end) for part in found.partitions] == [
        ("t", 0, 5, None),
        ("t", 1, 0, None),
    ]


def test_records_that_came_a_while_ago_and_were_not_processed_are_behind() -> None:
    waiting = [sample(1_000 * second, 5 + 2 * (second // 30), lag=3) for second in range(41)]
    found = of_samples(waiting)
    assert found is not None
    assert (found.state, found.tone) == ("behind", "warn")
    found = of_samples([sample(1_000 * second, 5 + 3 * (second // 30), lag=3) for second in range(41)])
    assert found is not None
    assert found.state == "records waiting"


def test_a_position_that_stays_is_behind_later_than_a_commit_takes() -> None:
    waiting = Waiting()
    assert not waiting.is_behind("trades-0", 5, 8, 0)
    assert not waiting.is_behind("trades-0", 5, 8, 40_000)
    assert waiting.is_behind("trades-0", 5, 8, 40_001)
    assert not waiting.is_behind("trades-0", 7, 8, 41_000)
    assert not waiting.is_behind("trades-0", 15, 0, 90_000)
    assert not waiting.is_behind("trades-0", 15, 1, 91_000)


def test_a_time_without_batches_has_no_throughput_and_leaves_the_rest_as_it_was() -> None:
    status = after_one_batch().snapshot()
    (batch,) = status.history
    later = replace(batch, time=batch.time + 60_000, seconds=1.0, records=10)
    found = of_run(replace(status, history=(batch, later), time=later.time, state=RunState.RUNNING))
    first, quiet, still_quiet, last = found.points
    assert [quiet.time, still_quiet.time] == [first.time + 1_000, last.time - 1_000]
    assert [point.throughput for point in (quiet, still_quiet, last)] == [0, 0, 2]
    assert [point.batch_seconds for point in (quiet, still_quiet)] == [None, None]
    assert {point.stream_time for point in found.points} == {first.stream_time}


def test_a_run_that_waits_for_records_has_no_throughput_until_now() -> None:
    status = after_one_batch().snapshot()
    (batch,) = status.history
    caught_up = [replace(found, end=found.offset) for found in status.partitions]
    found = of_run(replace(status, partitions=caught_up, time=batch.time + 60_000, state=RunState.RUNNING))
    assert [(point.time - batch.time, point.throughput, point.lag) for point in found.points[1:]] == [
        (1_000, 0, 0),
        (60_000, 0, 0),
    ]


def test_a_run_tells_everything_about_its_batches() -> None:
    found = of_run(after_one_batch().snapshot())
    assert (found.state, found.batch, found.batch_time, found.now.lag) == ("starting", 0, NOW_MS, 1)
    (point,) = found.points
    assert (point.time, point.lag, point.stream_time) == (NOW_MS, 1, 5_200)
    assert point.batch_seconds is not None
    assert found.totals is not None
    assert found.totals.late == 1
    assert [(part.topic, part.offset, part.end, part.advanced) for part in found.partitions] == [("lines", 5, 6, NOW_MS)]


def test_a_run_that_fails_says_why() -> None:
    monitor = after_one_batch()
    with pytest.raises(ValueError, match="broken"), monitor.running():
        raise ValueError("broken")
    found = of_run(monitor.snapshot())
    assert (found.state, found.tone, found.failure) == ("failed", "bad", "ValueError: broken")
