"""What is packed into a frame comes out as it was."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.spark.frames import (
    Columns,
    Frame,
    Kind,
    Packed,
    Place,
    Sender,
    counts,
    measured,
    packed,
    unpack,
    unwrap,
    wrap,
)
from eddyline.application.ports.event_log import Headers

BLOBS = st.none() | st.binary(max_size=8)
HEADERS = st.lists(st.tuples(st.text(max_size=4), BLOBS), max_size=2).map(tuple)
NUMBERS = st.integers(0, 2**31 - 1)


def records(places: st.SearchStrategy[Place | None]) -> st.SearchStrategy[list[Packed]]:
    record = st.builds(
        Packed, st.sampled_from(["a", "é"]), BLOBS, BLOBS, st.integers(-1, 2**60), HEADERS, st.none() | NUMBERS, places
    )
    return st.lists(record, min_size=1, max_size=12)


@given(records(st.none()) | records(st.builds(Place, st.integers(-1, 2**60), NUMBERS)))
def test_records_come_out_as_they_went_in(given_records: list[Packed]) -> None:
    columns = Columns()
    for record in given_records:
        columns.add(*record[:6])
        if record.place is not None:
            columns.places.append(record.place)
    assert unpack(columns.pack()) == given_records


@given(records(st.none()))
def test_a_body_tells_how_many_records_of_each_topic_it_holds(given_records: list[Packed]) -> None:
    (body,) = packed(given_records)
    assert counts(body) == Counter(record.topic for record in given_records)


@given(st.lists(st.tuples(BLOBS, BLOBS, st.integers(-1, 2**60), HEADERS), min_size=1, max_size=12), st.none() | NUMBERS)
def test_many_records_at_once_are_the_same_as_one_by_one(
    rows: list[tuple[bytes | None, bytes | None, int, Headers]], partition: int | None
) -> None:
    together, one_by_one = Columns(), Columns()
    keys, values, timestamps, headers = zip(*rows, strict=True)
    together.add_all("t", measured(keys), measured(values), timestamps, headers, partition)
    for row in rows:
        one_by_one.add("t", *row, partition)
    assert together.pack() == one_by_one.pack()
    assert together.size == one_by_one.size


@given(st.sampled_from(Kind), NUMBERS, NUMBERS, NUMBERS, st.integers(-1, 2**60), st.binary())
def test_a_frame_comes_out_as_it_went_in(kind: Kind, stage: int, task: int, number: int, now_ms: int, body: bytes) -> None:
    frame = Frame(Sender(stage, task, number), kind, now_ms, body)
    assert unwrap(wrap(frame)) == frame


def test_frames_sort_in_the_order_they_were_made() -> None:
    frames = [
        Frame(Sender(stage, task, number), Kind.OUTPUT, 0, b"") for stage in (0, 1) for task in (2, 10) for number in (9, 10)
    ]
    shuffled = [*frames[3:], *frames[:3]]
    assert sorted(shuffled) == frames


def test_a_large_body_is_compressed_and_comes_out_as_it_went_in() -> None:
    many = [Packed("t" if number % 3 else "u", b"key %d" % (number % 7), b"value %d" % number, number) for number in range(5_000)]
    (body,) = packed(many)
    assert len(body) < sum(len(record.value or b"") for record in many)
    assert unpack(body) == many
    assert counts(body) == Counter(record.topic for record in many)


def test_many_records_are_split_and_none_is_lost() -> None:
    many = [Packed("t", b"k", b"v" * 400_000, number) for number in range(7)]
    parts = [unpack(body) for body in packed(many)]
    assert [len(part) for part in parts] == [3, 3, 1]
    assert [record for part in parts for record in part] == many
