"""The flow beaconing: hosts that call an unknown destination at suspiciously regular intervals."""

from collections.abc import Callable
from typing import Any, TypeVar

from eddyline import GlobalTable, SourceRecord, Stream, TopologyBuilder, Windowed, on_window_close, tumbling
from eddyline.domain.security import Beacon, BeaconRules, Calls, Connection, KnownDestination, Route

V = TypeVar("V")


def beaconing(
    builder: TopologyBuilder,
    *,
    window_ms: int = 21_600_000,
    grace_ms: int = 60_000,
    least_calls: int = 12,
    most_variation: float = 0.1,
) -> None:
    """Find hosts that call an unknown destination at suspiciously regular intervals.

    Input: `connections`, keyed by host, and `known-destinations`, keyed by destination. Output: `beacons`, keyed by destination,
    when a window closes.

    A host is a beacon in a tumbling window of `window_ms` if it made at least `least_calls` calls to a destination and the
    standard deviation of the intervals between them is at most `most_variation` times their mean. Late calls count for
    `grace_ms`. Calls to known destinations are ignored, also to those that became known after the calls.
    """
    rules = BeaconRules(least_calls, most_variation)
    known = builder.global_table("known-destinations", key=str, value=KnownDestination, store="known-destinations-store")
    connections = builder.stream("connections", key=str, value=Connection, timestamp=_called_at)
    of_hosts = connections.filter(_names_a_host, drop_reason="null-key")

    def beacons(windowed: Windowed[Route], calls: Calls) -> list[tuple[str, Beacon]]:
        beacon = calls.beacon(windowed.key, rules)
        return [] if beacon is None else [(beacon.destination, beacon)]

    found = (
        _to_unknown(of_hosts, known, _destination, value=Connection, name="calls-to-unknown")
        .group_by(_route, name="by-route")
        .windowed_by(tumbling(window_ms, grace=grace_ms), emit_strategy=on_window_close())
        .aggregate(Calls, Calls.add, merge=Calls.merge, store="calls")
        .to_stream()
        .flat_map(beacons)
    )
    _to_unknown(found, known, _key, value=Beacon, name="beacons-to-unknown").to("beacons")


def _to_unknown(
    stream: Stream[str, V],
    known: GlobalTable[str, KnownDestination],
    destination: Callable[[str, V], str],
    *,
    value: type[V],
    name: str,
) -> Stream[str, V]:
    """Return the records whose destination is not in the table of known destinations."""
    joined: Stream[str, Any] = stream.left_join(known, _none_if_known, key_selector=destination, value=value, name=name)
    return joined.filter(_is_unknown, name=f"{name}-only")


def _none_if_known(call: Any, known: KnownDestination | None) -> Any:
    return call if known is None else None


def _names_a_host(host: str | None, _call: Connection) -> bool:
    return host is not None


def _is_unknown(_key: str, call: object) -> bool:
    return call is not None


def _called_at(record: SourceRecord) -> int | None:
    return None if record.value is None else record.value.at


def _destination(_host: str, call: Connection) -> str:
    return call.destination


def _route(host: str, call: Connection) -> Route:
    return Route(host, call.destination)


def _key(destination: str, _beacon: Beacon) -> str:
    return destination
