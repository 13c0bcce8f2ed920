"""What is packed into a frame comes out as it was."""

from hypothesis import given
from hypothesis import strategies as st

from adapters.spark.frames import Frame, Kind, Packed, Place, Sender, pack, split, unpack, unwrap, wrap

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
    assert unpack(pack(given_records)) == given_records


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


def test_many_records_are_split_and_none_is_lost() -> None:
    many = [Packed("t", b"k", b"v" * 400_000, number) for number in range(7)]
    parts = list(split(many))
    assert [len(part) for part in parts] == [3, 3, 1]
    assert [record for part in parts for record in part] == many
