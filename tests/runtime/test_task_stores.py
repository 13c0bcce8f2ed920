"""Stores are created with the types and the retention that the topology specifies."""

from typing import Any, Optional

import pytest

from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.runtime.task.stores import make_store
from eddyline.application.topology.stores import StoreKind, StoreSpec


class RecordingStores(MemoryStateStores):
    """Notes the arguments with which stores are created."""

    def __init__(self) -> None:
        super().__init__()
        self.created: list[tuple[Any, ...]] = []

    def key_value(self, name: str, **arguments: Any) -> Any:
        self.created.append(("key-value", name, arguments))
        return super().key_value(name, **arguments)

    def window(self, name: str, **arguments: Any) -> Any:
        self.created.append(("window", name, arguments))
        return super().window(name, **arguments)

    def session(self, name: str, **arguments: Any) -> Any:
        self.created.append(("session", name, arguments))
        return super().session(name, **arguments)

    def versioned(self, name: str, **arguments: Any) -> Any:
        self.created.append(("versioned", name, arguments))
        return super().versioned(name, **arguments)


@pytest.mark.parametrize(
    ("kind", "label", "expected"),
    [
        (StoreKind.KEY_VALUE, "key-value", {"key_type": str, "value_type": float}),
        (StoreKind.WINDOW, "window", {"key_type": tuple[str, int], "value_type": float, "retention_ms": 107}),
        (StoreKind.SESSION, "session", {"key_type": tuple[str, int, int], "value_type": float, "retention_ms": 107}),
        (
            StoreKind.VERSIONED,
            "versioned",
            {"key_type": tuple[str, int], "value_type": tuple[Optional[float]], "history_retention_ms": 100},  # noqa: UP045 - a type as a value
        ),
    ],
)
def test_a_store_has_the_types_and_the_retention_of_its_kind(kind: StoreKind, label: str, expected: dict[str, Any]) -> None:
    stores = RecordingStores()
    spec = StoreSpec(name="s", kind=kind, key_type=str, value_type=float, timestamped=False, retention_ms=100, kept_longer_ms=7)
    make_store(stores, spec)
    assert stores.created == [(label, "s", expected)]


def test_without_a_retention_entries_are_kept_as_long_as_the_operator_needs_them() -> None:
    stores = RecordingStores()
    spec = StoreSpec(name="s", kind=StoreKind.WINDOW, key_type=str, value_type=float, timestamped=True, kept_longer_ms=7)
    make_store(stores, spec)
    ((_, _, arguments),) = stores.created
    assert (arguments["retention_ms"], arguments["value_type"]) == (7, tuple[float, int])
