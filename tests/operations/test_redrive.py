"""Redriving dead letters: each record is written back once."""

import pytest

from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.application.operations import redrive
from eddyline.application.operations.redrive import Outcome, Redriver
from eddyline.application.ports.codec import CodecError
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.runtime.input.decoding import UnreadableRecordError
from eddyline.application.runtime.plan.dead_letters import reason_headers
from tests.operations.dead_letters import DEAD_LETTERS, JOURNAL, TRACE, DeadLetterSetup


def test_a_record_is_written_back_unchanged_to_its_original_partition(setup: DeadLetterSetup) -> None:
    assert setup.redrive(setup.add_letter(5, partition=2)) == {Outcome.WRITTEN: 1}
    assert setup.records() == [LogRecord("trades", 2, 0, 1_005, b"k5", b"v5", (TRACE,))]


def test_tombstones_and_records_without_a_key_are_written_back_as_such(setup: DeadLetterSetup) -> None:
    setup.log.append(DEAD_LETTERS, None, None, 9, reason_headers(CodecError("x"), "trades", 0, 1))
    setup.redrive()
    assert [(record.key, record.value) for record in setup.records()] == [(None, None)]


def test_redriving_twice_writes_each_record_once(setup: DeadLetterSetup) -> None:
    setup.add_letter(5)
    setup.add_letter(6, to_partition=1)
    assert setup.redrive() == {Outcome.WRITTEN: 2}
    assert setup.redrive() == {Outcome.ALREADY_REDRIVEN: 2}
    assert setup.values() == [b"v5", b"v6"]


def test_redriving_in_any_order_and_then_all_writes_each_record_once(setup: DeadLetterSetup) -> None:
    first, second, third = setup.add_letter(5), setup.add_letter(6), setup.add_letter(7)
    assert setup.redrive(third) == {Outcome.WRITTEN: 1}
    assert setup.redrive(first) == {Outcome.WRITTEN: 1}
    assert setup.redrive(first, second, first) == {Outcome.WRITTEN: 1, Outcome.ALREADY_REDRIVEN: 2}
    fourth = setup.add_letter(8)
    assert setup.redrive() == {Outcome.ALREADY_REDRIVEN: 3, Outcome.WRITTEN: 1}
    assert setup.redrive(fourth) == {Outcome.ALREADY_REDRIVEN: 1}
    assert setup.values() == [b"v5", b"v6", b"v7", b"v8"]


def test_a_record_that_fails_again_can_be_redriven_again(setup: DeadLetterSetup) -> None:
    setup.redrive(setup.add_letter(5))
    (again,) = setup.records()
    headers = (*again.headers, *reason_headers(CodecError("no price"), "trades", again.partition, again.offset))
    setup.log.append(DEAD_LETTERS, again.key, again.value, again.timestamp, headers)
    assert setup.redrive() == {Outcome.ALREADY_REDRIVEN: 1, Outcome.WRITTEN: 1}
    assert setup.values() == [b"v5", b"v5"]
    assert setup.records()[-1].headers == (TRACE,)


def test_two_dead_letters_of_the_same_record_are_redriven_as_one(setup: DeadLetterSetup) -> None:
    setup.add_letter(5)
    setup.add_letter(5, to_partition=1)
    assert setup.redrive() == {Outcome.WRITTEN: 1, Outcome.ALREADY_REDRIVEN: 1}


def test_a_different_record_at_the_position_of_a_redriven_one_is_written(setup: DeadLetterSetup) -> None:
    setup.redrive(setup.add_letter(5))
    headers = reason_headers(CodecError("no price"), "trades", 1, 5)
    setup.log.append(DEAD_LETTERS, b"k5", b"of a recreated topic", 1_005, headers)
    assert setup.redrive() == {Outcome.ALREADY_REDRIVEN: 1, Outcome.WRITTEN: 1}


def test_the_records_of_a_partition_are_written_back_in_their_original_order(setup: DeadLetterSetup) -> None:
    for offset, to_partition in ((7, 0), (5, 1), (6, 0)):
        setup.add_letter(offset, to_partition=to_partition)
    setup.redrive()
    assert [record.value for record in setup.records()] == [b"v5", b"v6", b"v7"]


@pytest.mark.parametrize(
    ("headers", "obstacle"),
    [
        (
            reason_headers(UnreadableRecordError("not JSON"), "trades", 0, 3),
            "the log could not parse it as a record (not JSON); correct it by hand and produce it again",
        ),
        (reason_headers(CodecError("x"), "gone", 0, 3), "its topic 'gone' no longer exists"),
        (reason_headers(CodecError("x"), "trades", 3, 3), "its topic 'trades' no longer has partition 3; it has 0 to 2"),
        (
            (TRACE,),
            (
                "its headers do not name a topic, partition and offset; it failed after a repartition, or without a record, "
                "or it is a result that its topic did not accept"
            ),
        ),
    ],
)
def test_a_dead_letter_that_cannot_be_redriven_is_returned_with_the_obstacle(
    setup: DeadLetterSetup, headers: tuple[tuple[str, bytes | None], ...], obstacle: str
) -> None:
    setup.log.append(DEAD_LETTERS, b"k", b"v", 1, headers)
    (result,) = setup.redriver().redrive(setup.letters())
    assert result.outcome is Outcome.NOT_REDRIVABLE
    assert result.obstacle == obstacle
    assert result.letter.record.value == b"v"
    assert setup.records() == []


def test_a_preview_returns_the_same_results_and_writes_nothing(setup: DeadLetterSetup) -> None:
    setup.redrive(setup.add_letter(5))
    setup.add_letter(6)
    setup.add_letter(6, to_partition=1)
    before = {topic: setup.records(topic) for topic in setup.log.topics()}
    preview = [(result.letter.position, result.outcome) for result in setup.redriver().preview(setup.letters())]
    assert {topic: setup.records(topic) for topic in setup.log.topics()} == before
    assert sorted(outcome for _, outcome in preview) == [Outcome.ALREADY_REDRIVEN, Outcome.ALREADY_REDRIVEN, Outcome.WRITTEN]
    assert [(result.letter.position, result.outcome) for result in setup.redriver().redrive(setup.letters())] == preview


def test_another_process_sees_what_was_redriven(setup: DeadLetterSetup) -> None:
    position = setup.add_letter(5)
    setup.add_letter(6)
    setup.redrive(position)
    other = setup.redriver()
    other.refresh()
    assert [other.is_redriven(letter) for letter in setup.letters()] == [True, False]


def test_without_dead_letters_no_journal_is_created(setup: DeadLetterSetup) -> None:
    assert setup.redrive() == {}
    assert JOURNAL not in setup.log.topics()


def test_many_dead_letters_are_redriven_in_several_batches(setup: DeadLetterSetup) -> None:
    for offset in range(1_200):
        setup.add_letter(offset, to_partition=offset % 2)
    assert setup.redrive() == {Outcome.WRITTEN: 1_200}
    assert len(setup.records(JOURNAL)) == 6
    assert setup.redrive() == {Outcome.ALREADY_REDRIVEN: 1_200}


def test_the_entries_of_the_journal_have_the_time_of_the_redrive(setup: DeadLetterSetup) -> None:
    setup.add_letter(5)
    list(Redriver(setup.log, MemoryEventSink(setup.log), MemoryClock(7_000), "app").redrive(setup.letters()))
    assert {record.timestamp for record in setup.records(JOURNAL)} == {7_000}


def test_the_bytes_of_keys_and_values_limit_a_batch(setup: DeadLetterSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redrive, "_MAX_BATCH_BYTES", 8)
    for offset in range(4):
        setup.add_letter(offset)
    setup.redrive()
    assert len(setup.records(JOURNAL)) == 2 * 2, "two batches of two records of four bytes"
