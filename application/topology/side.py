"""One side of a join, as the verbs that join see it."""

from collections.abc import Callable
from typing import Any, NamedTuple

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import explicit
from eddyline.application.topology.nodes import Node
from eddyline.application.topology.types import UNKNOWN, returned_type, type_name
from eddyline.application.topology.views import TableView

ANYTHING = (UNKNOWN, object, Any)
"""The types of keys that may be equal to keys of any type."""


class Side(NamedTuple):
    """A stream or a table: the step that gives it, and what further steps are named after.

    `rekeyed` says whether equal keys have still to be brought together, `view` how the rows of a table are read, None where it
    is kept nowhere.
    """

    node: Node
    origin: str
    rekeyed: bool = False
    view: TableView | None = None


class How(NamedTuple):
    """How the sides are joined.

    `joiner` is the function of both values, with `with_key` of the key and both; `value` the type that it gives, None where its
    annotation tells it. `name` is the step's, `store` that of what keeps the result; None where they are not chosen.
    """

    joiner: Callable[..., Any]
    value: Any
    with_key: bool
    name: str | None
    store: str | None = None

    @property
    def value_type(self) -> object:
        """The type of the joined values, UNKNOWN where nothing tells it."""
        return explicit(self.value, returned_type(self.joiner))


def common_key_type(step: str, left: Node, right: Node) -> object:
    """The key type of both sides of a join. Raises TopologyError when they are known and differ."""
    if left.key_type in ANYTHING:
        return right.key_type
    if right.key_type not in ANYTHING and left.key_type != right.key_type:
        msg = (
            f"step '{step}' joins '{left.name}', whose keys are {type_name(left.key_type)}, "
            f"with '{right.name}', whose keys are {type_name(right.key_type)}, and these are never equal; "
            "give one of them the other's keys first, with select_key or, for tables, foreign_key="
        )
        raise TopologyError(msg)
    return left.key_type


def readable(step: str, side: Side) -> TableView:
    """How the rows of a table are read. Raises TopologyError when it is kept nowhere."""
    if side.view is None:
        msg = (
            f"step '{step}' has to read the table of step '{side.node.name}', which is kept nowhere; "
            "keep it first with .to_stream().to_table(store=…)"
        )
        raise TopologyError(msg)
    return side.view
