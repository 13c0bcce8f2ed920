"""Packs byte strings and columns of numbers one after the other."""

from array import array
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import cast

_COUNT_BYTES = 4


class Cursor:
    """Reads columns one after the other, from byte `at` of the data on."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def column(self, code: str, count: int) -> "array[int]":
        """Read `count` numbers of an array's type code."""
        found = array(code)
        end = self.at + count * found.itemsize
        found.frombytes(self.data[self.at : end])
        self.at = end
        return found

    def blobs(self, lengths: "array[int]") -> Sequence[bytes | None]:
        """Read byte strings of these lengths."""
        data = self.data
        if -1 not in lengths:
            ends = list(accumulate(lengths, initial=self.at))
            self.at = ends[-1]
            return [data[a:b] for a, b in pairwise(ends)]
        ends = list(accumulate((max(0, length) for length in lengths), initial=self.at))
        self.at = ends[-1]
        return [None if length < 0 else data[a:b] for length, (a, b) in zip(lengths, pairwise(ends), strict=True)]


def size_of(blobs: Sequence[bytes | None]) -> int:
    """Return the number of bytes of all byte strings; those that are kept as one may know it as their `size`."""
    known: int | None = getattr(blobs, "size", None)
    if known is not None:
        return known
    try:
        return sum(map(len, cast("Sequence[bytes]", blobs)))
    except TypeError:
        return sum(len(blob) for blob in blobs if blob is not None)


def lengths_of(blobs: Sequence[bytes | None]) -> "array[int]":
    """Return the length of each byte string, -1 for None."""
    try:
        return array("i", list(map(len, cast("Sequence[bytes]", blobs))))
    except TypeError:
        return array("i", [-1 if blob is None else len(blob) for blob in blobs])


def joined(blobs: Sequence[bytes | None]) -> bytes:
    """Return the byte strings concatenated, without those that are None."""
    return b"".join(filter(None, blobs))


def pack_blobs(blobs: Sequence[bytes | None]) -> bytes:
    """Return several byte strings, or None, as one."""
    return len(blobs).to_bytes(_COUNT_BYTES, "little") + lengths_of(blobs).tobytes() + joined(blobs)


def unpack_blobs(data: bytes) -> Sequence[bytes | None]:
    """Return the byte strings that `pack_blobs` packed."""
    cursor = Cursor(data, _COUNT_BYTES)
    return cursor.blobs(cursor.column("i", int.from_bytes(data[:_COUNT_BYTES], "little")))
