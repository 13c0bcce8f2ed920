"""Positions that the log does not have."""

import pytest

from eddyline.application.ports.event_log import OffsetOutOfRangeError, TopicPartition
from eddyline.application.runtime.progress.offset_reset import (
    PositionReset,
    check_partitions,
    find_resets,
    shifted,
    skipped_offsets,
    with_resets,
)

BOUNDS = {"t": [(10, 50), (0, 0)]}
LAST = {"t": [50, 0]}


@pytest.mark.parametrize("position", [10, 11, 49, 50])
def test_positions_from_the_beginning_to_the_end_are_valid(position: int) -> None:
    assert find_resets({"t": [position, 0]}, LAST, BOUNDS, "none") == []


@pytest.mark.parametrize(
    ("position", "message"),
    [
        (9, "the flow is at offset 9, but the log has 10 to 50: retention has deleted 1 offsets"),
        (51, "the flow is at offset 51, but the log has 10 to 50: the topic was emptied or replaced"),
    ],
)
def test_other_positions_are_an_error_by_default(position: int, message: str) -> None:
    with pytest.raises(OffsetOutOfRangeError, match=f"topic 't', partition 0: {message}"):
        find_resets({"t": [position, 0]}, LAST, BOUNDS, "none")


def test_a_position_before_the_beginning_is_reset_and_the_deleted_records_are_counted() -> None:
    assert find_resets({"t": [3, 0]}, LAST, BOUNDS, "earliest") == [PositionReset("t", 0, 3, 10, 7)]
    assert find_resets({"t": [3, 0]}, LAST, BOUNDS, "latest") == [PositionReset("t", 0, 3, 50, 47)]


def test_a_position_beyond_the_end_is_reset_and_the_records_that_are_not_read_are_counted() -> None:
    assert find_resets({"t": [70, 0]}, LAST, BOUNDS, "earliest") == [PositionReset("t", 0, 70, 10, 0)]
    assert find_resets({"t": [70, 0]}, LAST, BOUNDS, "latest") == [PositionReset("t", 0, 70, 50, 40)]


def test_a_run_does_not_continue_beyond_its_last_offset() -> None:
    assert find_resets({"t": [3, 0]}, {"t": [5, 0]}, BOUNDS, "earliest") == [PositionReset("t", 0, 3, 5, 2)]
    assert find_resets({"t": [3, 0]}, {"t": [40, 0]}, BOUNDS, "latest") == [PositionReset("t", 0, 3, 40, 37)]
    assert find_resets({"t": [12, 0]}, {"t": [11, 0]}, BOUNDS, "none") == [], "the position is in the log"


def test_a_topic_that_has_lost_partitions_is_an_error() -> None:
    check_partitions({"t": [1]}, {"t": [1, 2], "u": [3]})
    message = r"topic 't' has 1 partitions, but the flow has read 2: .* run 'eddyline reset' for the flow"
    with pytest.raises(OffsetOutOfRangeError, match=message):
        check_partitions({"t": [1, 2]}, {"t": [1]})


def test_resets_change_positions_and_keep_distances() -> None:
    resets = [PositionReset("t", 1, 70, 10, 0), PositionReset("t", 2, 0, 4, 4)]
    start = {"t": [5, 70, 0], "u": [1]}
    assert with_resets(start, resets) == {"t": [5, 10, 4], "u": [1]}
    assert start == {"t": [5, 70, 0], "u": [1]}
    assert with_resets(start, []) is start
    assert shifted({"t": [0, 65], "u": [0]}, resets) == {"t": [0, 5], "u": [0]}
    assert skipped_offsets(resets) == {TopicPartition("t", 1): 0, TopicPartition("t", 2): 4}
