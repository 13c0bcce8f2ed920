"""The step that the user writes by hand, as frozen data."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from eddyline.application.topology.nodes import Node
from eddyline.application.topology.processor import Processor


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessNode(Node):
    """Hands records to a processor of each task's own; with `fixed_key` it must not forward under other keys."""

    supplier: Callable[[], Processor[Any, Any, Any, Any]]
    fixed_key: bool = False
