"""A range is read as far as the log still has it."""

import pytest

from eddyline.application.ports.event_log import OffsetOutOfRangeError, TopicPartition
from eddyline.application.runtime.input.range_reader import RangeReader
from eddyline.application.runtime.plan.options import AutoOffsetReset
from tests.runtime.retention import RetentionLog, log_of

T0 = TopicPartition("t", 0)


def read(log: RetentionLog, start: int, end: int, policy: AutoOffsetReset) -> tuple[list[int], int]:
    reader = RangeReader(log, T0, policy)
    return [record.offset for batch in reader.read(start, end) for record in batch], reader.skipped


@pytest.mark.parametrize("policy", ["none", "earliest", "latest"])
def test_a_complete_range_is_read_and_an_empty_one_is_not(policy: AutoOffsetReset) -> None:
    assert read(log_of(9), 2, 7, policy) == ([2, 3, 4, 5, 6], 0)
    assert read(log_of(0), 5, 5, policy) == ([], 0)


@pytest.mark.parametrize(("policy", "expected"), [("earliest", ([5, 6], 3)), ("latest", ([], 5))], ids=["earliest", "latest"])
def test_deleted_records_are_skipped_and_counted_if_that_is_accepted(
    policy: AutoOffsetReset, expected: tuple[list[int], int]
) -> None:
    log = log_of(9)
    log.delete_records("t", 0, 5)
    assert read(log, 2, 7, policy) == expected


def test_a_range_that_was_deleted_completely_is_skipped() -> None:
    log = log_of(9)
    log.delete_records("t", 0, 8)
    assert read(log, 2, 7, "earliest") == ([], 5)


@pytest.mark.parametrize(("policy", "expected"), [("earliest", ([2, 3, 7, 8], 3)), ("latest", ([2, 3], 5))])
def test_records_that_are_deleted_during_the_read_are_skipped_and_counted(
    policy: AutoOffsetReset, expected: tuple[list[int], int]
) -> None:
    log = log_of(9)
    log.after_batch = lambda: log.delete_records("t", 0, 7)
    assert read(log, 2, 9, policy) == expected


@pytest.mark.parametrize(("policy", "expected"), [("earliest", ([2, 3], 3)), ("latest", ([], 5))])
def test_records_that_were_truncated_are_skipped_and_counted(policy: AutoOffsetReset, expected: tuple[list[int], int]) -> None:
    log = log_of(9)
    log.truncate("t", 0, 4)
    assert read(log, 2, 7, policy) == expected


def test_by_default_lost_records_are_an_error_with_position_range_and_cures() -> None:
    log = log_of(9)
    log.delete_records("t", 0, 5)
    cures = "run 'eddyline reset' .* auto.offset.reset=earliest .* or latest"
    with pytest.raises(OffsetOutOfRangeError, match=rf"'t', partition 0: the flow is at offset 2, .* 5 to 9: .*{cures}"):
        read(log, 2, 7, "none")
    log.truncate("t", 0, 6)
    with pytest.raises(OffsetOutOfRangeError, match="the flow is at offset 7, but the log has 5 to 6: the topic was emptied"):
        read(log, 5, 7, "none")


def test_another_reason_for_a_failed_read_is_not_a_loss() -> None:
    class RewrittenLog(RetentionLog):
        def _check(self, topic: str, partition: int, start: int, end: int) -> None:
            raise OffsetOutOfRangeError(f"the file of {topic}-{partition} was rewritten while {start} to {end} were read")

    log = RewrittenLog()
    log.create_topic("t", 1)
    log.append("t", b"k", b"v", 5)
    with pytest.raises(OffsetOutOfRangeError, match="the file of t-0 was rewritten"):
        read(log, 0, 1, "earliest")


def test_what_is_skipped_in_several_ranges_is_added_up() -> None:
    log = log_of(9)
    log.delete_records("t", 0, 5)
    reader = RangeReader(log, T0, "earliest")
    assert [record.offset for start in (0, 2) for batch in reader.read(start, 7) for record in batch] == [5, 6, 5, 6]
    assert reader.skipped == 5 + 3
