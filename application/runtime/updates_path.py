"""The path of many updates of a table at once, as commits forward them: to a topic, or to what aggregates or combines them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Self

from eddyline.application.operators.columns import RecordColumns, Step, step_of
from eddyline.application.operators.context import ProcessMany, TableForward, UpdatesForward
from eddyline.application.operators.forward_columns import LaterError
from eddyline.application.operators.update_columns import UpdateColumns, UpdateStep, update_step_of
from eddyline.application.runtime.columns_output import ColumnsOutput
from eddyline.application.runtime.downstream import fixed_topic, only_child
from eddyline.application.topology.nodes import Node, SinkNode, TableToStreamNode
from eddyline.application.topology.records import Headers


def one_by_one(forward: TableForward) -> UpdatesForward:
    """Return a function that forwards each of many updates."""

    def forward_each(updates: UpdateColumns) -> None:
        for update in updates.each():
            forward(*update)

    return forward_each


def changes(forward: TableForward) -> TableForward:
    """Return a function that forwards an update unless there was no value and is none."""

    def forward_change(key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        if new is not None or old is not None:
            forward(key, new, old, timestamp, headers)

    return forward_change


def many_changes(forward: UpdatesForward) -> UpdatesForward:
    """Return a function that does so with many updates."""

    def forward_changes(updates: UpdateColumns) -> None:
        changed = [new is not None or old is not None for new, old in zip(updates.new, updates.old, strict=True)]
        forward(updates if all(changed) else updates.only(changed))

    return forward_changes


class UpdatesPath(NamedTuple):
    """The stateless steps after a table, and what is done with many records then."""

    updates: Sequence[UpdateStep]
    records: Sequence[Step]
    end: Callable[[RecordColumns], None]

    @classmethod
    def of(
        cls, nodes: Sequence[Node], name: str, ends: Mapping[str, ProcessMany], append: Callable[[ColumnsOutput], None]
    ) -> Self | None:
        """Return the path after a node, None if its updates must be forwarded one by one.

        Args:
            nodes: The nodes of the topology.
            name: The name of the node.
            ends: The nodes that process many records at once.
            append: Appends records for a topic to the output of the task.
        """
        of_updates: list[UpdateStep] = []
        of_records: list[Step] = []
        is_table = True
        while True:
            child = only_child(nodes, name)
            if child is None or len(child.parents) != 1:
                return None
            if is_table and isinstance(child, TableToStreamNode):
                is_table = False
            elif is_table:
                update_step = update_step_of(child)
                if update_step is None:
                    return None
                of_updates.append(update_step)
            elif child.name in ends:
                return cls(of_updates, of_records, _processing(ends[child.name]))
            elif isinstance(child, SinkNode):
                topic = fixed_topic(child)
                return None if topic is None else cls(of_updates, of_records, _writing(topic, child, append))
            else:
                step = step_of(child)
                if step is None:
                    return None
                of_records.append(step)
            name = child.name

    def forward(self, each: UpdatesForward) -> UpdatesForward:
        """Return the function that forwards many updates; `each` does so one by one, to find the one for which a step fails."""
        updates_steps, records_steps, end = self

        def forward_all(updates: UpdateColumns) -> None:
            try:
                found = updates
                for update_step in updates_steps:
                    found = update_step(found)
                records = found.as_records()
                for step in records_steps:
                    records = step(records)
            except Exception:  # noqa: BLE001 - the steps change nothing: each raises it where it belongs, for its update
                each(updates)
            else:
                end(records)

        return forward_all


def _processing(process_all: ProcessMany) -> Callable[[RecordColumns], None]:
    def process(records: RecordColumns) -> None:
        try:
            process_all(zip(*records, strict=True))
        except LaterError as failed:
            raise failed.error from None

    return process


def _writing(topic: str, sink: SinkNode, append: Callable[[ColumnsOutput], None]) -> Callable[[RecordColumns], None]:
    def write(records: RecordColumns) -> None:
        if records.keys:
            append(ColumnsOutput(topic, sink, records, ()))

    return write
