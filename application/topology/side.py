"""One side of a join, as the verbs that join see it."""

from typing import Any, NamedTuple

from application.topology.errors import TopologyError
from application.topology.nodes import Node
from application.topology.types import UNKNOWN, type_name
from application.topology.views import TableView

_ANYTHING = (UNKNOWN, object, Any)


class Side(NamedTuple):
    """A stream or a table: the step that gives it, what its steps are named after, whether its keys have still to be brought
    together, and how its rows are read, where it is a table that is kept."""

    node: Node
    origin: str
    rekeyed: bool = False
    view: TableView | None = None


def common_key_type(step: str, left: Node, right: Node) -> object:
    """The key type of both sides of a join. Raises TopologyError when they are known and differ."""
    if left.key_type in _ANYTHING:
        return right.key_type
    if right.key_type not in _ANYTHING and left.key_type != right.key_type:
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
