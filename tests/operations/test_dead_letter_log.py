"""Reading dead letters and their reasons."""

import pytest

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.operations.dead_letter_log import (
    DeadLetterLog,
    LetterPosition,
    NoSuchLetterError,
    parse_letter_position,
)
from eddyline.application.ports.codec import CodecError
from eddyline.application.runtime.plan.dead_letters import Reason, original_headers, reason_headers, reason_in
from tests.operations.dead_letters import TRACE, DeadLetterSetup


def test_a_reason_is_read_back_unchanged() -> None:
    reason = reason_in((TRACE, *reason_headers(CodecError("no price: ü"), "trades", 2, 41)))
    assert reason._replace(stacktrace="") == Reason("CodecError", "no price: ü", "", "trades", 2, 41)
    assert reason.stacktrace.endswith("CodecError: no price: ü\n")


def test_long_reasons_are_shortened_in_the_middle() -> None:
    reason = reason_in(reason_headers(CodecError("a" * 50_000 + "z"), "trades", 2, 41))
    assert len(reason.message) < 5_000
    assert (reason.message[0], reason.message[-1]) == ("a", "z")
    assert "46,001 characters omitted" in reason.message
    assert len(reason.stacktrace) < 17_000


def test_a_reason_can_contain_half_of_a_surrogate_pair() -> None:
    assert reason_in(reason_headers(CodecError("\ud800"), "t", 0, 0)).message == "\\ud800"


def test_invalid_reason_headers_result_in_an_empty_reason() -> None:
    assert reason_in((TRACE, ("__streams.errors.offset", b"x"), ("__streams.errors.topic", None))) == Reason(
        "", "", "", "", None, None
    )


def test_the_original_headers_are_those_without_the_reason() -> None:
    assert original_headers((TRACE, *reason_headers(CodecError("x"), "t", 0, 0), TRACE)) == (TRACE, TRACE)


def test_dead_letters_are_returned_with_their_positions_and_reasons(setup: DeadLetterSetup) -> None:
    positions = [setup.add_letter(5), setup.add_letter(7), setup.add_letter(6, to_partition=1)]
    found = [(letter.position, letter.reason.offset) for letter in setup.letters()]
    assert found == list(zip(positions, (5, 7, 6), strict=True))


def test_without_the_topic_there_are_no_dead_letters() -> None:
    assert list(DeadLetterLog(MemoryEventLog(), "app")) == []


def test_a_position_is_written_as_partition_and_offset() -> None:
    assert parse_letter_position("3:14") == LetterPosition(3, 14)
    assert str(LetterPosition(3, 14)) == "3:14"


@pytest.mark.parametrize("text", ["", "3", "3:", ":4", "a:b", "-1:2", "1:2:3", "1:²"])
def test_an_invalid_position_is_rejected_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="is not the position of a dead letter; write PARTITION:OFFSET, for example 0:7"):
        parse_letter_position(text)


@pytest.mark.parametrize(
    ("position", "reason"),
    [
        (LetterPosition(0, 1), "partition 0 of topic 'app-dead-letters' has offsets 0 to 0"),
        (LetterPosition(1, 0), "partition 1 of topic 'app-dead-letters' is empty"),
        (LetterPosition(2, 0), "topic 'app-dead-letters' has partitions 0 to 1"),
    ],
)
def test_a_position_without_a_dead_letter_is_rejected_with_the_valid_positions(
    setup: DeadLetterSetup, position: LetterPosition, reason: str
) -> None:
    setup.add_letter(5)
    with pytest.raises(NoSuchLetterError, match=f"there is no dead letter {position}: {reason}"):
        DeadLetterLog(setup.log, "app").at(position)


def test_without_the_topic_every_position_is_rejected() -> None:
    with pytest.raises(NoSuchLetterError, match="topic 'other-dead-letters' does not exist"):
        DeadLetterLog(MemoryEventLog(), "other").at(LetterPosition(0, 0))
