"""The throughput that follows from progress records."""

import pytest

from eddyline.application.queries.follower import Throughput
from eddyline.application.runtime.plan.changelogs import ChangelogProgress


def throughput(*samples: tuple[int, int]) -> Throughput:
    found = Throughput()
    for batch, (time_ms, offset) in enumerate(samples):
        found.add(ChangelogProgress(batch, time_ms, None, {"a": [offset, 5], "b": [7]}))
    return found


@pytest.mark.parametrize("samples", [[], [(0, 100)]])
def test_one_batch_has_no_throughput(samples: list[tuple[int, int]]) -> None:
    assert throughput(*samples).per_second(1_000) is None


def test_the_throughput_is_that_between_the_batches() -> None:
    assert throughput((1_000, 0), (2_000, 100), (5_000, 2_000)).per_second(5_500) == 500.0


def test_batches_that_are_older_than_30_seconds_do_not_count() -> None:
    assert throughput((0, 0), (70_000, 9_000), (80_000, 10_000)).per_second(80_000) == 100.0


def test_long_after_the_last_batch_the_throughput_is_0() -> None:
    assert throughput((0, 0), (1_000, 10)).per_second(40_000) == 0.0


def test_a_changelog_that_begins_again_starts_again() -> None:
    assert throughput((0, 0), (1_000, 1_000), (2_000, 10)).per_second(2_000) is None


def test_progress_without_offsets_does_not_count() -> None:
    found = throughput((0, 0), (1_000, 100))
    found.add(ChangelogProgress(3, 2_000, None, {}))
    assert found.per_second(2_000) == 100.0
