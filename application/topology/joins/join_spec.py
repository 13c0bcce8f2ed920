"""The options that all joins have in common."""

from collections.abc import Callable
from typing import Any, NamedTuple

from eddyline.application.topology.nodes import JoinKind
from eddyline.application.topology.types import explicit_or, returned_type


class JoinSpec(NamedTuple):
    """How two sides are joined.

    `joiner` takes (left, right), or (key, left, right) with `with_key`. `value` is the type of its results, None to infer it
    from its annotations. `name` is the name of the node and `store` that of the store for the result, None for the default.
    `condition` takes (left, right) and tells whether they match, None if all do.
    """

    kind: JoinKind
    joiner: Callable[..., Any]
    with_key: bool
    value: Any
    name: str | None
    store: str | None = None
    condition: Callable[[Any, Any], bool] | None = None

    @property
    def value_type(self) -> object:
        """The type of the joined values, UNKNOWN if it was neither passed nor annotated."""
        return explicit_or(self.value, returned_type(self.joiner))
