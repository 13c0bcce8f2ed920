"""Frames are unpacked as they were packed, and sort in the order of sending."""

from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.spark.exchange.frames import Frame, Kind, Sender, pack_frame, unpack_frame

NUMBERS = st.integers(0, 2**31 - 1)


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
