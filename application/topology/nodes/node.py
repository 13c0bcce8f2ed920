"""What all nodes have in common."""

from dataclasses import dataclass

from eddyline.application.topology.types import UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node of a topology: its name, its parents and stores by name, and the types of the keys and values that it emits."""

    name: str
    parents: tuple[str, ...] = ()
    stores: tuple[str, ...] = ()
    key_type: object = UNKNOWN
    value_type: object = UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class CopartitionedNode(Node):
    """A node that needs records with equal keys from several nodes in one task.

    `copartitioned` are the names of these nodes: the topics that they derive from must have the same number of partitions.
    """

    copartitioned: tuple[str, ...] = ()
