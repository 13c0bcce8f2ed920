"""Runs user-defined processors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from eddyline.application.topology.callables import check_result
from eddyline.application.topology.errors import listed
from eddyline.application.topology.immutable import own_copy
from eddyline.application.topology.processor import ProcessorContext, PunctuationType, Record
from eddyline.application.topology.windows import Duration, milliseconds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eddyline.application.operators.context import OperatorContext, StreamForward
    from eddyline.application.topology.metrics import Metrics
    from eddyline.application.topology.nodes import Node, ProcessorNode
    from eddyline.application.topology.processor import Cancellable, Processor, ValueTransformerWithKey
    from eddyline.application.topology.records import Headers, RecordMetadata


def process(node: ProcessorNode, context: OperatorContext, children: Mapping[str, StreamForward]) -> StreamForward:
    """Create the task's processor and pass it every record; `children` has the functions of the child nodes by name."""
    processor = node.supplier()
    process_record = processor.process
    if not node.fixed_key:
        attach(processor, NodeContext(node, context, children), context)

        def process_any_key(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
            process_record(Record(key, value, timestamp, headers))

        return process_any_key
    processor_context = _FixedKeyContext(node, context, children)
    attach(processor, processor_context, context)

    def process_fixed_key(key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        processor_context.fixed_key = key
        process_record(Record(key, value, timestamp, headers))

    return process_fixed_key


def attach(
    processor: Processor[Any, Any, Any, Any] | ValueTransformerWithKey[Any, Any, Any], node: NodeContext, task: OperatorContext
) -> None:
    """Initialize a processor or transformer, and let the task call it at commits and at its end."""
    processor.init(node)
    task.on_commit(processor.on_commit, node.name)

    def close() -> None:
        node.end()
        processor.close()

    task.on_close(close)


class NodeContext(ProcessorContext[Any, Any]):
    """The context of a node with user-defined code in one task; `children` has the functions of the child nodes by name."""

    def __init__(self, node: Node, context: OperatorContext, children: Mapping[str, StreamForward]) -> None:
        self.name = node.name
        self._stores = node.stores
        self._context = context
        self._children: Mapping[str, StreamForward] = children
        self._all: tuple[StreamForward, ...] = tuple(children.values())
        self._schedules = 0

    @property
    def task_id(self) -> str:
        """The index of the sub-topology and the partition, such as `0_2`."""
        return self._context.task_id

    @property
    def record_metadata(self) -> RecordMetadata | None:
        """The position and timestamp of the record that is being processed, None during punctuation."""
        return self._context.metadata

    @property
    def metrics(self) -> Metrics:
        """The metrics of the processor."""
        return self._context.metrics(self.name)

    def forward(self, record: Record[Any, Any], *, to: str | None = None) -> None:
        """Forward a record to all child nodes, or only to the child named `to`. Raises LookupError and TypeError."""
        if type(record.timestamp) is not int:
            raise self._invalid_timestamp(record)
        if to is None:
            for forward in self._all:
                forward(record.key, own_copy(record.value), record.timestamp, record.headers)
            return
        child = self._children.get(to)
        if child is None:
            msg = f"processor '{self.name}' has no child '{to}'; its children: {listed(self._children)}"
            raise LookupError(msg)
        child(record.key, own_copy(record.value), record.timestamp, record.headers)

    def _invalid_timestamp(self, record: Record[Any, Any]) -> TypeError:
        return TypeError(
            f"processor '{self.name}' forwards a record with the timestamp {record.timestamp!r}; "
            "pass an int, the ms since the epoch"
        )

    def drop(self, record: Record[Any, Any], reason: str) -> None:
        """Count a record as dropped, for this reason."""
        self._context.drop(self.name, reason, record.key, record.value, record.timestamp, record.headers)

    def state_store(self, name: str) -> Any:
        """Return the store of this name. Raises LookupError."""
        if name not in self._stores:
            msg = (
                f"processor '{self.name}' is not connected to store '{name}'; its stores: {listed(self._stores)}; "
                f"pass stores=['{name}'] to the operator"
            )
            raise LookupError(msg)
        return self._context.store(name)

    def schedule(self, interval: Duration, kind: PunctuationType, callback: Callable[[int], None]) -> Cancellable:
        """Call `callback` every `interval`."""
        interval_ms = milliseconds(interval, f"the punctuation interval of processor '{self.name}'", least=1)
        check_result(f"the punctuation callback of processor '{self.name}'", callback)
        self._schedules += 1
        return self._context.schedule(f"{self.name}:{self._schedules}", interval_ms, kind, callback)

    def commit(self) -> None:
        """Request a commit as soon as possible."""
        self._context.request_commit()

    def end(self) -> None:
        """Forward nothing from now on."""

        def refuse(*_record: Any) -> NoReturn:
            msg = (
                f"processor '{self.name}' forwards a record in close(), after the last commit, so it would be lost; "
                "forward it in on_commit()"
            )
            raise RuntimeError(msg)

        self._all, self._children = (refuse,), dict.fromkeys(self._children, refuse)

    def current_stream_time_ms(self) -> int:
        """Return the greatest timestamp of the task's records so far, -1 before the first."""
        return self._context.current_stream_time_ms()

    def current_system_time_ms(self) -> int:
        """Return the wall-clock time as the engine last set it, in ms since the epoch."""
        return self._context.current_system_time_ms()


class _FixedKeyContext(NodeContext):
    """The context of a processor that must forward the key of the record that it received."""

    fixed_key: Any = None

    def forward(self, record: Record[Any, Any], *, to: str | None = None) -> None:
        if record.key != self.fixed_key:
            msg = (
                f"processor '{self.name}' must keep the key {self.fixed_key!r}, but forwarded {record.key!r}; "
                "use process(…) instead of process_values(…) to change keys"
            )
            raise ValueError(msg)
        super().forward(record, to=to)
