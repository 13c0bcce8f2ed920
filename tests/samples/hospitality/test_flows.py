from eddyline.application.samples.simulation.events import SECOND
from eddyline.application.topology.types import Emit
from eddyline.domain.hospitality import Booking, Cancellation, Confirmation
from tests.samples.simulated import EMITS, SEEDS, run, simulate


@SEEDS
@EMITS
def test_exactly_the_missed_confirmations_are_reported(seed: int, emit: Emit) -> None:
    events = simulate("hotel-reservations", seed=seed, guests=200)
    booked = {event.value.reservation: event.value.at for event in events if isinstance(event.value, Booking)}
    answered: dict[str, int] = {}
    for event in events:
        if isinstance(event.value, Confirmation | Cancellation):
            answered[event.value.reservation] = min(event.value.at, answered.get(event.value.reservation, event.value.at))
    missed = {number: at for number, at in booked.items() if answered.get(number, at + 61 * SECOND) > at + 60 * SECOND}
    engine = run("hotel-reservations", events, grace_ms=20 * SECOND, emit=emit)
    reported = [output.value.reservation for output in engine.outputs("missed-confirmations")]
    end = max(event.timestamp for event in events)
    assert len(set(reported)) == len(reported)
    assert {number for number, at in missed.items() if at + 90 * SECOND < end} <= set(reported) <= missed.keys()
    assert len(reported) > 20
    assert len(engine.outputs("guest-views")) == (len(events) if emit == "every-update" else 200)
