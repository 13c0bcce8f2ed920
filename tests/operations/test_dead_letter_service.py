"""Pages of dead letters, the latest first, and redriving from several threads."""

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.application.operations import dead_letter_service
from eddyline.application.operations.dead_letter_log import LetterPosition, NoSuchLetterError
from eddyline.application.operations.dead_letter_service import (
    DeadLetterService,
    InvalidCursorError,
    LetterPage,
    RedriveInProgressError,
)
from eddyline.application.operations.redrive import Outcome
from eddyline.application.ports.codec import CodecError
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.dead_letters import reason_headers
from tests.operations.dead_letters import DEAD_LETTERS, DeadLetterSetup


def service(setup: DeadLetterSetup, application_id: str = "app") -> DeadLetterService:
    return DeadLetterService(setup.log, MemoryEventSink(setup.log), MemoryClock(), application_id)


def values(page: LetterPage) -> list[bytes | None]:
    return [listed.letter.record.value for listed in page.letters]


def all_pages(letters: DeadLetterService, limit: int, **filters: str) -> list[bytes | None]:
    found: list[bytes | None] = []
    cursor = None
    while True:
        page = letters.page(limit, cursor, **filters)
        assert len(page.letters) <= limit
        found += values(page)
        cursor = page.cursor
        if cursor is None:
            return found


def test_an_application_without_dead_letters_has_an_empty_page(setup: DeadLetterSetup) -> None:
    assert service(setup, "other").page() == LetterPage([], None, 0)


def test_the_latest_dead_letters_of_all_partitions_come_first(setup: DeadLetterSetup) -> None:
    for number in range(6):
        setup.add_letter(number, to_partition=number % 2)
    page = service(setup).page(4)
    assert (values(page), page.total) == ([b"v5", b"v4", b"v3", b"v2"], 6)
    assert values(service(setup).page(4, page.cursor)) == [b"v1", b"v0"]


def test_the_total_counts_no_transaction_markers(setup: DeadLetterSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    read = setup.log.read

    def without_markers(topic: str, partition: int, start: int, end: int) -> Iterator[Sequence[LogRecord]]:
        for batch in read(topic, partition, start, end):
            yield [record for record in batch if topic != DEAD_LETTERS or record.offset % 2 == 0]

    monkeypatch.setattr(setup.log, "read", without_markers)
    letters = service(setup)
    for number in range(8):
        setup.add_letter(number)
    assert letters.page().total == 4
    for number in range(4):
        setup.add_letter(number)
    assert letters.page().total == 6
    setup.log.clear(DEAD_LETTERS)
    assert letters.page().total == 0


def test_a_page_says_what_was_redriven(setup: DeadLetterSetup) -> None:
    first, second = setup.add_letter(1), setup.add_letter(2)
    letters = service(setup)
    letters.redrive([first])
    assert [listed.redriven for listed in letters.page().letters] == [False, True]
    assert [letters.at(position).redriven for position in (first, second)] == [True, False]


def test_pages_hold_what_matches(setup: DeadLetterSetup) -> None:
    setup.add_letter(1)
    setup.log.append(DEAD_LETTERS, None, b"other", 2_000, reason_headers(ValueError("x"), "orders", 0, 1))
    letters = service(setup)
    assert values(letters.page(topic="orders")) == [b"other"]
    assert values(letters.page(exception="CodecError")) == [b"v1"]
    assert values(letters.page(topic="orders", exception="CodecError")) == []


def test_a_search_reads_no_more_than_its_limit_and_can_be_continued(
    setup: DeadLetterSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dead_letter_service, "_MOST_READ", 3)
    setup.log.append(DEAD_LETTERS, None, b"wanted", 1, reason_headers(CodecError("x"), "orders", 0, 1))
    for number in range(7):
        setup.add_letter(number)
    letters = service(setup)
    page = letters.page(topic="orders")
    assert (values(page), page.cursor is None) == ([], False)
    assert all_pages(letters, 10, topic="orders") == [b"wanted"]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 1)), max_size=30), st.integers(1, 7))
def test_pages_have_every_dead_letter_once(added: list[tuple[int, int]], limit: int) -> None:
    setup = DeadLetterSetup()
    for number, (timestamp, partition) in enumerate(added):
        headers = reason_headers(CodecError("x"), "trades", 0, number)
        setup.log.append(DEAD_LETTERS, None, b"%d" % number, timestamp, headers, partition=partition)
    found = all_pages(service(setup), limit)
    assert sorted(found, key=str) == sorted((b"%d" % number for number in range(len(added))), key=str)


def test_what_is_added_between_two_pages_does_not_move_the_second_one(setup: DeadLetterSetup) -> None:
    for number in range(4):
        setup.add_letter(number)
    letters = service(setup)
    first = letters.page(2)
    setup.add_letter(9)
    assert values(letters.page(2, first.cursor)) == [b"v1", b"v0"]


@pytest.mark.parametrize("cursor", ["x", "e30=", "WyJhIl0=", "W1siYSIsMV1d", "W1swLC0xXV0=", "W1swLHRydWVdXQ==", "é", ""])
def test_an_invalid_cursor_is_refused_or_the_beginning(setup: DeadLetterSetup, cursor: str) -> None:
    setup.add_letter(1)
    if cursor == "e30=":  # an empty mapping
        assert values(service(setup).page(1, cursor)) == []
        return
    with pytest.raises(InvalidCursorError, match="pass the cursor of the page before, or none"):
        service(setup).page(1, cursor)


def test_positions_are_redriven_once(setup: DeadLetterSetup) -> None:
    first, second = setup.add_letter(1), setup.add_letter(2)
    letters = service(setup)
    assert letters.redrive([first], dry_run=True).counts == {Outcome.WRITTEN: 1}
    assert setup.values() == []
    assert letters.redrive([first]).counts == {Outcome.WRITTEN: 1}
    summary = letters.redrive([first, second])
    assert summary.counts == {Outcome.WRITTEN: 1, Outcome.ALREADY_REDRIVEN: 1}
    assert {result.letter.position for result in summary.results} == {first, second}
    assert setup.values() == [b"v1", b"v2"]


def test_an_unknown_position_writes_nothing(setup: DeadLetterSetup) -> None:
    position = setup.add_letter(1)
    with pytest.raises(NoSuchLetterError, match=r"there is no dead letter 0:7"):
        service(setup).redrive([position, LetterPosition(0, 7)])
    assert setup.values() == []


def test_all_dead_letters_or_those_of_a_topic_are_redriven(setup: DeadLetterSetup) -> None:
    for number in range(3):
        setup.add_letter(number)
    assert service(setup).redrive_all("orders").counts == {}
    assert service(setup).redrive_all("trades").counts == {Outcome.WRITTEN: 3}
    assert service(setup).redrive_all().counts == {Outcome.ALREADY_REDRIVEN: 3}


def test_many_results_are_counted_and_the_first_are_kept(setup: DeadLetterSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dead_letter_service, "_MOST_RESULTS", 2)
    for number in range(5):
        setup.add_letter(number)
    summary = service(setup).redrive_all()
    assert (summary.counts, len(summary.results)) == ({Outcome.WRITTEN: 5}, 2)


def test_a_second_redrive_is_refused_and_dead_letters_are_listed_while_one_runs(setup: DeadLetterSetup) -> None:
    position = setup.add_letter(1)
    entered, go_on = threading.Event(), threading.Event()

    class SlowSink(MemoryEventSink):
        def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
            entered.set()
            assert go_on.wait(120)
            return super().write(writer, slot, batch, records)

    letters = DeadLetterService(setup.log, SlowSink(setup.log), MemoryClock(), "app")
    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(letters.redrive, [position])
        assert entered.wait(120)
        with pytest.raises(RedriveInProgressError, match="dead letters of 'app' are being redriven; try again later"):
            letters.redrive([position])
        assert [listed.redriven for listed in letters.page().letters] == [False]
        go_on.set()
        assert running.result().counts == {Outcome.WRITTEN: 1}
    assert letters.redrive([position]).counts == {Outcome.ALREADY_REDRIVEN: 1}


def test_redrives_in_several_threads_write_each_record_once(setup: DeadLetterSetup) -> None:
    positions = [setup.add_letter(number, to_partition=number % 2) for number in range(40)]
    letters = service(setup)

    def redrive(start: int) -> None:
        while True:
            with suppress(RedriveInProgressError):
                letters.redrive(positions[start : start + 20])
                return

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(redrive, [*range(20), *range(20)]))
    assert len(setup.values()) == 39
    assert letters.redrive_all().counts == {Outcome.ALREADY_REDRIVEN: 39, Outcome.WRITTEN: 1}
