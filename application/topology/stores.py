"""State stores: their specifications, and functions that specify the stores of processors."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from eddyline.application.topology.callables import check_result
from eddyline.application.topology.types import UNKNOWN
from eddyline.application.topology.windows import Duration, WindowsByStart, milliseconds, tumbling


class StoreKind(Enum):
    """What a store's entries are keyed by: a key alone, or with a timestamp, a window start, session bounds; or a custom key."""

    KEY_VALUE = "key-value"
    VERSIONED = "versioned"
    WINDOW = "window"
    SESSION = "session"
    CUSTOM = "custom"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSpec:
    """The specification of a state store.

    Values of `timestamped` stores are pairs of a value and the timestamp of its last update. `retention_ms` is how long window,
    session and versioned stores keep entries, measured from the newest one; windows and sessions are stored `kept_longer_ms`
    longer than operators read them. `windows` gives the end of a window whose start is known. `factory` creates custom stores: a
    `StateStore` for each task. `queryable` stores always have a changelog, so that they can be queried while the flow runs;
    others have one if the setting `changelog.stores` says so. `internal` stores are buffers of operators.
    """

    name: str
    kind: StoreKind
    key_type: object = UNKNOWN
    value_type: object = UNKNOWN
    timestamped: bool = True
    retention_ms: int | None = None
    kept_longer_ms: int = 0
    windows: WindowsByStart | None = None
    queryable: bool = False
    internal: bool = False
    factory: Callable[[], Any] | None = None


TableStore: TypeAlias = str | StoreSpec | None
"""The store of a table: its name, what `versioned_key_value_store` returns, or None for the default."""


class ConnectedStoreProvider(ABC):
    """A supplier of processors that brings the stores that they use along (KIP-401).

    Pass an instance wherever a supplier is expected: it is called for each task, and its stores are added to the topology. If
    several suppliers bring equal stores, their processors share one store.
    """

    @abstractmethod
    def __call__(self) -> Any:
        """Return a new processor, or transformer, of a task."""

    @abstractmethod
    def stores(self) -> Iterable[StoreSpec]:
        """Return the specifications of the stores, such as `key_value_store(…)`."""


def key_value_store(name: str, *, key: Any, value: Any, timestamped: bool = False, queryable: bool = False) -> StoreSpec:
    """Return the specification of a store of values by key, for `TopologyBuilder.add_state_store`.

    Args:
        name: The name of the store.
        key: The type of the keys.
        value: The type of the values.
        timestamped: Whether the values are pairs of value and timestamp, in ms since the epoch.
        queryable: Whether the store always has a changelog, so that it can be queried while the flow runs.
    """
    return StoreSpec(
        name=name, kind=StoreKind.KEY_VALUE, key_type=key, value_type=value, timestamped=timestamped, queryable=queryable
    )


def versioned_key_value_store(
    name: str, *, history_retention: Duration, key: Any = UNKNOWN, value: Any = UNKNOWN, queryable: bool = False
) -> StoreSpec:
    """Return the specification of a store of the versions of values by key (KIP-889).

    Pass it as `store=` to an operator that returns a table, or to `TopologyBuilder.add_state_store` for processors, which get a
    `VersionedKeyValueStore`. Updates may arrive out of order: each one is a version from its timestamp on.

    Args:
        name: The name of the store.
        history_retention: How far back versions can be read, measured from the newest timestamp: milliseconds, or a
            `timedelta`. Updates that are older are dropped. The latest version of a key is always kept.
        key: The type of the keys; the store of a table gets it from the table.
        value: The type of the values, likewise.
        queryable: Whether the store always has a changelog, so that it can be queried while the flow runs.

    Raises:
        TopologyError: If the retention is negative.
    """
    return StoreSpec(
        name=name,
        kind=StoreKind.VERSIONED,
        key_type=key,
        value_type=value,
        timestamped=False,
        queryable=queryable,
        retention_ms=milliseconds(history_retention, f"the history retention of store '{name}'"),
    )


def window_store(
    name: str,
    *,
    key: Any,
    value: Any,
    retention: Duration,
    window_size: Duration,
    timestamped: bool = False,
    queryable: bool = False,
) -> StoreSpec:
    """Return the specification of a store of values by key and window start, for `TopologyBuilder.add_state_store`.

    Args:
        name: The name of the store.
        key: The type of the keys.
        value: The type of the values.
        retention: How long entries are kept, measured from the newest window start: milliseconds, or a `timedelta`.
        window_size: The length of each window: milliseconds, or a `timedelta`.
        timestamped: Whether the values are pairs of value and timestamp, in ms since the epoch.
        queryable: Whether the store always has a changelog, so that it can be queried while the flow runs.

    Raises:
        TopologyError: If the retention is negative or the window size is less than 1 ms.
    """
    return StoreSpec(
        name=name,
        kind=StoreKind.WINDOW,
        key_type=key,
        value_type=value,
        timestamped=timestamped,
        queryable=queryable,
        retention_ms=milliseconds(retention, f"the retention of store '{name}'"),
        windows=tumbling(window_size, grace=0),
    )


def session_store(
    name: str, *, key: Any, value: Any, retention: Duration, timestamped: bool = False, queryable: bool = False
) -> StoreSpec:
    """Return the specification of a store of values by key and session bounds, for `TopologyBuilder.add_state_store`.

    Args:
        name: The name of the store.
        key: The type of the keys.
        value: The type of the values.
        retention: How long entries are kept, measured from the newest session end: milliseconds, or a `timedelta`.
        timestamped: Whether the values are pairs of value and timestamp, in ms since the epoch.
        queryable: Whether the store always has a changelog, so that it can be queried while the flow runs.

    Raises:
        TopologyError: If the retention is negative.
    """
    return StoreSpec(
        name=name,
        kind=StoreKind.SESSION,
        key_type=key,
        value_type=value,
        timestamped=timestamped,
        queryable=queryable,
        retention_ms=milliseconds(retention, f"the retention of store '{name}'"),
    )


def custom_store(name: str, factory: Callable[[], Any], *, key: Any, value: Any, queryable: bool = False) -> StoreSpec:
    """Return the specification of a custom store, for `TopologyBuilder.add_state_store`.

    Args:
        name: The name of the store.
        factory: Creates the `StateStore` of each task.
        key: The type of the keys of its changelog, which `drain_changes` returns and `restore` takes.
        value: The type of the values of its changelog.
        queryable: Whether the store always has a changelog topic, so that it can be queried while the flow runs.

    Raises:
        TopologyError: If the factory is a coroutine function or a generator function.
    """
    check_result(f"the factory of store '{name}'", factory)
    return StoreSpec(
        name=name, kind=StoreKind.CUSTOM, key_type=key, value_type=value, timestamped=False, queryable=queryable, factory=factory
    )
