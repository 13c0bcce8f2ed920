"""The stores of a stream-stream join, if the user chooses them."""

from dataclasses import dataclass

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.stores import StoreKind, StoreSpec
from eddyline.application.topology.windows import JoinWindows, TimeWindows


@dataclass(frozen=True, slots=True)
class StreamJoined:
    """The names, kinds and retention of the stores of a stream-stream join."""

    store_name: str | None = None
    this_store: StoreSpec | None = None
    other_store: StoreSpec | None = None


def stream_joined(
    *, store_name: str | None = None, this_store: StoreSpec | None = None, other_store: StoreSpec | None = None
) -> StreamJoined:
    """Choose the stores of a stream-stream join.

    A store is a `window_store`, whose window size is that of the join, `before + after`, and whose retention is
    that plus the grace period; or a `custom_store` whose factory returns a `WindowStore`. It keeps the values of a key and
    timestamp as a list.

    Args:
        store_name: What the names of the stores begin with: `<store_name>-left-store`, `-right-store` and, for left and outer
            joins, `-unmatched-store`. By default that of the join.
        this_store: The store of the records of the left stream, by default one with the settings of the join.
        other_store: The store of the records of the right stream, likewise.

    Raises:
        TopologyError: If a store is neither a window store nor a custom one, or both have the same name.
    """
    for parameter, spec in (("this_store", this_store), ("other_store", other_store)):
        if spec is not None and spec.kind not in {StoreKind.WINDOW, StoreKind.CUSTOM}:
            msg = (
                f"{parameter} '{spec.name}' of stream_joined is a {spec.kind.value} store; "
                "pass window_store(…), or custom_store(…) with a factory that returns a WindowStore"
            )
            raise TopologyError(msg)
    if this_store is not None and other_store is not None and this_store.name == other_store.name:
        msg = f"both stores of stream_joined have the name '{this_store.name}'; give them different names"
        raise TopologyError(msg)
    return StreamJoined(store_name, this_store, other_store)


def check_settings(join: str, spec: StoreSpec, windows: JoinWindows) -> None:
    """Check that a store keeps the records of a join exactly as long as the join needs them, as Kafka Streams does.

    Raises:
        TopologyError: If its window size or retention differs from that of the join.
    """
    if spec.kind is StoreKind.CUSTOM:
        return
    found = spec.windows.size_ms if isinstance(spec.windows, TimeWindows) else None
    if found != windows.size_ms or spec.retention_ms != windows.retention_ms:
        msg = (
            f"store '{spec.name}' of join '{join}' has window_size={found} ms and retention={spec.retention_ms} ms; "
            f"pass window_size={windows.size_ms} and retention={windows.retention_ms}, which follow from the window of the join"
        )
        raise TopologyError(msg)


def check_no_stores(join: str, joined: StreamJoined) -> None:
    """Check that no stores were chosen for a join whose window ends as a function says, since these are no window stores.

    Raises:
        TopologyError: If a store was chosen.
    """
    chosen = joined.this_store or joined.other_store
    if chosen is not None:
        msg = f"join '{join}' has until= and chooses its stores itself, but got store '{chosen.name}'; pass store_name= instead"
        raise TopologyError(msg)
