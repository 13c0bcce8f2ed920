"""The flow hotel-reservations: all reservations of a guest at a glance, and the confirmations that hotels missed."""

from typing import Literal

from eddyline import (
    KeyValueStore,
    Processor,
    ProcessorContext,
    PunctuationType,
    Record,
    SourceRecord,
    TopologyBuilder,
    key_value_store,
)
from eddyline.domain.hospitality import (
    Booking,
    Cancellation,
    Change,
    Confirmation,
    ConfirmationTerms,
    GuestReservations,
    GuestView,
    MissedConfirmation,
    NothingOwed,
    OwedConfirmation,
    Reservation,
    SettledConfirmation,
)

_CLOCKS = {"stream": PunctuationType.STREAM_TIME, "wall": PunctuationType.WALL_CLOCK_TIME}
_CHECK_INTERVAL_MS = 1_000


class WatchConfirmations(Processor[str, GuestReservations, str, MissedConfirmation]):
    """Reports each confirmation that is missed, once.

    The store `owed-confirmations` has the confirmations that are awaited, `missed-confirmations-told` those that were reported.
    """

    def __init__(self, terms: ConfirmationTerms, clock: PunctuationType) -> None:
        self._terms = terms
        self._clock = clock
        self._owed: KeyValueStore[str, OwedConfirmation]
        self._reported: KeyValueStore[str, int]

    def init(self, context: ProcessorContext[str, MissedConfirmation]) -> None:
        """Open the stores and schedule the check for overdue confirmations."""
        super().init(context)
        self._owed = context.state_store("owed-confirmations")
        self._reported = context.state_store("missed-confirmations-told")
        context.schedule(_CHECK_INTERVAL_MS, self._clock, self._report_overdue)

    def process(self, record: Record[str, GuestReservations]) -> None:
        """Review the confirmations of all reservations of a guest."""
        for number, reservation in record.value.by_number.items():
            self._review(record.key, number, reservation, record.timestamp)

    def _review(self, guest: str, number: str, reservation: Reservation, at: int) -> None:
        key = f"{guest}/{number}"
        if self._reported.get(key) is not None:
            return
        by_stream_time = self._clock is PunctuationType.STREAM_TIME
        now = self.context.current_stream_time_ms() if by_stream_time else self.context.current_system_time_ms()
        fact = self._terms.review(
            guest, reservation, now=now, waiting=self._owed.get(key), waiting_from=None if by_stream_time else now
        )
        match fact:
            case NothingOwed():
                pass
            case OwedConfirmation():
                self._owed.put(key, fact)
            case SettledConfirmation():
                self._owed.delete(key)
            case MissedConfirmation():
                self._owed.delete(key)
                self._report(key, fact, at)

    def _report_overdue(self, now: int) -> None:
        for key, owed in self._owed.range():
            if owed.is_overdue(now):
                self._owed.delete(key)
                self._report(key, owed.missed, now)

    def _report(self, key: str, missed: MissedConfirmation, at: int) -> None:
        self._reported.put(key, at)
        self.context.forward(Record(missed.guest, missed, at))


def hotel_reservations(
    builder: TopologyBuilder,
    *,
    confirm_within_ms: int = 60_000,
    grace_ms: int = 0,
    punctuation: Literal["stream", "wall"] = "stream",
) -> None:
    """Show all reservations of a guest, and report the bookings that are not confirmed in time.

    Input: `bookings`, `booking-changes`, `cancellations` and `confirmations`, keyed by guest. Output: `guest-views`, the view
    of the guest after each of them, and `missed-confirmations`, each booking that is neither confirmed nor cancelled within
    `confirm_within_ms`, once.

    The time is stream time, counted from the booking, or with `punctuation` wall the wall-clock time, counted from when the
    booking became known. `grace_ms` is added for answers that arrive late.
    """
    bookings = builder.stream("bookings", key=str, value=Booking, timestamp=_acted_at).group_by_key()
    changes = builder.stream("booking-changes", key=str, value=Change, timestamp=_acted_at).group_by_key()
    cancellations = builder.stream("cancellations", key=str, value=Cancellation, timestamp=_acted_at).group_by_key()
    confirmations = builder.stream("confirmations", key=str, value=Confirmation, timestamp=_acted_at).group_by_key()
    guests = (
        bookings.cogroup(GuestReservations.book)
        .cogroup(changes, GuestReservations.change)
        .cogroup(cancellations, GuestReservations.cancel)
        .cogroup(confirmations, GuestReservations.confirm)
        .aggregate(GuestReservations, store="guest-reservations")
        .to_stream()
    )
    guests.map_values(_view, with_key=True).to("guest-views")
    builder.add_state_store(key_value_store("owed-confirmations", key=str, value=OwedConfirmation))
    builder.add_state_store(key_value_store("missed-confirmations-told", key=str, value=int))
    terms, clock = ConfirmationTerms(confirm_within_ms, grace_ms), _CLOCKS[punctuation]
    guests.process(
        lambda: WatchConfirmations(terms, clock),
        stores=["owed-confirmations", "missed-confirmations-told"],
        key=str,
        value=MissedConfirmation,
    ).to("missed-confirmations")


def _acted_at(record: SourceRecord) -> int | None:
    return None if record.value is None else record.value.at


def _view(guest: str, reservations: GuestReservations) -> GuestView:
    return reservations.view(guest)
