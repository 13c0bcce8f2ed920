"""Lines of JSON as one byte string, which takes a fifth of the memory of as many byte strings."""

from collections.abc import Iterator, Sequence
from typing import overload


class Lines(Sequence[bytes]):
    """The lines of a byte string, which are split each time that they are iterated, and kept once one is asked for by its index.

    Args:
        data: The lines, each of which ends with a newline.
        count: The number of lines.
    """

    __slots__ = ("_count", "_data", "_kept")

    def __init__(self, data: bytes, count: int) -> None:
        self._data, self._count = data, count
        self._kept: list[bytes] | None = None

    @property
    def size(self) -> int:
        """The number of bytes of all lines, without the newlines."""
        return len(self._data) - self._count

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._split() if self._kept is None else self._kept)

    @overload
    def __getitem__(self, index: int) -> bytes: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[bytes]: ...

    def __getitem__(self, index: int | slice) -> bytes | Sequence[bytes]:
        if self._kept is None:
            self._kept = self._split()
        return self._kept[index]

    def _split(self) -> list[bytes]:
        lines = self._data.split(b"\n")
        lines.pop()
        return lines
