"""Batches grow while the log holds more records than they read and they are short, unless the settings say their size."""

from collections.abc import Sequence

import pytest

from eddyline.application.runtime.input.batch_size import MOST_RECORDS, BatchSize, batch_limit
from eddyline.application.runtime.plan.options import RunOptions

START = 500_000


def options(most: int | None = None, interval_ms: int = 0) -> RunOptions:
    return RunOptions(application_id="app", max_batch_records=most, trigger_interval_ms=interval_ms)


def limits(durations: Sequence[float], given: RunOptions | None = None) -> list[int]:
    """Return the limits of full batches whose tasks take so many seconds, and of the one after them."""
    size = BatchSize(given or options())
    found = [size.limit]
    for seconds in durations:
        size.ended(size.limit, seconds)
        found.append(size.limit)
    return found


@pytest.mark.parametrize(
    ("durations", "expected"),
    [
        pytest.param([3.0], [START, 2 * START], id="in proportion to what is left of six seconds"),
        pytest.param([0.5], [START, 4 * START], id="at most four times as many"),
        pytest.param([3.0, 3.0, 1.0, 1.0], [START, 2 * START, 4 * START, MOST_RECORDS, MOST_RECORDS], id="up to a maximum"),
        pytest.param([3.0, 6.0, 11.9], [START, 2 * START, 2 * START, 2 * START], id="as it is, up to twelve seconds"),
        pytest.param([3.0, 13.0, 13.0], [START, 2 * START, START, START], id="halved if longer, never below the start"),
        pytest.param([0.0], [START, 4 * START], id="no time at all"),
    ],
)
def test_the_limit_follows_the_time_of_full_batches(durations: Sequence[float], expected: list[int]) -> None:
    assert limits(durations) == expected


def test_a_batch_may_take_as_long_as_the_trigger_interval() -> None:
    assert limits([5.0], options(interval_ms=10_000)) == [START, 2 * START]


def test_a_small_batch_says_nothing() -> None:
    size = BatchSize(options())
    size.ended(START // 2 - 1, 0.001)
    size.ended(START // 2 - 1, 60.0)
    assert size.limit == START


def test_a_batch_with_fewer_records_than_the_limit_never_lowers_it() -> None:
    size = BatchSize(options())
    size.ended(START // 2, 4.0)
    assert size.limit == START


def test_a_size_in_the_settings_is_that_of_every_batch() -> None:
    assert limits([0.1, 0.1, 90.0], options(most=7)) == [7] * 4
    assert batch_limit(7, 8, options(most=7)) == 7


@pytest.mark.parametrize(("waiting", "expected"), [(3, 4), (4, 4), (5, 5), (6, 4)])
def test_a_batch_takes_what_is_left_if_that_is_at_most_a_quarter_more(waiting: int, expected: int) -> None:
    assert batch_limit(4, waiting, options()) == expected
