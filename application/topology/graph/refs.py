"""References to streams and tables in a graph: what operators are added to."""

from typing import NamedTuple

from eddyline.application.topology.nodes import Node, ValueGetter


class StreamRef(NamedTuple):
    """A stream in a graph.

    `node` emits its records, and `origin` is what the default names of further nodes begin with. `rekeyed` tells that keys
    may have changed since the records were partitioned, so that operators by key have to repartition them first.
    """

    node: Node
    origin: str
    rekeyed: bool = False


class TableRef(NamedTuple):
    """A table in a graph.

    `node` emits its updates, and `origin` is what the default names of further nodes begin with. `store` is the store of its
    rows, None if it has none of its own; `getter` reads its rows, None if they cannot be read.
    """

    node: Node
    origin: str
    store: str | None = None
    getter: ValueGetter | None = None

    @property
    def versioned_store(self) -> str | None:
        """The store of the versions that the rows are read from, None if they are not versioned."""
        return None if self.getter is None else self.getter.versioned_store
