"""Records are unpacked from a frame as they were packed."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.spark.exchange.blobs import size_of
from eddyline.adapters.spark.exchange.columns import (
    FRAME_BYTES,
    Columns,
    Packed,
    Sequenced,
    count_by_topic,
    pack_records,
    unpack_records,
)
from eddyline.application.ports.event_log import Headers
from eddyline.application.ports.event_sink import Results

BLOBS = st.none() | st.binary(max_size=8)
HEADERS = st.lists(st.tuples(st.text(max_size=4), BLOBS), max_size=2).map(tuple)
NUMBERS = st.integers(0, 2**31 - 1)


def records(sequences: st.SearchStrategy[Sequenced | None]) -> st.SearchStrategy[list[Packed]]:
    record = st.builds(
        Packed, st.sampled_from(["a", "é"]), BLOBS, BLOBS, st.integers(-1, 2**60), HEADERS, st.none() | NUMBERS, sequences
    )
    return st.lists(record, min_size=1, max_size=12)


@given(records(st.none()) | records(st.builds(Sequenced, st.integers(-1, 2**60), NUMBERS)))
def test_records_are_unpacked_unchanged(packed: list[Packed]) -> None:
    columns = Columns()
    for record in packed:
        columns.add(*record[:6])
        if record.sequence is not None:
            columns.sequences.append(record.sequence)
    assert unpack_records(columns.pack()) == packed


@given(records(st.none()))
def test_the_records_of_each_topic_are_counted(packed: list[Packed]) -> None:
    (body,) = pack_records(packed)
    assert count_by_topic(body) == Counter(record.topic for record in packed)


@given(st.lists(st.tuples(BLOBS, BLOBS, st.integers(-1, 2**60), HEADERS), min_size=1, max_size=12), st.none() | NUMBERS)
def test_records_added_together_are_packed_like_records_added_one_by_one(
    rows: list[tuple[bytes | None, bytes | None, int, Headers]], partition: int | None
) -> None:
    together, one_by_one = Columns(), Columns()
    keys, values, timestamps, headers = zip(*rows, strict=True)
    results = Results("t", keys, values, timestamps, headers, partition)
    together.add_all(results, size_of(keys) + size_of(values))
    for row in rows:
        one_by_one.add("t", *row, partition)
    assert together.pack() == one_by_one.pack()
    assert together.size == one_by_one.size


def test_a_large_body_is_compressed() -> None:
    many = [Packed("t" if number % 3 else "u", b"key %d" % (number % 7), b"value %d" % number, number) for number in range(5_000)]
    (body,) = pack_records(many)
    assert len(body) < sum(len(record.value or b"") for record in many)
    assert unpack_records(body) == many
    assert count_by_topic(body) == Counter(record.topic for record in many)


def test_many_records_are_divided_among_several_bodies() -> None:
    many = [Packed("t", b"k", b"v" * 400_000, number) for number in range(7)]
    parts = [unpack_records(body) for body in pack_records(many)]
    assert [len(part) for part in parts] == [3, 3, 1]
    assert [record for part in parts for record in part] == many


def test_a_frame_is_full_from_exactly_its_size_on() -> None:
    columns = Columns()
    assert not columns.add("t", b"", b"v" * (FRAME_BYTES - 1), 0)
    assert columns.add("t", b"", b"v", 0)
