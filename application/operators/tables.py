"""The verbs on tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eddyline.application.operators.context import OperatorContext, StreamForward, TableForward
    from eddyline.application.topology.nodes import TableToStreamNode
    from eddyline.application.topology.records import Headers


def to_stream(_node: TableToStreamNode, _context: OperatorContext, forward: StreamForward) -> TableForward:
    """Forwards the new value of each update."""

    def process(key: Any, new: Any, _old: Any, timestamp: int, headers: Headers) -> None:
        forward(key, new, timestamp, headers)

    return process
