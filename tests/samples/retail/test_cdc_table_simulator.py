from itertools import pairwise
from typing import Any

import pytest

from eddyline.application.samples.retail.debezium import CustomerChange
from eddyline.application.samples.simulation import SimulatedEvent
from eddyline.application.samples.simulation.events import SECOND, START_MS
from eddyline.domain.retail import Customer
from tests.samples.events import gaps
from tests.samples.simulated import simulate


def changes(events: list[SimulatedEvent]) -> list[CustomerChange]:
    return [event.value for event in events if isinstance(event.value, CustomerChange)]


def simulated(**settings: Any) -> list[SimulatedEvent]:
    return simulate("cdc-table", **({"steps": 5_000, "restarts": 0.0} | settings))


def test_the_first_events_are_a_snapshot_of_the_table() -> None:
    found = simulated(customers=300, steps=0)
    assert [event.key for event in found] == [f"c{number:04}" for number in range(1, 301)]
    assert {(event.topic, event.timestamp, event.value.op) for event in found} == {("customer-changes", START_MS, "r")}
    assert len({event.value.after.name for event in found}) == 10
    assert len({event.value.after.city for event in found}) == 7


def test_the_e_mail_address_of_a_customer_is_built_from_name_and_id() -> None:
    row = simulated(customers=1, steps=0)[0].value.after
    assert row == Customer("c0001", row.name, f"{row.name.lower()}.c0001@example.org", row.city)


def test_every_change_is_valid_and_has_the_row_before_it() -> None:
    rows: dict[str | None, Customer | None] = {}
    for event in simulated():
        if isinstance(event.value, CustomerChange):
            assert event.value.rejection(event.key) is None
            assert event.value.before == rows.get(event.key)
            assert (event.value.before is None) == (event.value.op in {"c", "r"})
            assert event.value.ts_ms == event.timestamp
            rows[event.key] = event.value.after


def test_log_positions_rise_by_the_length_of_an_entry() -> None:
    positions = [change.source.lsn for change in changes(simulated(steps=20_000))]
    steps = {later - earlier for earlier, later in pairwise(positions)}
    assert positions[0] > 1_000
    assert steps == set(range(8, 401))


def test_a_deletion_is_followed_by_a_tombstone_and_the_row_is_never_inserted_again() -> None:
    events = [event for event in simulated() if event.topic == "customer-changes"]
    deleted: set[str | None] = set()
    for number, event in enumerate(events):
        if isinstance(event.value, CustomerChange):
            assert event.key not in deleted
            if event.value.op == "d":
                assert (events[number + 1].key, events[number + 1].value) == (event.key, None)
                deleted.add(event.key)
    assert len(deleted) == sum(event.value is None for event in events) > 0


def test_a_fifth_of_the_changes_are_insertions_and_a_seventh_of_the_others_deletions() -> None:
    made = [change.op for change in changes(simulated(steps=20_000)) if change.op != "r"]
    rest = [op for op in made if op != "c"]
    assert made.count("c") / len(made) == pytest.approx(0.2, abs=0.02)
    assert rest.count("d") / len(rest) == pytest.approx(0.15, abs=0.02)


def test_an_update_changes_only_the_city() -> None:
    updates = [change for change in changes(simulated()) if change.op == "u"]
    for change in updates:
        assert change.before is not None
        assert change.after is not None
        assert (change.after.id, change.after.name, change.after.email) == (
            change.before.id,
            change.before.name,
            change.before.email,
        )
    assert any(change.before != change.after for change in updates)


def test_a_change_of_an_empty_table_is_an_insertion() -> None:
    rows: set[str | None] = set()
    emptied = False
    for seed in range(30):
        for event in simulated(seed=seed, customers=1, steps=30):
            if isinstance(event.value, CustomerChange):
                emptied |= bool(event.value.op != "r" and not rows)
                assert rows or event.value.op in {"r", "c"}
                (rows.discard if event.value.op == "d" else rows.add)(event.key)
        rows.clear()
    assert emptied


def test_seven_of_ten_steps_are_purchases_some_of_them_by_deleted_customers() -> None:
    purchases, present = [], set[str | None]()
    for event in simulated():
        if event.topic == "purchases":
            purchases.append((event.value, event.value.customer in present))
        elif isinstance(event.value, CustomerChange):
            (present.discard if event.value.op == "d" else present.add)(event.key)
    assert len(purchases) / 5_000 == pytest.approx(0.7, abs=0.02)
    assert 0 < sum(not known for _, known in purchases) < len(purchases) / 2
    assert len({purchase.item for purchase, _ in purchases}) == 6
    assert 5 <= min(purchase.amount for purchase, _ in purchases) < 5.5
    assert 299.5 < max(purchase.amount for purchase, _ in purchases) <= 300
    assert all(round(purchase.amount, 2) == purchase.amount for purchase, _ in purchases)


def test_steps_are_seconds_apart_and_purchases_are_numbered_by_step() -> None:
    purchases = [event for event in simulated(steps=20_000) if event.topic == "purchases"]
    numbers = [int(str(event.key).removeprefix("p")) for event in purchases]
    following = [gap for gap, (one, two) in zip(gaps(purchases), pairwise(numbers), strict=True) if two == one + 1]
    assert all(len(str(event.key)) == len("p000000") for event in purchases)
    assert sorted(set(numbers)) == numbers
    assert 50 <= min(following) < 55
    assert 9.99 * SECOND < max(following) <= 10 * SECOND


@pytest.mark.parametrize("seed", range(10))
def test_the_last_five_records_are_repeated_after_a_restart(seed: int) -> None:
    records = [event for event in simulated(seed=seed, customers=5, steps=1, restarts=1.0) if event.topic == "customer-changes"]
    sent, repeated = records[:-5], records[-5:]
    assert [(event.key, event.value) for event in repeated] == [(event.key, event.value) for event in sent[-5:]]
    assert all(START_MS < event.timestamp <= START_MS + 10 * SECOND for event in repeated)


@pytest.mark.parametrize("restarts", [0.0, 0.1, 1.0])
def test_the_fraction_of_restarts_is_the_configured_one(restarts: float) -> None:
    events = simulated(steps=2_000, restarts=restarts)
    operations = {change.source.lsn: change.op for change in changes(events)}
    sent_once = len(operations) + list(operations.values()).count("d")
    repetitions, rest = divmod(sum(event.topic == "customer-changes" for event in events) - sent_once, 5)
    assert rest == 0
    assert repetitions / 2_000 == pytest.approx(restarts, abs=0.03)
