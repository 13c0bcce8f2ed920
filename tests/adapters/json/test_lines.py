"""Lines are split when they are read."""

from eddyline.adapters.json.lines import Lines
from eddyline.adapters.spark.exchange.blobs import joined, lengths_of, size_of

LINES = Lines(b'{"a":1}\n{"a":22}\n{"a":3}\n', 3)


def test_lines_are_a_sequence_of_byte_strings() -> None:
    assert list(LINES) == list(LINES) == [b'{"a":1}', b'{"a":22}', b'{"a":3}']
    assert (len(LINES), LINES[1], LINES[1:]) == (3, b'{"a":22}', [b'{"a":22}', b'{"a":3}'])


def test_lines_that_are_asked_for_by_their_index_are_split_once() -> None:
    lines = Lines(b"1\n2\n", 2)
    assert lines[0] is lines[0] is next(iter(lines))


def test_the_size_is_that_of_the_lines_without_newlines() -> None:
    assert LINES.size == size_of(LINES) == sum(map(len, LINES)) == sum(lengths_of(LINES)) == len(joined(LINES))


def test_no_lines_have_no_size() -> None:
    assert (list(Lines(b"", 0)), Lines(b"", 0).size) == ([], 0)
