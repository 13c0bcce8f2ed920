"""Records are copied with one field changed; store specifications have what their users say."""

from collections.abc import Callable
from typing import Any

import pytest

from eddyline.application.topology.processor import Record
from eddyline.application.topology.records import SourceRecord
from eddyline.application.topology.stores import (
    StoreKind,
    StoreSpec,
    custom_store,
    key_value_store,
    session_store,
    versioned_key_value_store,
    window_store,
)
from eddyline.application.topology.timestamps import wall_clock_time
from eddyline.application.topology.types import type_name

RECORD = Record("k", "v", 5, (("trace", b"x"),))


def test_a_record_is_copied_with_one_field_changed() -> None:
    assert RECORD.with_key("other") == Record("other", "v", 5, (("trace", b"x"),))
    assert RECORD.with_value("other") == Record("k", "other", 5, (("trace", b"x"),))
    assert RECORD.with_timestamp(6) == Record("k", "v", 6, (("trace", b"x"),))
    assert RECORD.with_headers((("other", None),)) == Record("k", "v", 5, (("other", None),))


def factory() -> Any:
    raise NotImplementedError


@pytest.mark.parametrize(
    ("create", "expected"),
    [
        (
            lambda: key_value_store("s", key=str, value=float),
            StoreSpec(name="s", kind=StoreKind.KEY_VALUE, key_type=str, value_type=float, timestamped=False),
        ),
        (
            lambda: key_value_store("s", key=str, value=float, timestamped=True),
            StoreSpec(name="s", kind=StoreKind.KEY_VALUE, key_type=str, value_type=float, timestamped=True),
        ),
        (
            lambda: versioned_key_value_store("s", history_retention=9, key=str, value=float),
            StoreSpec(name="s", kind=StoreKind.VERSIONED, key_type=str, value_type=float, timestamped=False, retention_ms=9),
        ),
        (
            lambda: session_store("s", key=str, value=float, retention=9),
            StoreSpec(name="s", kind=StoreKind.SESSION, key_type=str, value_type=float, timestamped=False, retention_ms=9),
        ),
        (
            lambda: custom_store("s", factory, key=str, value=float),
            StoreSpec(name="s", kind=StoreKind.CUSTOM, key_type=str, value_type=float, timestamped=False, factory=factory),
        ),
    ],
)
def test_a_store_has_name_kind_types_and_retention(create: Callable[[], StoreSpec], expected: StoreSpec) -> None:
    found = create()
    assert found == expected
    assert found.timestamped is expected.timestamped


def test_a_window_store_knows_the_size_of_its_windows() -> None:
    found = window_store("s", key=str, value=float, retention=9, window_size=4)
    assert (found.name, found.kind, found.key_type, found.value_type) == ("s", StoreKind.WINDOW, str, float)
    assert (found.timestamped, found.retention_ms) == (False, 9)
    assert found.windows is not None
    assert tuple(found.windows.window_at(8)) == (8, 12)


def test_the_error_for_a_wrong_retention_names_the_store() -> None:
    with pytest.raises(ValueError, match="the retention of store 's'"):
        window_store("s", key=str, value=float, retention=-1, window_size=4)
    with pytest.raises(ValueError, match="the retention of store 's'"):
        session_store("s", key=str, value=float, retention=-1)


def test_only_a_task_knows_the_wall_clock_time() -> None:
    with pytest.raises(LookupError) as error:
        wall_clock_time(SourceRecord("lines", 2, 9, 5, "k", "v", ()))
    assert str(error.value) == (
        "wall_clock_time was called for offset 9 of topic 'lines', but only a task has a clock; "
        "pass it to the topology as timestamp=wall_clock_time"
    )


@pytest.mark.parametrize(
    ("found", "expected"), [(str, "str"), (list[int], "list[int]"), (Any, "Any"), (int | None, "int | None"), ("late", "late")]
)
def test_a_type_is_named_as_it_is_written(found: Any, expected: str) -> None:
    assert type_name(found) == expected
