"""Shows all reservations of a guest at once, and reports confirmations that the hotel owes."""

from typing import Literal

from eddyline.application.ports.state_store import KeyValueStore
from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.processor import Processor, ProcessorContext, PunctuationType, Record
from eddyline.application.topology.records import SourceRecord
from eddyline.application.topology.stores import key_value_store
from eddyline.domain.reservations import (
    Booking,
    Cancellation,
    Change,
    Confirmation,
    MissedConfirmation,
    OwedConfirmation,
    Reservation,
    Reservations,
    book,
    cancel,
    change,
    confirm,
    guest_view,
    no_reservations,
)

_CLOCKS = {"stream": PunctuationType.STREAM_TIME, "wall": PunctuationType.WALL_CLOCK_TIME}
_LOOK_EVERY_MS = 1_000


class WatchConfirmations(Processor[str, Reservations, str, MissedConfirmation]):
    """Waits in the store `owed-confirmations`, and remembers in `missed-confirmations-told` which it has told of."""

    def __init__(self, limit_ms: int, grace_ms: int, clock: PunctuationType) -> None:
        self._limit_ms = limit_ms
        self._grace_ms = grace_ms
        self._clock = clock
        self._owed: KeyValueStore[str, OwedConfirmation]
        self._told: KeyValueStore[str, int]

    def init(self, context: ProcessorContext[str, MissedConfirmation]) -> None:
        """Takes the stores, and asks to look every second."""
        super().init(context)
        self._owed = context.state_store("owed-confirmations")
        self._told = context.state_store("missed-confirmations-told")
        context.schedule(_LOOK_EVERY_MS, self._clock, self._look)

    def process(self, record: Record[str, Reservations]) -> None:
        """Takes all reservations of a guest as they stand."""
        for number, reservation in record.value.items():
            self._weigh(record.key, f"{record.key}/{number}", reservation, record.timestamp)

    def _weigh(self, guest: str, place: str, reservation: Reservation, at: int) -> None:
        missed = reservation.missed_confirmation(guest, self._limit_ms)
        if missed is None or self._told.get(place) is not None:
            return
        state, waiting = reservation.confirmation_state(self._limit_ms), self._owed.get(place)
        now = self._now()
        until = waiting.until if waiting else self._begin(missed, now) + self._limit_ms + self._grace_ms
        if state == "owed" and now <= until:
            self._owed.put(place, OwedConfirmation(until, missed))
            return
        self._owed.delete(place)
        if state != "settled":
            self._tell(place, missed, at)

    def _now(self) -> int:
        by_stream = self._clock is PunctuationType.STREAM_TIME
        return self.context.current_stream_time_ms() if by_stream else self.context.current_system_time_ms()

    def _begin(self, missed: MissedConfirmation, now: int) -> int:
        return missed.booked_at if self._clock is PunctuationType.STREAM_TIME else now

    def _look(self, now: int) -> None:
        for place, owed in self._owed.range():
            if owed.until < now:
                self._owed.delete(place)
                self._tell(place, owed.missed, now)

    def _tell(self, place: str, missed: MissedConfirmation, at: int) -> None:
        self._told.put(place, at)
        self.context.forward(Record(missed.guest, missed, at))


def hotel_reservations(
    builder: TopologyBuilder,
    *,
    confirm_within_ms: int = 60_000,
    grace_ms: int = 0,
    punctuation: Literal["stream", "wall"] = "stream",
) -> None:
    """Bookings, changes, cancellations and confirmations in, by guest; out, after each, the whole view of its guest.

    A booking that is neither confirmed nor cancelled within `confirm_within_ms` is reported, once: by stream time, or when
    it has been known for so long by the wall clock. `grace_ms` waits longer for answers that become known late.
    """
    clock = _CLOCKS[punctuation]
    bookings = builder.stream("bookings", key=str, value=Booking, timestamp=_acted_at).group_by_key()
    changes = builder.stream("booking-changes", key=str, value=Change, timestamp=_acted_at).group_by_key()
    cancellations = builder.stream("cancellations", key=str, value=Cancellation, timestamp=_acted_at).group_by_key()
    confirmations = builder.stream("confirmations", key=str, value=Confirmation, timestamp=_acted_at).group_by_key()
    guests = (
        bookings.cogroup(book)
        .cogroup(changes, change)
        .cogroup(cancellations, cancel)
        .cogroup(confirmations, confirm)
        .aggregate(no_reservations, value=dict[str, Reservation], store="guest-reservations")
        .to_stream()
    )
    guests.map_values(guest_view, with_key=True).to("guest-views")
    builder.add_state_store(key_value_store("owed-confirmations", key=str, value=OwedConfirmation))
    builder.add_state_store(key_value_store("missed-confirmations-told", key=str, value=int))
    guests.process(
        lambda: WatchConfirmations(confirm_within_ms, grace_ms, clock),
        stores=["owed-confirmations", "missed-confirmations-told"],
        key=str,
        value=MissedConfirmation,
    ).to("missed-confirmations")


def _acted_at(record: SourceRecord) -> int | None:
    return None if record.value is None else record.value.at
