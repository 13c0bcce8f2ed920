"""Inner, left and outer joins."""

from enum import Enum


class JoinKind(Enum):
    """The kind of a join: which rows or records without a match are part of the result."""

    INNER = "inner"
    LEFT = "left"
    OUTER = "outer"

    @property
    def operator(self) -> str:
        """The name of the operator, which default names of nodes end with."""
        return "join" if self is JoinKind.INNER else f"{self.value}-join"

    @property
    def keeps_left(self) -> bool:
        """Whether the left side is part of the result without a match."""
        return self is not JoinKind.INNER

    @property
    def keeps_right(self) -> bool:
        """Whether the right side is part of the result without a match."""
        return self is JoinKind.OUTER
