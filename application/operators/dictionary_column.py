"""A column of few distinct values, each of which occurs many times."""

from collections.abc import Iterator, Sequence
from typing import Any, overload


class DictionaryColumn(Sequence[Any]):
    """A column that has its distinct values once and an index for each record, like Arrow's dictionary arrays.

    What is computed of its values is computed once for each distinct one, and looked up for the records (`of`).

    Args:
        distinct: The distinct values; others than those of the records may be among them.
        indexes: The index of the value of each record in `distinct`.
    """

    __slots__ = ("_indexes", "distinct")

    def __init__(self, distinct: Sequence[Any], indexes: Sequence[int]) -> None:
        self.distinct, self._indexes = distinct, indexes

    def of(self, computed: Sequence[Any]) -> list[Any]:
        """Return the item of each record, from one item for each distinct value."""
        return list(map(computed.__getitem__, self._indexes))

    def __len__(self) -> int:
        return len(self._indexes)

    def __iter__(self) -> Iterator[Any]:
        return map(self.distinct.__getitem__, self._indexes)

    @overload
    def __getitem__(self, index: int) -> Any: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Any]: ...

    def __getitem__(self, index: int | slice) -> Any:
        """Return the value of a record, or a column of some; a list if the distinct values are not fewer than these."""
        if not isinstance(index, slice):
            return self.distinct[self._indexes[index]]
        part = DictionaryColumn(self.distinct, self._indexes[index])
        return part if len(self.distinct) < len(part) else list(part)
