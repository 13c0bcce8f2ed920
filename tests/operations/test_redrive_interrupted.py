"""Redrives that are killed, or that run at the same time: each record is still written back once."""

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.application.operations.dead_letter_log import LetterPosition
from eddyline.application.operations.redrive import Outcome, RedriveError
from eddyline.application.ports.event_sink import SinkRecord
from tests.operations.dead_letters import DEAD_LETTERS, JOURNAL, DeadLetterSetup, KilledError, KilledSink


@pytest.mark.parametrize("writes", [0, 1])
def test_a_killed_redrive_is_completed_by_the_next_one_whatever_that_redrives(setup: DeadLetterSetup, writes: int) -> None:
    first, second = setup.add_letter(5), setup.add_letter(6)
    with pytest.raises(KilledError):
        list(setup.redriver(KilledSink(setup.log, writes)).redrive(setup.letters(first)))
    assert setup.values() == []
    results = [(result.letter.position, result.outcome) for result in setup.redriver().redrive(setup.letters(second))]
    assert results == [(first, Outcome.WRITTEN)] * writes + [(second, Outcome.WRITTEN)]
    assert setup.redrive() == {Outcome.ALREADY_REDRIVEN: 1 + writes, **({} if writes else {Outcome.WRITTEN: 1})}
    assert setup.values() == [b"v5", b"v6"]


class OvertakenSink(MemoryEventSink):
    """A sink before whose nth write another process redrives all dead letters."""

    def __init__(self, setup: DeadLetterSetup, after: int) -> None:
        super().__init__(setup.log)
        self._setup, self._after = setup, after

    def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        if not self._after:
            self._setup.redrive()
        self._after -= 1
        return super().write(writer, slot, batch, records)


@pytest.mark.parametrize("after", [0, 1])
def test_two_concurrent_redrives_write_each_record_once(setup: DeadLetterSetup, after: int) -> None:
    setup.add_letter(5)
    setup.add_letter(6)
    outcomes = Counter(result.outcome for result in setup.redriver(OvertakenSink(setup, after)).redrive(setup.letters()))
    assert outcomes.total() == 2
    assert setup.values() == [b"v5", b"v6"]
    assert setup.redrive() == {Outcome.ALREADY_REDRIVEN: 2}


@pytest.mark.parametrize("seed", range(30))
def test_redrives_of_any_dead_letters_killed_at_any_time_write_each_record_once(setup: DeadLetterSetup, seed: int) -> None:
    rng = random.Random(seed)
    positions: list[LetterPosition] = []
    for _ in range(12):
        for _ in range(rng.randrange(3)):
            positions.append(setup.add_letter(len(positions), to_partition=rng.randrange(2), partition=rng.randrange(3)))
        chosen = rng.sample(positions, rng.randrange(len(positions) + 1))
        sink = KilledSink(setup.log, rng.randrange(4))
        try:
            list(setup.redriver(sink).redrive(setup.letters(*chosen) if chosen else ()))
        except (KilledError, RedriveError):
            continue
    setup.redrive()
    assert setup.values() == sorted(b"v%d" % number for number in range(len(positions)))


def test_a_batch_that_cannot_be_completed_is_reported_with_its_dead_letters(setup: DeadLetterSetup) -> None:
    position = setup.add_letter(5)
    with pytest.raises(KilledError):
        list(setup.redriver(KilledSink(setup.log, 1)).redrive(setup.letters(position)))
    with pytest.raises(RedriveError, match="an earlier redrive of dead letters 0:0 was interrupted and cannot be completed"):
        list(setup.redriver(KilledSink(setup.log, 0)).redrive(setup.letters(position)))


def test_a_lost_journal_stops_a_redrive_instead_of_writing_records_twice(setup: DeadLetterSetup) -> None:
    setup.redrive(setup.add_letter(5))
    emptied = DeadLetterSetup()
    emptied.log.last_batches = setup.log.last_batches
    emptied.add_letter(5)
    with pytest.raises(RedriveError, match=f"topic '{JOURNAL}' has no entry of it; if the topic was emptied or deleted"):
        emptied.redrive()
    assert emptied.values() == []


def test_an_interrupted_batch_is_completed_without_the_dead_letters_that_were_deleted(setup: DeadLetterSetup) -> None:
    deleted, kept = setup.add_letter(5), setup.add_letter(6, to_partition=1)
    with pytest.raises(KilledError):
        list(setup.redriver(KilledSink(setup.log, 1)).redrive(setup.letters(deleted, kept)))
    setup.log.clear(DEAD_LETTERS)
    setup.add_letter(6, to_partition=1)
    assert [result.letter.position for result in setup.redriver().redrive(())] == [kept]
    assert setup.values() == [b"v6"]
