"""Records that are packed into a frame are unpacked unchanged."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.spark.exchange.blobs import measured
from eddyline.adapters.spark.exchange.columns import Columns, Packed, Sequenced, count_by_topic, pack_records, unpack_records
from eddyline.adapters.spark.exchange.frames import Frame, Kind, Sender, pack_frame, unpack_frame
from eddyline.application.ports.event_log import Headers

BLOBS = st.none() | st.binary(max_size=8)
HEADERS = st.lists(st.tuples(st.text(max_size=4), BLOBS), max_size=2).map(tuple)
NUMBERS = st.integers(0, 2**31 - 1)


def records(sequences: st.SearchStrategy[Sequenced | None]) -> st.SearchStrategy[list[Packed]]:
    record = st.builds(
        Packed, st.sampled_from(["a", "é"]), BLOBS, BLOBS, st.integers(-1, 2**60), HEADERS, st.none() | NUMBERS, sequences
    )
    return st.lists(record, min_size=1, max_size=12)


@given(records(st.none()) | records(st.builds(Sequenced, st.integers(-1, 2**60), NUMBERS)))
def test_records_are_unpacked_unchanged(given_records: list[Packed]) -> None:
    columns = Columns()
    for record in given_records:
        columns.add(*record[:6])
        if record.sequence is not None:
            columns.sequences.append(record.sequence)
    assert unpack_records(columns.pack()) == given_records


@given(records(st.none()))
def test_the_records_of_each_topic_are_counted(given_records: list[Packed]) -> None:
    (body,) = pack_records(given_records)
    assert count_by_topic(body) == Counter(record.topic for record in given_records)


@given(st.lists(st.tuples(BLOBS, BLOBS, st.integers(-1, 2**60), HEADERS), min_size=1, max_size=12), st.none() | NUMBERS)
def test_many_records_at_once_are_packed_like_single_ones(
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
def test_a_frame_is_unpacked_unchanged(kind: Kind, stage: int, task: int, number: int, now_ms: int, body: bytes) -> None:
    frame = Frame(Sender(stage, task, number), kind, now_ms, body)
    assert unpack_frame(pack_frame(frame)) == frame


def test_frames_sort_in_the_order_of_sending() -> None:
    frames = [
        Frame(Sender(stage, task, number), Kind.RESULTS, 0, b"") for stage in (0, 1) for task in (2, 10) for number in (9, 10)
    ]
    shuffled = [*frames[3:], *frames[:3]]
    assert sorted(shuffled) == frames


def test_a_large_body_is_compressed() -> None:
    many = [Packed("t" if number % 3 else "u", b"key %d" % (number % 7), b"value %d" % number, number) for number in range(5_000)]
    (body,) = pack_records(many)
    assert len(body) < sum(len(record.value or b"") for record in many)
    assert unpack_records(body) == many
    assert count_by_topic(body) == Counter(record.topic for record in many)


def test_many_records_are_split_over_several_bodies() -> None:
    many = [Packed("t", b"k", b"v" * 400_000, number) for number in range(7)]
    parts = [unpack_records(body) for body in pack_records(many)]
    assert [len(part) for part in parts] == [3, 3, 1]
    assert [record for part in parts for record in part] == many
