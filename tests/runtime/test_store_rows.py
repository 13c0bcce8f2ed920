"""The entries of stores of any kind are shown as rows."""

from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.progress.store_rows import StoreRow, rows_of
from eddyline.application.topology import Window
from eddyline.application.topology.stores import StoreKind, StoreSpec, key_value_store, session_store, window_store


def test_a_row_of_a_window_store_has_its_window() -> None:
    spec = window_store("s", key=str, value=int, retention=100, window_size=20, timestamped=True)
    assert rows_of(spec, [StoreChange(("a", 40), (7, 45))]) == [StoreRow("a", 7, Window(40, 60), 45)]


def test_a_row_of_a_window_store_that_does_not_know_its_windows_has_the_start_only() -> None:
    spec = StoreSpec(name="s", kind=StoreKind.WINDOW, key_type=str, value_type=int, timestamped=False, retention_ms=100)
    assert rows_of(spec, [StoreChange(("a", 40), 7)]) == [StoreRow("a", 7, Window(40, 40), None)]


def test_rows_are_sorted_by_key_then_by_window_and_deleted_entries_have_none() -> None:
    spec = session_store("s", key=str, value=int, retention=100)
    entries = {("b", 5, 9): 1, ("a", 7, 9): 2, ("a", 5, 12): 3, ("a", 5, 9): 4, ("c", 1, 2): None}
    rows = rows_of(spec, [StoreChange(key, value) for key, value in entries.items()])
    expected = [("a", 4, (5, 9)), ("a", 3, (5, 12)), ("a", 2, (7, 9)), ("b", 1, (5, 9))]
    assert [(row.key, row.value, tuple(row.window or ())) for row in rows] == expected


def test_rows_of_a_key_value_store_are_sorted_by_key() -> None:
    spec = key_value_store("s", key=int, value=str)
    assert rows_of(spec, [StoreChange(10, "x"), StoreChange(9, "y")]) == [
        StoreRow(9, "y", None, None),
        StoreRow(10, "x", None, None),
    ]


def test_a_version_is_valid_until_the_next_one_of_its_key() -> None:
    spec = StoreSpec(name="s", kind=StoreKind.VERSIONED, key_type=str, value_type=int, retention_ms=100)
    entries = [
        StoreChange(("a", 5), (1,)),
        StoreChange(("a", 9), (None,)),
        StoreChange(("b", 7), (2,)),
        StoreChange(("b", 8), (3,)),
    ]
    assert [(row.key, row.value, row.timestamp, row.valid_to) for row in rows_of(spec, entries)] == [
        ("a", 1, 5, 9),
        ("b", 2, 7, 8),
        ("b", 3, 8, None),
    ]


def test_the_last_version_of_a_key_has_no_end_though_other_keys_follow() -> None:
    spec = StoreSpec(name="s", kind=StoreKind.VERSIONED, key_type=str, value_type=int, retention_ms=100)
    rows = rows_of(spec, [StoreChange(("a", 5), (1,)), StoreChange(("b", 7), (2,))])
    assert [row.valid_to for row in rows] == [None, None]
