"""Batches grow while the log holds more records than they read and they are short, unless the settings say their size."""

from collections.abc import Sequence

import pytest

from eddyline.application.runtime.batch_size import MOST_RECORDS, BatchSize
from eddyline.application.runtime.options import RunOptions

START = 500_000


def limits(durations: Sequence[float], *, full: bool = True, most: int | None = None, interval_ms: int = 0) -> list[int]:
    """Return the limits of batches that take so many seconds, and of the one after them."""
    size = BatchSize(RunOptions(application_id="app", max_batch_records=most, trigger_interval_ms=interval_ms))
    now_s, found = 100.0, [size.limit(100.0)]
    for seconds in durations:
        size.planned(now_s, is_full=full)
        now_s += seconds
        found.append(size.limit(now_s))
    return found


@pytest.mark.parametrize(
    ("durations", "expected"),
    [
        pytest.param([2.5], [START, MOST_RECORDS], id="the start of the workers does not count"),
        pytest.param([4.0], [START, 2 * START], id="a first batch of one second"),
        pytest.param([6.0, 1.0], [START, START, 2 * START], id="in proportion to what is left of two seconds"),
        pytest.param([6.0, 0.1], [START, START, 4 * START], id="at most four times as many"),
        pytest.param([4.0, 1.0, 1.0, 1.0], [START, 2 * START, 4 * START, MOST_RECORDS, MOST_RECORDS], id="up to a maximum"),
        pytest.param([4.0, 3.0, 3.9], [START, 2 * START, 2 * START, 2 * START], id="as it is, up to four seconds"),
        pytest.param([4.0, 5.0, 5.0], [START, 2 * START, START, START], id="halved if longer, never below the start"),
        pytest.param([9.0, 0.0], [START, START, 4 * START], id="no time at all"),
    ],
)
def test_the_limit_follows_the_time_of_full_batches(durations: Sequence[float], expected: list[int]) -> None:
    assert limits(durations) == expected


def test_a_batch_may_take_as_long_as_the_trigger_interval() -> None:
    assert limits([13.0, 5.0], interval_ms=10_000) == [START, START, 2 * START]


def test_a_batch_that_read_everything_says_nothing() -> None:
    assert limits([0.1, 0.1], full=False) == [START] * 3


def test_a_size_in_the_settings_is_that_of_every_batch() -> None:
    assert limits([0.1, 0.1, 9.0], most=7) == [7] * 4
