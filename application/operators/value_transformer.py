"""Runs user-defined transformers of the values of tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from eddyline.application.operators.processor import NodeContext, attach
from eddyline.application.topology.nodes import Node

if TYPE_CHECKING:
    from collections.abc import Callable

    from eddyline.application.operators.context import OperatorContext
    from eddyline.application.topology.processor import Record, ValueTransformerWithKey


def transformer_of(
    name: str,
    supplier: Callable[[], ValueTransformerWithKey[Any, Any, Any]],
    stores: tuple[str, ...],
    context: OperatorContext,
) -> Callable[[Any, Any], Any]:
    """Create a transformer of the task, initialize it, and return its method `transform`.

    Args:
        name: What the transformer is called in error messages and in the names of its punctuations.
        supplier: Creates the transformer.
        stores: The names of the stores that it may use.
        context: The task.
    """
    transformer = supplier()
    attach(transformer, _Context(Node(name=name, stores=stores), context, {}), context)
    return transformer.transform


class _Context(NodeContext):
    """The context of a transformer, which cannot forward records."""

    def forward(self, record: Record[Any, Any], *, to: str | None = None) -> NoReturn:
        del record, to
        msg = f"transformer '{self.name}' cannot forward records; return the new value, or use to_stream().process(…) instead"
        raise RuntimeError(msg)
