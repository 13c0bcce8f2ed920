"""All kinds of joins between two topics, each by the name that the cases give it."""

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

_VERBS = {"inner": "join", "left": "left_join", "outer": "outer_join"}


def joins(
    builder: TopologyBuilder,
    *,
    kind: Kind = "table-table-inner",
    before_ms: int = 10_000,
    after_ms: int = 10_000,
    grace_ms: int = 0,
    emit_interval_ms: int = 0,
) -> None:
    """The topics left and right in, the pairs that `kind` joins out; foreign keys and global tables go by the left's field fk."""
    sides, _, how = kind.rpartition("-")
    windows = join_windows(before=before_ms, after=after_ms, grace=grace_ms, emit_interval=emit_interval_ms)
    joined = {
        "table-table": lambda: _tables(builder, how),
        "stream-stream": lambda: _streams(builder, how, windows),
        "stream-table": lambda: _stream_with_table(builder, how),
        "stream-global": lambda: _stream_with_global_table(builder, how),
        "fk": lambda: _by_foreign_key(builder, how),
    }[sides]()
    joined.to("joined")


def _pair(left: Any, right: Any) -> Pair:
    return {"left": left, "right": right}


def _fk(left: Any) -> str | None:
    found = left.get("fk")
    return found if isinstance(found, str) else None


def _verb(side: Any, how: str) -> Any:
    return getattr(side, _VERBS[how])


def _tables(builder: TopologyBuilder, how: str) -> Stream[str, Pair]:
    left = builder.table("left", key=str, value=object, store="left-store")
    right = builder.table("right", key=str, value=object, store="right-store")
    joined: Stream[str, Pair] = _verb(left, how)(right, _pair).to_stream()
    return joined


def _streams(builder: TopologyBuilder, how: str, windows: JoinWindows) -> Stream[str, Pair]:
    left = builder.stream("left", key=str, value=object)
    right = builder.stream("right", key=str, value=object)
    joined: Stream[str, Pair] = _verb(left, how)(right, _pair, windows=windows)
    return joined


def _stream_with_table(builder: TopologyBuilder, how: str) -> Stream[str, Pair]:
    right = builder.table("right", key=str, value=object, store="right-store")
    joined: Stream[str, Pair] = _verb(builder.stream("left", key=str, value=object), how)(right, _pair)
    return joined


def _stream_with_global_table(builder: TopologyBuilder, how: str) -> Stream[str, Pair]:
    right = builder.global_table("right", key=str, value=object, store="right-store")
    left = builder.stream("left", key=str, value=object)
    joined: Stream[str, Pair] = _verb(left, how)(right, _pair, key_selector=lambda _key, value: _fk(value))
    return joined


def _by_foreign_key(builder: TopologyBuilder, how: str) -> Stream[str, Pair]:
    left = builder.table("left", key=str, value=object, store="left-store")
    right = builder.table("right", key=str, value=object, store="right-store")
    joined: Stream[str, Pair] = _verb(left, how)(right, _pair, foreign_key=_fk).to_stream()
    return joined
