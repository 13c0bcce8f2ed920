"""Runs user-defined processors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.application.topology.errors import listed
from eddyline.application.topology.processor import ProcessorContext, PunctuationType, Record
from eddyline.application.topology.windows import Duration, milliseconds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eddyline.application.operators.context import OperatorContext, StreamForward
    from eddyline.application.topology.nodes import ProcessorNode
    from eddyline.application.topology.processor import Cancellable
    from eddyline.application.topology.records import Headers, RecordMetadata


def process(node: ProcessorNode, context: OperatorContext, children: Mapping[str, StreamForward]) -> StreamForward:
    """Create the task's processor and pass it every record; `children` has the functions of the child nodes by name."""
    processor = node.supplier()
    processor_context = _Context(node, context, children)
    processor.init(processor_context)
    context.on_close(processor.close)
    process_record = processor.process

    def process_any_key(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        process_record(Record(key, value, timestamp, headers))

    def process_fixed_key(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        processor_context.fixed_key = key
        process_record(Record(key, value, timestamp, headers))

    return process_fixed_key if node.fixed_key else process_any_key


class _Context(ProcessorContext[Any, Any]):
    """The context of one processor of a task."""

    def __init__(self, node: ProcessorNode, context: OperatorContext, children: Mapping[str, StreamForward]) -> None:
        self._node = node
        self._context = context
        self._children = children
        self._all = tuple(children.values())
        self._schedules = 0
        self.fixed_key: Any = None

    @property
    def task_id(self) -> str:
        return self._context.task_id

    @property
    def record_metadata(self) -> RecordMetadata | None:
        return self._context.metadata

    def forward(self, record: Record[Any, Any], *, to: str | None = None) -> None:
        if self._node.fixed_key and record.key != self.fixed_key:
            msg = (
                f"processor '{self._node.name}' must keep the key {self.fixed_key!r}, but forwarded {record.key!r}; "
                "use process(…) instead of process_values(…) to change keys"
            )
            raise ValueError(msg)
        if to is None:
            for forward in self._all:
                forward(record.key, record.value, record.timestamp, record.headers)
            return
        child = self._children.get(to)
        if child is None:
            msg = f"processor '{self._node.name}' has no child '{to}'; its children: {listed(self._children)}"
            raise LookupError(msg)
        child(record.key, record.value, record.timestamp, record.headers)

    def state_store(self, name: str) -> Any:
        if name not in self._node.stores:
            msg = (
                f"processor '{self._node.name}' is not connected to store '{name}'; its stores: {listed(self._node.stores)}; "
                f"pass stores=['{name}'] to the operator"
            )
            raise LookupError(msg)
        return self._context.store(name)

    def schedule(self, interval: Duration, kind: PunctuationType, callback: Callable[[int], None]) -> Cancellable:
        interval_ms = milliseconds(interval, f"the punctuation interval of processor '{self._node.name}'", least=1)
        self._schedules += 1
        return self._context.schedule(f"{self._node.name}:{self._schedules}", interval_ms, kind, callback)

    def current_stream_time_ms(self) -> int:
        return self._context.current_stream_time_ms()

    def current_system_time_ms(self) -> int:
        return self._context.current_system_time_ms()
