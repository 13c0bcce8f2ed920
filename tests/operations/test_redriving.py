"""Dead letters on the log in memory: reading them, and writing them back once."""

import random
from collections import Counter
from collections.abc import Iterable, Sequence

import pytest

from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.application.operations.dead_letter_log import (
    DeadLetter,
    DeadLetterLog,
    LetterPosition,
    NoSuchLetterError,
    parse_place,
)
from eddyline.application.operations.redriving import Outcome, RedriveError, Redriving
from eddyline.application.ports.codec import CodecError
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.dead_letters import Reason, original_headers, reason_headers, reason_in
from eddyline.application.runtime.decoding import UnreadableRecordError

LETTERS, NOTES = "app-dead-letters", "app-dead-letters-redriven"
TRACE = ("trace", b"1")


class Desk:
    """A log with a topic of three partitions, and the dead letters of an application."""

    def __init__(self) -> None:
        self.log = MemoryEventLog()
        self.log.create_topic("trades", 3)
        self.log.create_topic(LETTERS, 2)

    def bury(self, offset: int, *, letters: int = 0, partition: int = 1, error: Exception | None = None) -> LetterPosition:
        """Puts a record that lay at the offset among the letters, into one of their two partitions."""
        headers = (TRACE, *reason_headers(error or CodecError("no price"), "trades", partition, offset))
        at = self.log.append(LETTERS, b"k%d" % offset, b"v%d" % offset, 1_000 + offset, headers, partition=letters)
        return LetterPosition(letters, at)

    def redriving(self, sink: MemoryEventSink | None = None) -> Redriving:
        return Redriving(self.log, sink or MemoryEventSink(self.log), MemoryClock(), "app", timeout_s=0.2)

    def letters(self, *places: LetterPosition) -> Iterable[DeadLetter]:
        found = DeadLetterLog(self.log, "app")
        return map(found.at, places) if places else found

    def redrive(self, *places: LetterPosition) -> Counter[Outcome]:
        """Redrives these letters, or all, as a new process would."""
        return Counter(step.outcome for step in self.redriving().redrive(self.letters(*places)))

    def written(self, topic: str = "trades") -> list[LogRecord]:
        return [
            record
            for number in range(self.log.partitions(topic))
            for batch in self.log.read(topic, number, 0, self.log.end_offset(topic, number))
            for record in batch
        ]

    def values(self) -> list[bytes]:
        return sorted(record.value or b"" for record in self.written())


@pytest.fixture
def desk() -> Desk:
    return Desk()


class KilledError(Exception):
    pass


class Killed(MemoryEventSink):
    """Ends the process before its nth write."""

    def __init__(self, log: MemoryEventLog, lives: int) -> None:
        super().__init__(log)
        self.lives = lives

    def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        if not self.lives:
            raise KilledError
        self.lives -= 1
        return super().write(writer, slot, batch, records)


# --- reading --------------------------------------------------------------------------------------------------------------


def test_a_reason_is_read_as_it_was_written() -> None:
    reason = reason_in((TRACE, *reason_headers(CodecError("no price: ü"), "trades", 2, 41)))
    assert reason._replace(stacktrace="") == Reason("CodecError", "no price: ü", "", "trades", 2, 41)
    assert reason.stacktrace.endswith("CodecError: no price: ü\n")


def test_long_reasons_are_shortened_in_their_middle() -> None:
    reason = reason_in(reason_headers(CodecError("a" * 50_000 + "z"), "trades", 2, 41))
    assert len(reason.message) < 5_000
    assert (reason.message[0], reason.message[-1]) == ("a", "z")
    assert "46,001 characters are left out" in reason.message
    assert len(reason.stacktrace) < 17_000


def test_a_reason_may_hold_half_of_a_surrogate_pair() -> None:
    assert reason_in(reason_headers(CodecError("\ud800"), "t", 0, 0)).message == "\\ud800"


def test_headers_that_say_nothing_give_an_empty_reason() -> None:
    assert reason_in((TRACE, ("__streams.errors.offset", b"x"), ("__streams.errors.topic", None))) == Reason(
        "", "", "", "", None, None
    )


def test_the_headers_that_a_record_had_are_those_without_the_reason() -> None:
    assert original_headers((TRACE, *reason_headers(CodecError("x"), "t", 0, 0), TRACE)) == (TRACE, TRACE)


def test_letters_come_with_their_places_and_reasons(desk: Desk) -> None:
    places = [desk.bury(5), desk.bury(7), desk.bury(6, letters=1)]
    assert [(letter.place, letter.reason.offset) for letter in desk.letters()] == list(zip(places, (5, 7, 6), strict=True))


def test_where_nothing_was_buried_there_are_no_letters() -> None:
    assert list(DeadLetterLog(MemoryEventLog(), "app")) == []


def test_places_are_written_partition_and_offset() -> None:
    assert parse_place("3:14") == LetterPosition(3, 14)
    assert str(LetterPosition(3, 14)) == "3:14"


@pytest.mark.parametrize("text", ["", "3", "3:", ":4", "a:b", "-1:2", "1:2:3", "1:²"])
def test_what_is_no_place_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="is no place of a dead letter; it is written PARTITION:OFFSET, as in 0:7"):
        parse_place(text)


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        (LetterPosition(0, 1), "partition 0 of topic 'app-dead-letters' has offsets 0 to 0"),
        (LetterPosition(1, 0), "partition 1 of topic 'app-dead-letters' is empty"),
        (LetterPosition(2, 0), "topic 'app-dead-letters' has partitions 0 to 1"),
    ],
)
def test_a_letter_that_is_not_there_is_refused_with_those_that_are(desk: Desk, place: LetterPosition, reason: str) -> None:
    desk.bury(5)
    with pytest.raises(NoSuchLetterError, match=f"there is no dead letter {place}: {reason}"):
        DeadLetterLog(desk.log, "app").at(place)


def test_without_the_topic_no_letter_can_be_asked_for() -> None:
    with pytest.raises(NoSuchLetterError, match="topic 'other-dead-letters' does not exist"):
        DeadLetterLog(MemoryEventLog(), "other").at(LetterPosition(0, 0))


# --- writing back ---------------------------------------------------------------------------------------------------------


def test_a_record_goes_back_as_it_was_to_the_partition_it_came_from(desk: Desk) -> None:
    assert desk.redrive(desk.bury(5, partition=2)) == {Outcome.WRITTEN: 1}
    assert desk.written() == [LogRecord("trades", 2, 0, 1_005, b"k5", b"v5", (TRACE,))]


def test_tombstones_and_records_without_a_key_go_back_as_such(desk: Desk) -> None:
    desk.log.append(LETTERS, None, None, 9, reason_headers(CodecError("x"), "trades", 0, 1))
    desk.redrive()
    assert [(record.key, record.value) for record in desk.written()] == [(None, None)]


def test_redriving_twice_does_not_double(desk: Desk) -> None:
    desk.bury(5)
    desk.bury(6, letters=1)
    assert desk.redrive() == {Outcome.WRITTEN: 2}
    assert desk.redrive() == {Outcome.IN_ALREADY: 2}
    assert desk.values() == [b"v5", b"v6"]


def test_a_later_letter_before_an_earlier_one_and_then_all_writes_each_once(desk: Desk) -> None:
    first, second, third = desk.bury(5), desk.bury(6), desk.bury(7)
    assert desk.redrive(third) == {Outcome.WRITTEN: 1}
    assert desk.redrive(first) == {Outcome.WRITTEN: 1}
    assert desk.redrive(first, second, first) == {Outcome.WRITTEN: 1, Outcome.IN_ALREADY: 2}
    fourth = desk.bury(8)
    assert desk.redrive() == {Outcome.IN_ALREADY: 3, Outcome.WRITTEN: 1}
    assert desk.redrive(fourth) == {Outcome.IN_ALREADY: 1}
    assert desk.values() == [b"v5", b"v6", b"v7", b"v8"]


def test_a_record_that_fails_again_can_be_redriven_again(desk: Desk) -> None:
    desk.redrive(desk.bury(5))
    (again,) = desk.written()
    headers = (*again.headers, *reason_headers(CodecError("no price"), "trades", again.partition, again.offset))
    desk.log.append(LETTERS, again.key, again.value, again.timestamp, headers)
    assert desk.redrive() == {Outcome.IN_ALREADY: 1, Outcome.WRITTEN: 1}
    assert desk.values() == [b"v5", b"v5"]
    assert desk.written()[-1].headers == (TRACE,)


def test_two_letters_of_one_record_are_redriven_as_one(desk: Desk) -> None:
    desk.bury(5)
    desk.bury(5, letters=1)
    assert desk.redrive() == {Outcome.WRITTEN: 1, Outcome.IN_ALREADY: 1}


def test_another_record_at_the_place_of_a_redriven_one_counts_as_another(desk: Desk) -> None:
    desk.redrive(desk.bury(5))
    headers = reason_headers(CodecError("no price"), "trades", 1, 5)
    desk.log.append(LETTERS, b"k5", b"of a topic made anew", 1_005, headers)
    assert desk.redrive() == {Outcome.IN_ALREADY: 1, Outcome.WRITTEN: 1}


def test_letters_of_one_partition_go_back_in_the_order_of_their_records(desk: Desk) -> None:
    for offset, letters in ((7, 0), (5, 1), (6, 0)):
        desk.bury(offset, letters=letters)
    desk.redrive()
    assert [record.value for record in desk.written()] == [b"v5", b"v6", b"v7"]


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        (reason_headers(UnreadableRecordError("not JSON"), "trades", 0, 3), "what the log could not read as one (not JSON)"),
        (reason_headers(CodecError("x"), "gone", 0, 3), "its topic 'gone' is not there any more"),
        (reason_headers(CodecError("x"), "trades", 3, 3), "its topic 'trades' has no partition 3 any more; it has 0 to 2"),
        ((TRACE,), "it does not say which topic, partition and offset it came from"),
    ],
)
def test_what_cannot_go_back_is_told_with_its_reason_and_nothing_is_written(
    desk: Desk, headers: tuple[tuple[str, bytes | None], ...], why: str
) -> None:
    desk.log.append(LETTERS, b"k", b"v", 1, headers)
    (step,) = desk.redriving().redrive(desk.letters())
    assert step.outcome is Outcome.IMPOSSIBLE
    assert why in step.why
    assert desk.written() == []


def test_a_preview_tells_the_same_and_writes_nothing(desk: Desk) -> None:
    desk.redrive(desk.bury(5))
    desk.bury(6)
    desk.bury(6, letters=1)
    before = {topic: desk.written(topic) for topic in desk.log.topics()}
    preview = [(step.letter.place, step.outcome) for step in desk.redriving().preview(desk.letters())]
    assert {topic: desk.written(topic) for topic in desk.log.topics()} == before
    assert sorted(outcome for _, outcome in preview) == [Outcome.IN_ALREADY, Outcome.IN_ALREADY, Outcome.WRITTEN]
    assert [(step.letter.place, step.outcome) for step in desk.redriving().redrive(desk.letters())] == preview


def test_what_has_been_redriven_is_known_to_whoever_asks(desk: Desk) -> None:
    place = desk.bury(5)
    desk.bury(6)
    desk.redrive(place)
    other = desk.redriving()
    other.refresh()
    assert [other.is_redriven(letter) for letter in desk.letters()] == [True, False]


def test_where_nothing_is_to_be_redriven_nothing_is_noted(desk: Desk) -> None:
    assert desk.redrive() == {}
    assert NOTES not in desk.log.topics()


def test_many_letters_go_in_several_batches(desk: Desk) -> None:
    for offset in range(1_200):
        desk.bury(offset, letters=offset % 2)
    assert desk.redrive() == {Outcome.WRITTEN: 1_200}
    assert len(desk.written(NOTES)) == 6
    assert desk.redrive() == {Outcome.IN_ALREADY: 1_200}


# --- killed, and several at once ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lives", [0, 1])
def test_a_redrive_that_was_killed_is_finished_by_the_next_one_whatever_that_asks_for(desk: Desk, lives: int) -> None:
    first, second = desk.bury(5), desk.bury(6)
    with pytest.raises(KilledError):
        list(desk.redriving(Killed(desk.log, lives)).redrive(desk.letters(first)))
    assert desk.values() == []
    steps = [(step.letter.place, step.outcome) for step in desk.redriving().redrive(desk.letters(second))]
    assert steps == [(first, Outcome.WRITTEN)] * lives + [(second, Outcome.WRITTEN)]
    assert desk.redrive() == {Outcome.IN_ALREADY: 1 + lives, **({} if lives else {Outcome.WRITTEN: 1})}
    assert desk.values() == [b"v5", b"v6"]


class Overtaken(MemoryEventSink):
    """Another process redrives all before this one's nth write."""

    def __init__(self, desk: Desk, after: int) -> None:
        super().__init__(desk.log)
        self.desk, self.after = desk, after

    def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        if not self.after:
            self.desk.redrive()
        self.after -= 1
        return super().write(writer, slot, batch, records)


@pytest.mark.parametrize("after", [0, 1])
def test_two_that_redrive_at_once_write_each_record_once(desk: Desk, after: int) -> None:
    desk.bury(5)
    desk.bury(6)
    outcomes = Counter(step.outcome for step in desk.redriving(Overtaken(desk, after)).redrive(desk.letters()))
    assert outcomes.total() == 2
    assert desk.values() == [b"v5", b"v6"]
    assert desk.redrive() == {Outcome.IN_ALREADY: 2}


@pytest.mark.parametrize("seed", range(30))
def test_whatever_is_asked_and_whenever_it_is_killed_each_record_goes_back_once(desk: Desk, seed: int) -> None:
    rng = random.Random(seed)
    places: list[LetterPosition] = []
    for _ in range(12):
        for _ in range(rng.randrange(3)):
            places.append(desk.bury(len(places), letters=rng.randrange(2), partition=rng.randrange(3)))
        asked = rng.sample(places, rng.randrange(len(places) + 1))
        try:
            list(desk.redriving(Killed(desk.log, rng.randrange(4))).redrive(desk.letters(*asked) if asked else ()))
        except (KilledError, RedriveError):
            continue
    desk.redrive()
    assert desk.values() == sorted(b"v%d" % number for number in range(len(places)))


def test_a_batch_that_cannot_be_finished_says_which_letters_it_holds(desk: Desk) -> None:
    place = desk.bury(5)
    with pytest.raises(KilledError):
        list(desk.redriving(Killed(desk.log, 1)).redrive(desk.letters(place)))
    with pytest.raises(RedriveError, match="an earlier redrive, of 0:0, was cut off and cannot be finished"):
        list(desk.redriving(Killed(desk.log, 0)).redrive(desk.letters(place)))


def test_lost_notes_stop_a_redrive_instead_of_doubling(desk: Desk) -> None:
    desk.redrive(desk.bury(5))
    emptied = Desk()
    emptied.log.written = desk.log.written
    emptied.bury(5)
    with pytest.raises(RedriveError, match=f"topic '{NOTES}' does not say so"):
        emptied.redrive()
    assert emptied.values() == []
