"""Records are packed into frames by the task that receives them."""

import pytest

from eddyline.adapters.spark.exchange.columns import FRAME_BYTES, Columns, Packed, Sequenced, unpack_records
from eddyline.adapters.spark.exchange.frame_writer import FrameWriter
from eddyline.adapters.spark.exchange.frames import Kind, Sender, unpack_frame
from eddyline.adapters.spark.exchange.rows import END, Row
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.ports.event_sink import Results, SinkRecord

STAGE, TASK, NOW_MS = 1, 4, 900
MOVED = SinkRecord("moved", b"k", b"v", 5, (("trace", b"x"),), 2)
RESULT = SinkRecord("out", b"k", b"v", 5)


def writer(*, sequenced: bool = False) -> FrameWriter:
    frames = FrameWriter(STAGE, TASK, {"moved": 3, "other": 2}, sequenced=sequenced)
    frames.begin(NOW_MS)
    return frames


def records(row: Row) -> list[Packed]:
    return unpack_records(unpack_frame(row.frame).body)


def test_records_for_a_task_are_in_a_row_for_its_stage() -> None:
    frames = writer()
    frames.send(MOVED, -1, TopicPartition("moved", 2))
    frames.send(MOVED, -1, TopicPartition("moved", 2))
    (row,) = frames.flush()
    assert (row.task, row.stage) == (2, 3)
    frame = unpack_frame(row.frame)
    assert (frame.sender, frame.kind, frame.now_ms) == (Sender(STAGE, TASK, 1), Kind.RECORDS, NOW_MS)
    assert records(row) == [Packed(*MOVED), Packed(*MOVED)]


@pytest.mark.parametrize("sequenced", [False, True])
def test_many_records_for_a_task_are_in_order_with_those_that_were_sent_alone(sequenced: bool) -> None:
    frames, to = writer(sequenced=sequenced), TopicPartition("moved", 2)
    frames.send(MOVED, -1, to)
    frames.send_to(Results("moved", [b"a", None], [None, b"b"], [6, 7], [(), ()], 2), to)
    frames.send(MOVED, -1, to)
    (row,) = frames.flush()
    assert (row.task, row.stage, unpack_frame(row.frame).kind) == (2, 3, Kind.RECORDS)
    assert [found[:4] for found in records(row)] == [
        ("moved", b"k", b"v", 5),
        ("moved", b"a", None, 6),
        ("moved", None, b"b", 7),
        ("moved", b"k", b"v", 5),
    ]


def test_many_large_records_for_a_task_are_packed_into_several_frames() -> None:
    frames, large = writer(), b"v" * (FRAME_BYTES // 2)
    frames.send_to(Results("moved", [b"k"] * 3, [large] * 3, [1, 2, 3], [(), (), ()], 2), TopicPartition("moved", 2))
    assert [len(records(row)) for row in frames.flush()] == [2, 1]


def test_results_are_in_a_row_of_their_sender_that_passes_all_stages() -> None:
    frames = writer()
    frames.send(RESULT, -1)
    frames.send_all(Results("out", [b"k", None], [None, b"v"], [5, 6], [(), ()], 7))
    (row,) = frames.flush()
    assert (row.task, row.stage, unpack_frame(row.frame).kind) == (TASK, END, Kind.RESULTS)
    assert records(row) == [Packed(*RESULT), Packed("out", b"k", None, 5, (), 7), Packed("out", None, b"v", 6, (), 7)]


def test_each_receiver_has_its_frames_numbered_in_the_order_in_which_they_are_packed() -> None:
    frames = writer()
    frames.send(MOVED, -1, TopicPartition("moved", 2))
    frames.send(MOVED, -1, TopicPartition("moved", 0))
    frames.send(MOVED, -1, TopicPartition("other", 2))
    rows = list(frames.flush())
    assert [(row.task, row.stage, unpack_frame(row.frame).sender.number) for row in rows] == [(2, 3, 1), (0, 3, 2), (2, 2, 3)]
    assert list(frames.flush()) == []


def test_a_frame_is_packed_as_soon_as_it_is_full() -> None:
    frames, large = writer(), RESULT._replace(value=b"v" * FRAME_BYTES)
    frames.send(RESULT, -1)
    assert list(frames.full_rows()) == []
    frames.send(large, -1)
    frames.send(RESULT, -1)
    (full,) = frames.full_rows()
    assert [record.value for record in records(full)] == [b"v", large.value]
    assert list(frames.full_rows()) == []
    (rest,) = frames.flush()
    assert [record.value for record in records(rest)] == [b"v"]


def test_results_that_fill_a_frame_together_are_packed() -> None:
    frames, half = writer(), b"v" * (FRAME_BYTES // 2)
    frames.send_all(Results("out", [b"", b""], [half, half], [5, 6], [(), ()], None))
    assert [[record.timestamp for record in records(row)] for row in frames.full_rows()] == [[5, 6]]


def test_results_that_are_too_large_for_a_frame_are_divided_among_several() -> None:
    frames, value = writer(), b"v" * (FRAME_BYTES // 2 + 1)
    frames.send_all(Results("out", [b"k"] * 3, [value] * 3, [5, 6, 7], [()] * 3, 1))
    assert [records(row) for row in frames.flush()] == [
        [Packed("out", b"k", value, 5, (), 1), Packed("out", b"k", value, 6, (), 1)],
        [Packed("out", b"k", value, 7, (), 1)],
    ]


def test_sequenced_records_have_their_arrival_number_and_their_number_among_all_that_the_task_sent() -> None:
    frames = writer(sequenced=True)
    frames.send(RESULT, 40)
    frames.send(MOVED, 41, TopicPartition("moved", 2))
    frames.send(RESULT, 41)
    assert [[record.sequence for record in records(row)] for row in frames.flush()] == [
        [Sequenced(40, 0), Sequenced(41, 2)],
        [Sequenced(41, 1)],
    ]


def test_a_new_batch_begins_with_new_numbers_and_without_unsent_records() -> None:
    frames = writer(sequenced=True)
    frames.send(RESULT, 40)
    frames.begin(NOW_MS + 1)
    frames.send(RESULT, 41)
    (row,) = frames.flush()
    frame = unpack_frame(row.frame)
    assert (frame.sender.number, frame.now_ms) == (1, NOW_MS + 1)
    assert [record.sequence for record in records(row)] == [Sequenced(41, 0)]


def test_a_row_for_the_driver_passes_all_stages() -> None:
    row = writer().row(Kind.REPORT, b"body")
    assert (row.task, row.stage) == (TASK, END)
    frame = unpack_frame(row.frame)
    assert (frame.kind, frame.body) == (Kind.REPORT, b"body")


def test_a_task_that_keeps_its_results_sends_the_records_for_other_tasks_only() -> None:
    kept: list[Columns | Results] = []
    frames = FrameWriter(STAGE, TASK, {"moved": 3}, kept.append)
    frames.begin(NOW_MS)
    frames.send(MOVED, -1, TopicPartition("moved", 2))
    frames.send(RESULT._replace(value=b"v" * FRAME_BYTES), -1)
    assert len(kept) == 1, "as soon as there is enough for a frame"
    frames.send(RESULT, -1)
    (row,) = frames.flush()
    assert (row.task, row.stage) == (2, 3)
    assert isinstance(kept[1], Columns)
    assert list(zip(*kept[1].fields()[:6], strict=True)) == [tuple(RESULT)]


def test_results_that_are_kept_many_at_once_follow_those_that_were_sent_before() -> None:
    kept: list[Columns | Results] = []
    frames = FrameWriter(STAGE, TASK, {}, kept.append)
    frames.begin(NOW_MS)
    many = Results("out", [b"k", None], [None, b"v"], [5, 6], [(), ()], 7)
    frames.send(RESULT, -1)
    frames.send_all(many)
    frames.send(RESULT, -1)
    assert list(frames.flush()) == []
    first, second, third = kept
    assert isinstance(first, Columns)
    assert isinstance(third, Columns)
    assert (first.values, second, third.values) == ([b"v"], many, [b"v"])
