from eddyline.domain.hospitality import (
    Confirmation,
    ConfirmationFact,
    ConfirmationTerms,
    MissedConfirmation,
    NothingOwed,
    OwedConfirmation,
    Reservation,
    SettledConfirmation,
)
from tests.domain.hospitality.facts import BOOKING, Fact, reservation_of

MISSED = MissedConfirmation("ann", "r1", "Astoria", 1_000, 61_000)
MINUTE = ConfirmationTerms(60_000)


def review(*facts: Fact, now: int, terms: ConfirmationTerms = MINUTE) -> ConfirmationFact:
    return terms.review("ann", reservation_of(facts), now=now)


def test_nothing_is_owed_while_the_booking_is_not_known() -> None:
    assert MINUTE.review("ann", Reservation(), now=99_999) == NothingOwed()


def test_a_confirmation_is_owed_until_its_time_is_over_and_missed_then() -> None:
    assert review(BOOKING, now=61_000) == OwedConfirmation(61_000, MISSED)
    assert review(BOOKING, now=61_001) == MISSED


def test_the_grace_period_prolongs_the_waiting_but_not_the_time_at_which_the_confirmation_is_due() -> None:
    terms = ConfirmationTerms(60_000, grace_ms=5_000)
    assert review(BOOKING, now=66_000, terms=terms) == OwedConfirmation(66_000, MISSED)
    assert review(BOOKING, now=66_001, terms=terms) == MISSED


def test_a_confirmation_in_time_settles_it_although_it_becomes_known_late() -> None:
    assert review(BOOKING, Confirmation("r1", 61_000), now=999_999) == SettledConfirmation()


def test_a_confirmation_that_is_too_late_is_missed_whatever_the_time() -> None:
    assert review(BOOKING, Confirmation("r1", 61_001), now=0) == MISSED


def test_waiting_that_has_started_ends_at_the_same_time_whatever_the_booking() -> None:
    waiting = OwedConfirmation(70_000, MISSED)
    booked = reservation_of([BOOKING])
    assert MINUTE.review("ann", booked, now=70_000, waiting=waiting) == waiting
    assert MINUTE.review("ann", booked, now=70_001, waiting=waiting) == MISSED


def test_waiting_may_start_at_another_time_than_that_of_the_booking() -> None:
    owed = MINUTE.review("ann", reservation_of([BOOKING]), now=500_000, waiting_from=500_000)
    assert owed == OwedConfirmation(560_000, MISSED)


def test_an_owed_confirmation_is_overdue_after_the_end_of_the_waiting() -> None:
    owed = OwedConfirmation(61_000, MISSED)
    assert not owed.is_overdue(61_000)
    assert owed.is_overdue(61_001)
