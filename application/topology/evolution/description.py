"""What a topology keeps between runs, as data: stores, operators and sub-topologies, to compare with another version."""

import dataclasses
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from eddyline.application.topology.evolution.shapes import Shape, shape_of
from eddyline.application.topology.graph import Topology
from eddyline.application.topology.nodes import (
    AggregateNode,
    ForeignKeySubscriptionNode,
    Node,
    ProcessorNode,
    SessionAggregateNode,
    SlidingAggregateNode,
    SourceNode,
    StreamStreamJoinNode,
    StreamStreamUntilJoinNode,
    StreamTableJoinNode,
    SuppressNode,
    WindowAggregateNode,
)
from eddyline.application.topology.stores import StoreSpec
from eddyline.application.topology.sub_topologies import SubTopology

FORMAT: Final = 1

_WITH_NUMBERS: Final = (
    WindowAggregateNode,
    SlidingAggregateNode,
    SessionAggregateNode,
    StreamStreamJoinNode,
    StreamStreamUntilJoinNode,
    SuppressNode,
    ForeignKeySubscriptionNode,
)
"""The nodes that keep numbers, such as their stream time, under their own names."""
_CAPITAL: Final = re.compile(r"(?<!^)(?=[A-Z])")


class DescriptionError(ValueError):
    """Data is no description of a topology that this version can read."""


@dataclass(frozen=True)
class StoreDescription:
    """A store: what decides how its entries are read, and where they are.

    Args:
        kind: what entries are keyed by, a value of `StoreKind`.
        key: the shape of the keys.
        value: the shape of the values.
        timestamped: whether values have the timestamp of their last update.
        windows: the windows of an aggregation without their grace period, None for other stores.
        retention_ms: how long entries are kept.
        topics: the topics that the tasks of the store read; empty for global stores.
        used: whether the topology has the store; a checkpoint also describes those that it has had before.
        schema_version: a number that grows by one whenever the shape of keys or values changes.
    """

    kind: str
    key: Shape
    value: Shape
    timestamped: bool
    windows: Mapping[str, Any] | None
    retention_ms: int | None
    topics: tuple[str, ...]
    used: bool = True
    schema_version: int = 1


@dataclass(frozen=True)
class OperatorDescription:
    """An operator; `has_numbers` says whether it stores numbers, such as its stream time, under its own name."""

    kind: str
    stores: tuple[str, ...]
    has_numbers: bool


@dataclass(frozen=True)
class RepartitionDescription:
    """A repartition topic; `partitions` is None if the number is derived, `partitioned_by_key` is False with a partitioner."""

    partitions: int | None
    partitioned_by_key: bool


@dataclass(frozen=True)
class TopologyDescription:
    """What a topology keeps between runs; `sub_topologies` has the topics that each of them reads."""

    stores: Mapping[str, StoreDescription]
    operators: Mapping[str, OperatorDescription]
    sub_topologies: tuple[tuple[str, ...], ...]
    repartition_topics: Mapping[str, RepartitionDescription]

    def following(self, old: "TopologyDescription | None") -> "TopologyDescription":
        """Return the description with the schema versions that follow from `old`, and with stores that only `old` has."""
        if old is None:
            return self
        stores = {name: replace(store, used=False) for name, store in old.stores.items()}
        for name, store in self.stores.items():
            before = old.stores.get(name)
            if before is not None:
                changed = (before.key, before.value) != (store.key, store.value)
                store = replace(store, schema_version=before.schema_version + changed)  # noqa: PLW2901 - with its version
            stores[name] = store
        return replace(self, stores=stores)

    def as_json(self) -> dict[str, Any]:
        """Return the description as `json.loads` would return it."""
        return {"format": FORMAT, **_plain(dataclasses.asdict(self))}


def described(topology: Topology) -> TopologyDescription:
    """Return the description of a topology."""
    homes = {store: _topics(sub) for sub in topology.sub_topologies for store in sub.stores}
    return TopologyDescription(
        stores={
            name: StoreDescription(
                kind=spec.kind.value,
                key=shape_of(spec.key_type),
                value=shape_of(spec.value_type),
                timestamped=spec.timestamped,
                windows=_windows(spec, topology),
                retention_ms=spec.retention_ms,
                topics=homes.get(name, ()),
            )
            for name, spec in topology.stores.items()
        },
        operators={node.name: OperatorDescription(_kind(node), node.stores, _has_numbers(node)) for node in topology.nodes},
        sub_topologies=tuple(map(_topics, topology.sub_topologies)),
        repartition_topics={
            topic: RepartitionDescription(sink.partitions, sink.partitioner is None)
            for topic, sink in topology.repartition_topics.items()
        },
    )


def from_json(data: Any) -> TopologyDescription:
    """Return the description that `as_json` has returned.

    Raises:
        DescriptionError: it is none, or has another format.
    """
    try:
        if data["format"] != FORMAT:
            raise DescriptionError(f"a topology in format {data['format']!r}, but this version of eddyline reads format {FORMAT}")
        return TopologyDescription(
            stores={
                name: StoreDescription(**{**fields, "topics": tuple(fields["topics"])}) for name, fields in data["stores"].items()
            },
            operators={
                name: OperatorDescription(**{**fields, "stores": tuple(fields["stores"])})
                for name, fields in data["operators"].items()
            },
            sub_topologies=tuple(map(tuple, data["sub_topologies"])),
            repartition_topics={name: RepartitionDescription(**fields) for name, fields in data["repartition_topics"].items()},
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise DescriptionError(
            f"no description of a topology ({type(error).__name__}: {error}); "
            "create one with 'eddyline topology FLOW --format json'"
        ) from error


def _topics(sub: SubTopology) -> tuple[str, ...]:
    return (*sub.source_topics, *sub.repartition_sources)


def _has_numbers(node: Node) -> bool:
    return isinstance(node, _WITH_NUMBERS) or (isinstance(node, StreamTableJoinNode) and node.buffer is not None)


def _kind(node: Node) -> str:
    if isinstance(node, SourceNode) and node.global_:
        return "global source"
    return _CAPITAL.sub(" ", type(node).__name__.removesuffix("Node")).lower()


def _windows(spec: StoreSpec, topology: Topology) -> dict[str, Any] | None:
    """Return the windows that the keys of a store belong to; joins store records by their timestamps, without windows."""
    users = [node for node in topology.nodes if spec.name in node.stores]
    windows = next((node.windows for node in users if isinstance(node, AggregateNode) and hasattr(node, "windows")), None)
    if windows is None and any(isinstance(node, ProcessorNode) for node in users):
        windows = spec.windows
    return None if windows is None else {"type": type(windows).__name__, **dict(_window_fields(windows))}


def _window_fields(windows: Any) -> Iterator[tuple[str, Any]]:
    for field in dataclasses.fields(windows):
        if field.init and field.name != "grace_ms":
            yield field.name, _plain(getattr(windows, field.name))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(inner) for inner in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
