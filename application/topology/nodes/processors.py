"""The node of a user-defined processor."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from eddyline.application.topology.nodes.node import Node
from eddyline.application.topology.processor import Processor


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessorNode(Node):
    """Passes records to a user-defined processor, one per task; with `fixed_key` it must not change keys."""

    supplier: Callable[[], Processor[Any, Any, Any, Any]]
    fixed_key: bool = False
