"""What all simulators have in common."""

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
"""Settings with which a short simulation has events of every kind."""

CHECKSUMS = {
    "word-count": "c73c1e174cc32b57",
    "clickstream": "4f76420c65485283",
    "fb-notifications": "6080e9743f719414",
    "notification-metrics": "97c0624835503d6e",
    "captcha": "d5a79a8f05093722",
    "popular-products": "478e18aecd5c74eb",
    "product-counter": "369e5d6f7a103d07",
    "inventory": "8787c18d37143860",
    "log-triage": "b4b0c4c1bf4aa155",
    "hotel-reservations": "a946ccef327cc300",
    "device-maintenance": "62671abc9eb6c05c",
    "beaconing": "1195b1f24ae2ed90",
    "cdc-table": "1b390bed4cb7ed2b",
    "daily-range": "399f3d0d65d3149f",
    "search-results": "b28ea09833f9155a",
    "user-360": "7a9b9ca6b084f19c",
    "shoe-store": "e7dbb7bc69ac3b22",
    "weekly-products": "ad69bec588029d47",
    "payment-approval": "25c25e5a180dd6e9",
    "load-percentiles": "1120d9bbd7f3d945",
    "large-sales": "14c6854f79d5ef95",
}
"""Checksums of the events of seed 7."""

MINIMUMS = {
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
    "daily-range": {"instruments": 1, "prices": 0, "hours": 1, "crashes": 0, "delay_ms": 0},
    "search-results": {"users": 1, "minutes": 0, "trends": 0, "delay_ms": 0},
    "user-360": {"users": 1, "minutes": 0, "robots": 0, "delay_ms": 0},
    "shoe-store": {"stores": 1, "shoes": 1, "sales": 0},
    "weekly-products": {"orders": 0, "products": 1, "hours": 1, "hypes": 0, "delay_ms": 0},
    "payment-approval": {"cards": 1, "payments": 0, "frauds": 0},
    "load-percentiles": {"hosts": 1, "minutes": 0, "overloads": 0, "delay_ms": 0},
    "large-sales": {"people": 1, "sales": 0, "large": 0},
}
"""The smallest allowed values of all settings that are counts or durations."""


def small(simulator: Simulator, **settings: Any) -> list[SimulatedEvent]:
    delays = {"out_of_order": 0.1} if "out_of_order" in simulator.settings else {}
    return list(simulator.generate(**(SMALL.get(simulator.name, {}) | delays | settings)))


@ALL
def test_the_same_seed_gives_the_same_events_and_another_seed_different_ones(simulator: Simulator) -> None:
    assert small(simulator, seed=1) == small(simulator, seed=1)
    assert small(simulator, seed=1) != small(simulator, seed=2)


@ALL
def test_a_seed_gives_the_same_events_in_every_version(simulator: Simulator) -> None:
    """Set the new checksum after an intended change of a simulation, and mention it in the changelog."""
    events = "\n".join(map(repr, small(simulator, seed=7)))
    assert sha256(events.encode()).hexdigest()[:16] == CHECKSUMS[simulator.name]


@ALL
def test_events_are_sent_to_all_declared_topics_and_no_others(simulator: Simulator) -> None:
    assert {event.topic for event in small(simulator)} == set(simulator.topics)


@ALL
def test_a_later_start_moves_all_events_and_changes_nothing_else(simulator: Simulator) -> None:
    events, moved = small(simulator), small(simulator, start_ms=START_MS + 60_000)
    assert min(event.timestamp for event in events) >= START_MS
    assert [event.timestamp + 60_000 for event in events] == [event.timestamp for event in moved]
    assert [event.key for event in events] == [event.key for event in moved]


@ALL
def test_events_arrive_in_order_of_event_time_unless_some_are_delayed(simulator: Simulator) -> None:
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
def test_the_error_for_a_setting_out_of_range_names_it(simulator: Simulator, name: str, wrong: float) -> None:
    with pytest.raises(SimulationError, match=rf"^{name} is {wrong}; choose "):
        simulator.generate(**{name: wrong})


@ALL
def test_the_smallest_values_of_settings_are_allowed_and_smaller_ones_are_not(simulator: Simulator) -> None:
    minimums = MINIMUMS[simulator.name]
    numbers = {setting.name for setting in simulator.settings.values() if setting.type is int}
    assert minimums.keys() == numbers - {"seed", "start_ms"}
    assert all(event.topic in simulator.topics for event in simulator.generate(**minimums))
    for name, least in minimums.items():
        with pytest.raises(SimulationError, match=rf"^{name} is {least - 1}; choose {least} or more$"):
            simulator.generate(**{**minimums, name: least - 1})


@ALL
def test_settings_have_the_declared_defaults(simulator: Simulator) -> None:
    defaults = {setting.name: setting.default for setting in simulator.settings.values()}
    assert list(simulator.generate()) == list(simulator.generate(**defaults))


@ALL
def test_a_seed_gives_the_same_events_in_every_time_zone(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_simulators_have_unique_names() -> None:
    assert len({simulator.name for simulator in SIMULATORS}) == len(SIMULATORS)
