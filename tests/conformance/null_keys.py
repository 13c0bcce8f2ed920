"""Records without a key that are repartitioned upstream of joins."""

from typing import Any, Literal

from eddyline.application.topology import Stream, TopologyBuilder, join_windows
from tests.conformance.joins import join_of, pair

Kind = Literal[
    "stream-inner",
    "stream-left",
    "stream-outer",
    "table-inner",
    "table-left",
    "global-inner",
    "global-left",
    "none",
    "two-branches",
    "joined-after-count",
]


def null_keys(builder: TopologyBuilder, *, kind: Kind = "none", distant: bool = False) -> None:
    """Repartition topic `left` and join it with topic `right` into topic `joined`."""
    left: Stream[str, Any] = builder.stream("left", key=str, value=object).repartition(name="by-left")
    if distant:
        left = left.map_values(lambda value: value, value=object).filter(lambda _key, _value: True)
        left = left.repartition(name="again").peek(lambda _key, _value: None)
    if kind == "none":
        left.to("joined")
        return
    if kind == "two-branches":
        left.to("passed")
    elif kind == "joined-after-count":
        left = left.group_by_key().count(store="counts").to_stream()
    side, _, join_kind = ("table", "", "left") if kind in {"two-branches", "joined-after-count"} else kind.rpartition("-")
    _joined(builder, left, side, join_kind).to("joined")


def _joined(builder: TopologyBuilder, left: Stream[str, Any], side: str, join_kind: str) -> Stream[str, Any]:
    joined: Stream[str, Any]
    if side == "stream":
        right = builder.stream("right", key=str, value=object).repartition(name="by-right")
        joined = join_of(left, join_kind)(right, pair, windows=join_windows(before=10, after=10, grace=0), name="paired")
    elif side == "table":
        table = builder.table("right", key=str, value=object, store="right-rows")
        joined = join_of(left, join_kind)(table, pair, name="paired")
    else:
        rows = builder.global_table("right", key=str, value=object, store="right-rows")
        joined = join_of(left, join_kind)(rows, pair, key_selector=lambda key, _value: key)
    return joined
