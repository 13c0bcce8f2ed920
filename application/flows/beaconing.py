"""Finds hosts that call one unknown destination at suspiciously regular intervals."""

from collections.abc import Callable
from typing import Any, TypeVar

from eddyline.application.topology import GlobalTable, Stream, TopologyBuilder
from eddyline.application.topology.records import SourceRecord
from eddyline.application.topology.windows import Windowed, on_window_close, tumbling
from eddyline.domain.beaconing import Beacon, Calls, Connection, KnownDestination, Route

V = TypeVar("V")


def beaconing(
    builder: TopologyBuilder,
    *,
    window_ms: int = 21_600_000,
    grace_ms: int = 60_000,
    least_calls: int = 12,
    most_variation: float = 0.1,
) -> None:
    """Connections by host in, and known destinations; out, by destination, every beacon of a window when the window closes.

    A host is a beacon in a window of `window_ms` when it made at least `least_calls` calls to a destination and the gaps
    between them vary by at most `most_variation`, as standard deviation in parts of their mean. Calls that come late count
    for `grace_ms`. Known destinations are left out, also those that became known since the calls.
    """
    known = builder.global_table("known-destinations", key=str, value=KnownDestination, store="known-destinations-store")
    calls = builder.stream("connections", key=str, value=Connection, timestamp=_called_at)

    def beacons(windowed: Windowed[Route], calls: Calls) -> list[tuple[str, Beacon]]:
        found = calls.beacon(windowed.key, least_calls=least_calls, most_variation=most_variation)
        return [] if found is None else [(found.destination, found)]

    found = (
        _to_unknown(calls, known, _destination, value=Connection, name="calls-to-unknown")
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
    """The records whose destination is not known at this moment."""
    judged: Stream[str, Any] = stream.left_join(known, _unless_known, key_selector=destination, value=value, name=name)
    return judged.filter(_is_left, name=f"{name}-only")


def _unless_known(seen: Any, known: KnownDestination | None) -> Any:
    return seen if known is None else None


def _is_left(_key: str, seen: object) -> bool:
    return seen is not None


def _called_at(record: SourceRecord) -> int | None:
    return None if record.value is None else record.value.at


def _destination(_host: str, call: Connection) -> str:
    return call.destination


def _route(host: str, call: Connection) -> Route:
    return Route(host, call.destination)


def _key(destination: str, _beacon: Beacon) -> str:
    return destination
