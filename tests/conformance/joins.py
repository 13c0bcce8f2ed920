"""All kinds of joins of two topics, by the names that the cases use."""

from typing import Any, Literal

from eddyline.application.topology import Stream, TopologyBuilder
from eddyline.application.topology.windows import JoinWindows, join_windows

Pair = dict[str, Any]
Kind = Literal[
    "table-table-inner",
    "table-table-left",
    "table-table-outer",
    "stream-stream-inner",
    "stream-stream-left",
    "stream-stream-outer",
    "stream-table-inner",
    "stream-table-left",
    "stream-global-inner",
    "stream-global-left",
    "fk-inner",
    "fk-left",
]

_OPERATORS = {"inner": "join", "left": "left_join", "outer": "outer_join"}


def joins(
    builder: TopologyBuilder,
    *,
    kind: Kind = "table-table-inner",
    before_ms: int = 10_000,
    after_ms: int = 10_000,
    grace_ms: int = 0,
    emit_interval_ms: int = 0,
) -> None:
    """Join topics `left` and `right` into topic `joined`; the foreign key or selected key is field `fk` of the left value."""
    sides, _, join_kind = kind.rpartition("-")
    windows = join_windows(before=before_ms, after=after_ms, grace=grace_ms, emit_interval=emit_interval_ms)
    joined = {
        "table-table": lambda: _tables(builder, join_kind),
        "stream-stream": lambda: _streams(builder, join_kind, windows),
        "stream-table": lambda: _stream_with_table(builder, join_kind),
        "stream-global": lambda: _stream_with_global_table(builder, join_kind),
        "fk": lambda: _by_foreign_key(builder, join_kind),
    }[sides]()
    joined.to("joined")


def pair(left: Any, right: Any) -> Pair:
    return {"left": left, "right": right}


def _fk(left: Any) -> str | None:
    foreign_key = left.get("fk")
    return foreign_key if isinstance(foreign_key, str) else None


def join_of(side: Any, join_kind: str) -> Any:
    return getattr(side, _OPERATORS[join_kind])


def _tables(builder: TopologyBuilder, join_kind: str) -> Stream[str, Pair]:
    left = builder.table("left", key=str, value=object, store="left-store")
    right = builder.table("right", key=str, value=object, store="right-store")
    joined: Stream[str, Pair] = join_of(left, join_kind)(right, pair).to_stream()
    return joined


def _streams(builder: TopologyBuilder, join_kind: str, windows: JoinWindows) -> Stream[str, Pair]:
    left = builder.stream("left", key=str, value=object)
    right = builder.stream("right", key=str, value=object)
    joined: Stream[str, Pair] = join_of(left, join_kind)(right, pair, windows=windows)
    return joined


def _stream_with_table(builder: TopologyBuilder, join_kind: str) -> Stream[str, Pair]:
    right = builder.table("right", key=str, value=object, store="right-store")
    joined: Stream[str, Pair] = join_of(builder.stream("left", key=str, value=object), join_kind)(right, pair)
    return joined


def _stream_with_global_table(builder: TopologyBuilder, join_kind: str) -> Stream[str, Pair]:
    right = builder.global_table("right", key=str, value=object, store="right-store")
    left = builder.stream("left", key=str, value=object)
    joined: Stream[str, Pair] = join_of(left, join_kind)(right, pair, key_selector=lambda _key, value: _fk(value))
    return joined


def _by_foreign_key(builder: TopologyBuilder, join_kind: str) -> Stream[str, Pair]:
    left = builder.table("left", key=str, value=object, store="left-store")
    right = builder.table("right", key=str, value=object, store="right-store")
    joined: Stream[str, Pair] = join_of(left, join_kind)(right, pair, foreign_key=_fk).to_stream()
    return joined
