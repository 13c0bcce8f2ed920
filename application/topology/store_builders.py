"""Stores that processors ask for by name."""

from typing import Any

from application.topology.stores import StoreKind, StoreSpec
from application.topology.windows import Duration, milliseconds, tumbling


def key_value_store(name: str, *, key: Any, value: Any, timestamped: bool = False, persistent: bool = True) -> StoreSpec:
    """Values by key; with `timestamped` a value is a pair of value and timestamp."""
    return StoreSpec(
        name=name, kind=StoreKind.KEY_VALUE, key_type=key, value_type=value, timestamped=timestamped, persistent=persistent
    )


def window_store(
    name: str,
    *,
    key: Any,
    value: Any,
    retention: Duration,
    window_size: Duration,
    timestamped: bool = False,
    persistent: bool = True,
) -> StoreSpec:
    """Values by key and window start, kept for `retention` by the newest start put."""
    return StoreSpec(
        name=name,
        kind=StoreKind.WINDOW,
        key_type=key,
        value_type=value,
        timestamped=timestamped,
        persistent=persistent,
        retention_ms=milliseconds(retention, f"the retention of store '{name}'"),
        windows=tumbling(window_size, grace=0),
    )


def session_store(
    name: str, *, key: Any, value: Any, retention: Duration, timestamped: bool = False, persistent: bool = True
) -> StoreSpec:
    """Values by key and session bounds, kept for `retention` by the newest session end put."""
    return StoreSpec(
        name=name,
        kind=StoreKind.SESSION,
        key_type=key,
        value_type=value,
        timestamped=timestamped,
        persistent=persistent,
        retention_ms=milliseconds(retention, f"the retention of store '{name}'"),
    )
