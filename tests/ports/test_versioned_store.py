"""The contract of versioned stores, tested on every adapter against a plain dictionary."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eddyline.application.ports.state_store import VersionedRecord
from tests.fixtures.examples import examples
from tests.ports.stores import NewStores

several = settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])


@several
@given(puts=st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 100), st.none() | st.integers(0, 9)), max_size=40))
def test_versions_are_read_as_of_any_time_within_the_history(
    new_stores: NewStores, puts: list[tuple[str, int, int | None]]
) -> None:
    store = new_stores().versioned("s", key_type=tuple[str, int], value_type=tuple[int | None], history_retention_ms=40)
    model: dict[tuple[str, int], int | None] = {}
    newest = -1
    for key, timestamp, value in puts:
        kept = timestamp >= newest - 40
        assert store.put(key, value, timestamp) is kept
        newest = max(newest, timestamp)
        if kept:
            model[key, timestamp] = value
        for read in "ab":
            versions = sorted((time, version) for (owner, time), version in model.items() if owner == read)
            in_history = max(50, newest - 40)
            assert store.is_latest(read, in_history) is (not versions or versions[-1][0] <= in_history)
            assert _value_and_time(store.get(read)) == _valid(versions, 100)
            for time in range(max(0, newest - 40), 101, 5):
                assert _value_and_time(store.get(read, time)) == _valid(versions, time)
    assert store.newest == newest


def test_a_version_is_valid_until_the_next_one_and_the_latest_without_end(new_stores: NewStores) -> None:
    store = new_stores().versioned("s", key_type=tuple[str, int], value_type=tuple[int | None], history_retention_ms=100)
    store.put("a", 1, 10)
    store.put("a", 3, 30)
    store.put("a", 2, 20)
    assert store.get("a", 15) == VersionedRecord(1, 10, 20)
    assert store.get("a") == VersionedRecord(3, 30, None)


def test_only_the_latest_version_is_read_where_the_history_has_expired(new_stores: NewStores) -> None:
    store = new_stores().versioned("s", key_type=tuple[str, int], value_type=tuple[int | None], history_retention_ms=40)
    store.put("a", 1, 10)
    store.put("b", 1, 10)
    store.put("b", 2, 100)
    assert (store.get("a", 20), store.get("a", 9)) == (VersionedRecord(1, 10), None)
    assert (store.get("b", 59), store.get("b", 60)) == (None, VersionedRecord(1, 10, 100))


def test_deleting_a_version_returns_the_one_that_was_valid(new_stores: NewStores) -> None:
    store = new_stores().versioned("s", key_type=tuple[str, int], value_type=tuple[int | None], history_retention_ms=40)
    store.put("a", 1, 10)
    store.put("a", 3, 30)
    assert store.delete("a", 20) == VersionedRecord(1, 10, 30)
    assert (store.get("a", 20), store.get("a", 19)) == (None, VersionedRecord(1, 10, 20))
    store.put("b", 1, 90)
    assert store.delete("a", 49) is None
    assert store.get("a") == VersionedRecord(3, 30)


def _valid(versions: list[tuple[int, int | None]], time: int) -> tuple[int, int] | None:
    """Return value and timestamp of the last version up to a time, None if it is a deletion."""
    valid = [(value, timestamp) for timestamp, value in versions if timestamp <= time]
    return None if not valid or valid[-1][0] is None else (valid[-1][0], valid[-1][1])


def _value_and_time(record: VersionedRecord | None) -> tuple[int, int] | None:
    return None if record is None else (record.value, record.timestamp)


def test_a_version_expires_when_the_history_reaches_back_to_its_end_exactly(new_stores: NewStores) -> None:
    store = new_stores().versioned("s", key_type=tuple[str, int], value_type=tuple[int | None], history_retention_ms=40)
    store.put("a", 1, 10)
    store.put("a", 2, 30)
    store.put("b", 9, 69)
    assert [change.key for change in store.snapshot()] == [("a", 10), ("a", 30), ("b", 69)]
    store.put("b", 9, 70)
    assert [change.key for change in store.snapshot()] == [("a", 30), ("b", 69), ("b", 70)]


def test_a_deletion_expires_when_the_history_reaches_back_to_it_exactly(new_stores: NewStores) -> None:
    store = new_stores().versioned("s", key_type=tuple[str, int], value_type=tuple[int | None], history_retention_ms=40)
    store.put("a", 1, 10)
    store.put("a", 2, 20)
    store.put("a", None, 30)
    store.put("b", 9, 69)
    assert [change.key for change in store.snapshot()] == [("a", 20), ("a", 30), ("b", 69)]
    store.put("b", 9, 70)
    assert [change.key for change in store.snapshot()] == [("b", 69), ("b", 70)]


def test_a_version_that_becomes_a_deletion_expires_as_one(new_stores: NewStores) -> None:
    store = new_stores().versioned("s", key_type=tuple[str, int], value_type=tuple[int | None], history_retention_ms=40)
    store.put("a", 1, 10)
    store.put("a", None, 10)
    store.put("b", 9, 50)
    assert [change.key for change in store.snapshot()] == [("b", 50)]


def test_a_version_between_others_ends_the_one_before_it(new_stores: NewStores) -> None:
    store = new_stores().versioned("s", key_type=tuple[str, int], value_type=tuple[int | None], history_retention_ms=40)
    store.put("a", 1, 10)
    store.put("a", 3, 30)
    store.put("a", 2, 20)
    store.put("b", 9, 60)
    assert [change.key for change in store.snapshot()] == [("a", 20), ("a", 30), ("b", 60)]
