"""Byte strings and numbers are packed one after the other."""

from array import array

from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.spark.exchange.blobs import Cursor, joined, lengths_of, pack_blobs, size_of, unpack_blobs

BLOBS = st.lists(st.none() | st.binary(max_size=8), max_size=8)


@given(BLOBS)
def test_byte_strings_are_unpacked_unchanged(blobs: list[bytes | None]) -> None:
    assert list(unpack_blobs(pack_blobs(blobs))) == blobs


def test_lengths_are_minus_one_for_none() -> None:
    assert lengths_of([b"ab", None, b""]) == array("i", [2, -1, 0])
    assert lengths_of([b"ab", b""]) == array("i", [2, 0])
    assert (lengths_of([b"ab", None]), size_of([b"ab", None])) == (array("i", [2, -1]), 2)


def test_a_cursor_reads_columns_one_after_the_other() -> None:
    data = b"skipped" + array("q", [5, 6]).tobytes() + joined([b"ab", None, b"c"]) + array("i", [7]).tobytes()
    cursor = Cursor(data, len(b"skipped"))
    assert cursor.column("q", 2) == array("q", [5, 6])
    assert cursor.blobs(array("i", [2, -1, 1])) == [b"ab", None, b"c"]
    assert cursor.column("i", 1) == array("i", [7])
    assert cursor.at == len(data)
