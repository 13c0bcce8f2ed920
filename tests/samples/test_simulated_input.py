"""Flows find in simulated input what was put into it."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.application.runtime.options import Emit
from eddyline.application.samples.catalogue import FLOWS, SIMULATORS, find_flow
from eddyline.application.samples.security.simulator import KNOWN, SITES
from eddyline.application.samples.simulation import SimulatedEvent
from eddyline.application.samples.simulation.events import MINUTE, SECOND
from eddyline.domain.hospitality import Booking, Cancellation, Confirmation
from eddyline.domain.retail import Customer, CustomerChange, Inventory, Purchase
from eddyline.domain.security import Connection
from eddyline.domain.text import Line

SEEDS = pytest.mark.parametrize("seed", range(3))
EMITS = pytest.mark.parametrize("emit", ["every-update", "latest"])


def simulated(name: str, **settings: Any) -> list[SimulatedEvent]:
    (simulator,) = (simulator for simulator in SIMULATORS if simulator.name == name)
    return list(simulator.generate(**settings))


def played(
    flow: str, events: list[SimulatedEvent], *, partitions: int = 1, emit: Emit = "every-update", **settings: Any
) -> MemoryEngine:
    """The flow after these events, which went through the codecs as they would through a topic."""
    topology, codecs = find_flow(flow).topology(**settings), JsonCodecs()
    engine = MemoryEngine(topology, partitions=partitions, codecs=codecs, emit=emit)
    types = {spec.name: spec.value_type for spec in topology.source_topics}
    for topic, key, value, timestamp in events:
        sent = None if value is None else codecs.for_value(topic, type(value)).encode(value)
        engine.pipe(topic, key, codecs.for_value(topic, types[topic]).decode(sent), timestamp)
    engine.commit()
    return engine


def last(engine: MemoryEngine, topic: str) -> dict[Any, Any]:
    return {output.key: output.value for output in engine.outputs(topic)}


def test_every_simulation_is_of_a_flow_and_makes_input_for_its_topics() -> None:
    flows = {flow.name: {spec.name for spec in flow.topology().source_topics} for flow in FLOWS}
    assert {simulator.name: set(simulator.topics) for simulator in SIMULATORS}.items() <= flows.items()
    assert flows.keys() - {simulator.name for simulator in SIMULATORS} == {"stock-stats", "daily-range", "top-movers"}


@SEEDS
def test_the_words_of_simulated_lines_are_counted(seed: int) -> None:
    lines = simulated("word-count", seed=seed)
    assert last(played("word-count", lines, partitions=3), "word-counts") == Counter(
        word for line in lines for word in Line(line.value).words()
    )


@SEEDS
def test_simulated_clicks_are_told_with_the_searches_around_them(seed: int) -> None:
    events = simulated("clickstream", seed=seed)
    searches = [event for event in events if event.topic == "searches"]
    expected = Counter(
        (click.key, click.timestamp, click.value.page, search.value.search_terms)
        for click in events
        if click.topic == "clicks"
        for search in searches
        if search.key == click.key and abs(search.timestamp - click.timestamp) <= SECOND
    )
    told = played("clickstream", events).outputs("user-activity")
    assert (
        Counter(
            (activity.key, activity.timestamp, activity.value.page, activity.value.search_term)
            for activity in told
            if activity.value.search_term
        )
        == expected
    )
    assert len(expected) > 50
    named = sum(activity.value.user_name != "" for activity in told)
    assert 0 < named < len(told)


@SEEDS
def test_users_who_are_away_are_notified_at_every_tick(seed: int) -> None:
    state: dict[str | None, str] = {}
    expected = []
    for event in (events := simulated("fb-notifications", seed=seed)):
        if event.topic == "user-actions":
            state[event.key] = event.value
        elif state.get(event.key) == "Close":
            expected.append((event.key, event.timestamp))
    told = played("fb-notifications", events).outputs("notifications")
    assert [(output.key, output.timestamp) for output in told] == expected
    assert expected


@SEEDS
def test_late_notifications_are_counted_within_the_grace_and_left_out_after_it(seed: int) -> None:
    events = simulated("notification-metrics", seed=seed)
    windows = Counter(
        (event.key, start)
        for event in events
        for start in range((event.timestamp // MINUTE - 9) * MINUTE, event.timestamp + 1, MINUTE)
    )
    patient = played("notification-metrics", events, grace_ms=15 * MINUTE)
    counts = last(patient, "notification-metrics")
    assert {(key.key, key.window.start): count for key, count in counts.items()} == windows
    assert not patient.drops
    assert played("notification-metrics", events, grace_ms=0).drops


@SEEDS
def test_people_are_asked_for_a_captcha_once_and_robots_at_every_action_from_the_fifth_on(seed: int) -> None:
    events = simulated("captcha", seed=seed)
    actions = Counter(event.key for event in events if event.topic == "actions")
    asked = Counter(output.key for output in played("captcha", events).outputs("captcha-requests"))
    assert asked == {
        browser: (count - 4 if str(browser).startswith("robot") else 1) for browser, count in actions.items() if count >= 5
    }


@SEEDS
@EMITS
def test_pages_that_are_seen_a_thousand_times_are_popular_once(seed: int, emit: Emit) -> None:
    views = simulated("popular-products", seed=seed)
    counts = Counter(view.value.page for view in views if isinstance(view.value.page, str))
    popular = played("popular-products", views, partitions=3, emit=emit).outputs("popular-alerts")
    assert sorted(alert.key for alert in popular) == sorted(page for page, count in counts.items() if count >= 1_000)
    assert popular
    assert any(not isinstance(view.value.page, str) for view in views)


@SEEDS
def test_all_views_of_products_are_counted_and_withdrawn_ones_forgotten(seed: int) -> None:
    counts: Counter[str | None] = Counter()
    for event in (events := simulated("product-counter", seed=seed)):
        counts[event.key] = 0 if event.value is None else counts[event.key] + 1
    stored = {row.key: row.value for row in played("product-counter", events).store("Counts")}
    assert stored == +counts


@SEEDS
def test_stores_have_what_was_put_in_and_not_sold_and_more_is_sold_than_there_is(seed: int) -> None:
    inventories: dict[str | None, Inventory] = defaultdict(Inventory)
    lowest = 0
    for event in (events := simulated("inventory", seed=seed, out_of_order=0.05)):
        inventories[event.key] = inventories[event.key].apply(event.value)
        lowest = min(lowest, *inventories[event.key].stock.values())
    published = last(played("inventory", events, partitions=3), "store-inventory")
    assert published == {store: inventory.of_store(store) for store, inventory in inventories.items()}
    assert lowest < 0


@SEEDS
def test_errors_are_told_from_the_rest(seed: int) -> None:
    entries = simulated("log-triage", seed=seed)
    engine = played("log-triage", entries)
    errors = [entry.value for entry in entries if entry.value["severity"] == "ERROR"]
    assert [output.value for output in engine.outputs("logs-high")] == errors
    assert len(engine.outputs("logs-low")) == len(entries) - len(errors)
    assert 0 < len(errors) < len(entries) / 5


@SEEDS
@EMITS
def test_confirmations_that_are_missed_are_reported_and_no_others(seed: int, emit: Emit) -> None:
    events = simulated("hotel-reservations", seed=seed, guests=200)
    booked = {event.value.reservation: event.value.at for event in events if isinstance(event.value, Booking)}
    answered: dict[str, int] = {}
    for event in events:
        if isinstance(event.value, Confirmation | Cancellation):
            answered[event.value.reservation] = min(event.value.at, answered.get(event.value.reservation, event.value.at))
    missed = {number: at for number, at in booked.items() if answered.get(number, at + 61 * SECOND) > at + 60 * SECOND}
    engine = played("hotel-reservations", events, grace_ms=20 * SECOND, emit=emit)
    reported = [output.value.reservation for output in engine.outputs("missed-confirmations")]
    end = max(event.timestamp for event in events)
    assert len(set(reported)) == len(reported)
    assert {number for number, at in missed.items() if at + 90 * SECOND < end} <= set(reported) <= missed.keys()
    assert len(reported) > 20
    assert len(engine.outputs("guest-views")) == (len(events) if emit == "every-update" else 200)


@SEEDS
@EMITS
def test_machines_that_wear_out_or_fall_silent_are_called_for_once_and_no_others(seed: int, emit: Emit) -> None:
    events = simulated("device-maintenance", seed=seed, machines=20, worn=4, silent=3, spoilt=0.01)
    engine = played("device-maintenance", events, emit=emit)
    called = Counter((output.key, output.value.sign) for output in engine.outputs("maintenance-requests"))
    assert called == {(f"machine-{number}", "rising" if number <= 24 else "silent"): 1 for number in range(21, 28)}
    assert engine.outputs("unsound-readings")


@SEEDS
@EMITS
def test_malware_that_calls_home_is_found_in_every_window_and_nothing_else(seed: int, emit: Emit) -> None:
    events = simulated("beaconing", seed=seed, hosts=10, infected=3)
    found = played("beaconing", events, emit=emit).outputs("beacons")
    harmless = {*SITES, *(destination for destination, _ in KNOWN)}
    homes = {(call.key, call.value.destination) for call in _calls(events) if call.value.destination not in harmless}
    assert len(homes) == 3
    assert Counter((output.value.host, output.value.destination) for output in found) == dict.fromkeys(homes, 2)


def _calls(events: list[SimulatedEvent]) -> Iterator[SimulatedEvent]:
    return (event for event in events if isinstance(event.value, Connection))


@SEEDS
def test_purchases_are_told_with_the_customer_as_the_database_had_it(seed: int) -> None:
    rows: dict[str | None, tuple[int, Customer | None]] = {}
    expected = []
    for event in (events := simulated("cdc-table", seed=seed, restarts=0.05)):
        if isinstance(event.value, CustomerChange):
            rows[event.key] = max(
                rows.get(event.key, (-1, None)), (event.value.source.lsn, event.value.after), key=lambda r: r[0]
            )
        elif isinstance(event.value, Purchase):
            _, customer = rows.get(event.value.customer, (-1, None))
            expected.append((event.value.customer, customer and customer.name, customer and customer.city))
    engine = played("cdc-table", events)
    told = [(output.key, output.value.name, output.value.city) for output in engine.outputs("customer-purchases")]
    assert told == expected
    assert any(name is None for _, name, _ in told)
    assert not engine.outputs("rejected-changes")
