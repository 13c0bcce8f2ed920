"""What all nodes have in common."""

from dataclasses import dataclass

from eddyline.application.topology.types import UNKNOWN, Emit


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node of a topology: its name, its parents and stores by name, and the types of the keys and values that it emits."""

    name: str
    parents: tuple[str, ...] = ()
    stores: tuple[str, ...] = ()
    key_type: object = UNKNOWN
    value_type: object = UNKNOWN


def is_cached(node: Node, emit: Emit) -> bool:
    """Return whether a table's node forwards only the latest update per key and commit: as it says, else as `emit` does."""
    caching: bool | None = getattr(node, "caching", None)
    return emit == "latest" if caching is None else caching


@dataclass(frozen=True, slots=True, kw_only=True)
class CopartitionedNode(Node):
    """A node that needs records with equal keys from several nodes in one task.

    `copartitioned` are the names of these nodes: the topics that they derive from must have the same number of partitions.
    """

    copartitioned: tuple[str, ...] = ()
