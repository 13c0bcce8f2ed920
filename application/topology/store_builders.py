"""Stores that processors ask for by name."""

from collections.abc import Callable
from typing import Any

from eddyline.application.topology.stores import StoreKind, StoreSpec
from eddyline.application.topology.windows import Duration, milliseconds, tumbling


def key_value_store(name: str, *, key: Any, value: Any, timestamped: bool = False) -> StoreSpec:
    """Values by key; with `timestamped` a value is a pair of value and timestamp."""
    return StoreSpec(name=name, kind=StoreKind.KEY_VALUE, key_type=key, value_type=value, timestamped=timestamped)


def window_store(
    name: str,
    *,
    key: Any,
    value: Any,
    retention: Duration,
    window_size: Duration,
    timestamped: bool = False,
) -> StoreSpec:
    """Values by key and window start, kept for `retention` by the newest start put."""
    return StoreSpec(
        name=name,
        kind=StoreKind.WINDOW,
        key_type=key,
        value_type=value,
        timestamped=timestamped,
        retention_ms=milliseconds(retention, f"the retention of store '{name}'"),
        windows=tumbling(window_size, grace=0),
    )


def session_store(name: str, *, key: Any, value: Any, retention: Duration, timestamped: bool = False) -> StoreSpec:
    """Values by key and session bounds, kept for `retention` by the newest session end put."""
    return StoreSpec(
        name=name,
        kind=StoreKind.SESSION,
        key_type=key,
        value_type=value,
        timestamped=timestamped,
        retention_ms=milliseconds(retention, f"the retention of store '{name}'"),
    )


def custom_store(name: str, factory: Callable[[], Any], *, key: Any, value: Any) -> StoreSpec:
    """A store of one's own: `factory` makes a `StateStore` for each task.

    `key` and `value` are the types of its entries, as it drains and restores them.
    """
    return StoreSpec(name=name, kind=StoreKind.CUSTOM, key_type=key, value_type=value, timestamped=False, factory=factory)
