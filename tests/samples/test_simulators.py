"""What holds of every simulation."""

import time
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest

from eddyline.application.samples.catalogue import SIMULATORS
from eddyline.application.samples.simulation import SimulatedEvent, SimulationError, Simulator
from eddyline.application.samples.simulation.events import START_MS

ALL = pytest.mark.parametrize("simulator", SIMULATORS, ids=[simulator.name for simulator in SIMULATORS])

SMALL: dict[str, dict[str, Any]] = {
    "popular-products": {"views": 3_000, "spoilt": 0.1},
    "product-counter": {"withdrawn": 0.1},
    "inventory": {"spoilt": 0.1},
    "device-maintenance": {"spoilt": 0.1},
    "beaconing": {"hosts": 3, "hours": 3},
    "cdc-table": {"restarts": 0.1},
}
"""Settings that show much in little time."""

AS_EVER = {
    "word-count": "c73c1e174cc32b57",
    "clickstream": "0f07104563f47f98",
    "fb-notifications": "6080e9743f719414",
    "notification-metrics": "97c0624835503d6e",
    "captcha": "dce355a300bc0307",
    "popular-products": "478e18aecd5c74eb",
    "product-counter": "369e5d6f7a103d07",
    "inventory": "8787c18d37143860",
    "log-triage": "d1e0fdf682c434db",
    "hotel-reservations": "a946ccef327cc300",
    "device-maintenance": "62671abc9eb6c05c",
    "beaconing": "1195b1f24ae2ed90",
    "cdc-table": "1b390bed4cb7ed2b",
}


LEASTS = {
    "word-count": {"lines": 0},
    "clickstream": {"users": 1, "visits": 0, "delay_ms": 0},
    "fb-notifications": {"users": 1, "minutes": 0, "tick_ms": 1},
    "notification-metrics": {"users": 1, "hours": 0, "delay_ms": 0},
    "captcha": {"humans": 0, "robots": 0},
    "popular-products": {"views": 0, "pages": 1, "users": 1},
    "product-counter": {"views": 0, "products": 1},
    "inventory": {"stores": 1, "skus": 1, "sales": 0, "delay_ms": 0},
    "log-triage": {"entries": 0, "incidents": 0},
    "hotel-reservations": {"guests": 1, "hours": 1, "delay_ms": 0},
    "device-maintenance": {"machines": 0, "worn": 0, "silent": 0, "hours": 1, "delay_ms": 0},
    "beaconing": {"hosts": 1, "infected": 0, "hours": 1, "delay_ms": 0},
    "cdc-table": {"customers": 1, "steps": 0},
}
"""Settings of numbers: there may be nobody to do something, where others are left who do."""


def small(simulator: Simulator, **settings: Any) -> list[SimulatedEvent]:
    disorder = {"out_of_order": 0.1} if "out_of_order" in simulator.settings else {}
    return list(simulator.generate(**(SMALL.get(simulator.name, {}) | disorder | settings)))


@ALL
def test_the_same_seed_gives_the_same_events_and_another_seed_others(simulator: Simulator) -> None:
    assert small(simulator, seed=1) == small(simulator, seed=1)
    assert small(simulator, seed=1) != small(simulator, seed=2)


@ALL
def test_a_seed_gives_the_same_events_as_ever(simulator: Simulator) -> None:
    """Whoever changes a simulation sets its new sum here, and tells those who compare results between versions."""
    events = "\n".join(map(repr, small(simulator, seed=7)))
    assert sha256(events.encode()).hexdigest()[:16] == AS_EVER[simulator.name]


@ALL
def test_events_are_of_the_topics_that_are_told_all_of_them(simulator: Simulator) -> None:
    assert {event.topic for event in small(simulator)} == set(simulator.topics)


@ALL
def test_events_begin_when_they_should_wherever_that_is(simulator: Simulator) -> None:
    events, moved = small(simulator), small(simulator, start_ms=START_MS + 60_000)
    assert min(event.timestamp for event in events) >= START_MS
    assert [event.timestamp + 60_000 for event in events] == [event.timestamp for event in moved]
    assert [event.key for event in events] == [event.key for event in moved]


@ALL
def test_what_is_not_asked_to_be_out_of_order_arrives_by_event_time(simulator: Simulator) -> None:
    if "out_of_order" in simulator.settings:
        in_order = [event.timestamp for event in small(simulator, out_of_order=0.0)]
        assert in_order == sorted(in_order)
        delayed = [event.timestamp for event in small(simulator, out_of_order=0.5)]
        assert delayed != sorted(delayed)
    else:
        in_order = [event.timestamp for event in small(simulator)]
        assert in_order == sorted(in_order)


def wrong_settings() -> Iterator[tuple[Simulator, str, float]]:
    for simulator in SIMULATORS:
        for setting in simulator.settings.values():
            if setting.name not in ("seed", "start_ms"):
                yield simulator, setting.name, -1
            if setting.type is float:
                yield simulator, setting.name, 1.5


@pytest.mark.parametrize(
    ("simulator", "name", "wrong"), list(wrong_settings()), ids=lambda value: getattr(value, "name", str(value))
)
def test_a_setting_that_cannot_be_followed_is_named_at_once(simulator: Simulator, name: str, wrong: float) -> None:
    with pytest.raises(SimulationError, match=rf"^{name} is {wrong}; .*give"):
        simulator.generate(**{name: wrong})


@ALL
def test_a_simulation_may_be_as_small_as_its_settings_allow_and_no_smaller(simulator: Simulator) -> None:
    leasts = LEASTS[simulator.name]
    numbers = {setting.name for setting in simulator.settings.values() if setting.type is int}
    assert leasts.keys() == numbers - {"seed", "start_ms"}
    assert all(event.topic in simulator.topics for event in simulator.generate(**leasts))
    for name, least in leasts.items():
        with pytest.raises(SimulationError, match=rf"^{name} is {least - 1}; give {least} or more$"):
            simulator.generate(**{**leasts, name: least - 1})


@ALL
def test_what_is_not_set_is_as_the_setting_tells(simulator: Simulator) -> None:
    told = {setting.name: setting.default for setting in simulator.settings.values()}
    assert list(simulator.generate()) == list(simulator.generate(**told))


@ALL
def test_a_seed_gives_the_same_events_wherever_the_machine_stands(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    here = list(map(repr, small(simulator)))
    try:
        for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):
            monkeypatch.setenv("TZ", zone)
            time.tzset()
            assert list(map(repr, small(simulator))) == here
    finally:
        monkeypatch.undo()
        time.tzset()


@ALL
def test_every_setting_has_a_default_and_a_meaning(simulator: Simulator) -> None:
    for setting in simulator.settings.values():
        assert setting.type in (int, float)
        assert type(setting.default) is setting.type
        assert setting.meaning.endswith(".")


def test_simulations_have_names_of_their_own() -> None:
    assert len({simulator.name for simulator in SIMULATORS}) == len(SIMULATORS)
