"""Runs the processors that users write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.application.topology.errors import listed
from eddyline.application.topology.processor import ProcessorContext, PunctuationType, Record
from eddyline.application.topology.windows import Duration, milliseconds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eddyline.application.operators.context import OperatorContext, StreamForward
    from eddyline.application.topology.process_nodes import ProcessNode
    from eddyline.application.topology.processor import Cancellable
    from eddyline.application.topology.records import Headers, RecordMetadata


def process(node: ProcessNode, context: OperatorContext, children: Mapping[str, StreamForward]) -> StreamForward:
    """Makes the task's own processor and hands it every record; `children` are the steps that hear it, by name."""
    processor = node.supplier()
    own = _Context(node, context, children)
    processor.init(own)
    context.on_close(processor.close)
    take = processor.process

    def handle(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        take(Record(key, value, timestamp, headers))

    def handle_fixed_key(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        own.fixed_key = key
        take(Record(key, value, timestamp, headers))

    return handle_fixed_key if node.fixed_key else handle


class _Context(ProcessorContext[Any, Any]):
    """The task as one processor sees it."""

    def __init__(self, node: ProcessNode, context: OperatorContext, children: Mapping[str, StreamForward]) -> None:
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
                f"step '{self._node.name}' keeps the key, but forwards {record.key!r} for a record with key {self.fixed_key!r}; "
                "use process() where keys change"
            )
            raise ValueError(msg)
        if to is None:
            for forward in self._all:
                forward(record.key, record.value, record.timestamp, record.headers)
            return
        child = self._children.get(to)
        if child is None:
            msg = f"step '{self._node.name}' has no child '{to}'; it has: {listed(self._children)}"
            raise LookupError(msg)
        child(record.key, record.value, record.timestamp, record.headers)

    def state_store(self, name: str) -> Any:
        if name not in self._node.stores:
            msg = (
                f"step '{self._node.name}' is not connected with store '{name}', but with: {listed(self._node.stores)}; "
                f"name it in stores="
            )
            raise LookupError(msg)
        return self._context.store(name)

    def schedule(self, interval: Duration, kind: PunctuationType, callback: Callable[[int], None]) -> Cancellable:
        interval_ms = milliseconds(interval, f"the punctuation interval of step '{self._node.name}'", least=1)
        self._schedules += 1
        return self._context.schedule(f"{self._node.name}:{self._schedules}", interval_ms, kind, callback)

    def current_stream_time_ms(self) -> int:
        return self._context.current_stream_time_ms()

    def current_system_time_ms(self) -> int:
        return self._context.current_system_time_ms()
