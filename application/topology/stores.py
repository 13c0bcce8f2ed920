"""What a topology says of its stores; engines make them."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from eddyline.application.topology.types import UNKNOWN
from eddyline.application.topology.windows import WindowsByStart


class StoreKind(Enum):
    """How a store is addressed: by key, by key and window start, by key and session bounds, or as its maker says."""

    KEY_VALUE = "key-value"
    WINDOW = "window"
    SESSION = "session"
    CUSTOM = "custom"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSpec:
    """A store by name.

    `timestamped` stores keep a value with the timestamp of its last update. `retention_ms` is how long window and session
    stores keep entries, measured from the newest one put; `windows` tells the end of a window that the store knows by its start.
    `factory` makes a custom store: a `StateStore` of the user's own.
    """

    name: str
    kind: StoreKind
    key_type: object = UNKNOWN
    value_type: object = UNKNOWN
    timestamped: bool = True
    retention_ms: int | None = None
    windows: WindowsByStart | None = None
    queryable: bool = True
    factory: Callable[[], Any] | None = None
