"""Many records of merged streams that are processed at once, by column, compared with the same records one by one."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline import TopologyBuilder
from eddyline.application.ports.event_log import Headers
from eddyline.application.topology.records import RecordMetadata
from tests.runtime.columns_flows import (
    AGGREGATIONS,
    RECORD,
    STEPS,
    assert_alike,
    error_of,
    fails_on,
    first_letter,
    longer,
    record,
    task_of,
)
from tests.runtime.together import TogetherOnly


def _merged(one: str, other: str, then: str) -> Callable[[TopologyBuilder], None]:
    def define(builder: TopologyBuilder) -> None:
        streams = (STEPS[step](builder.stream(topic, key=str, value=str)) for step, topic in ((one, "in"), (other, "other")))
        group = STEPS[then](next(streams).merge(next(streams))).group_by(first_letter, key=str)
        AGGREGATIONS["aggregate"](group).to_stream().to("out")

    return define


_STEP_NAMES = st.sampled_from(sorted(STEPS))


@given(
    steps=st.tuples(_STEP_NAMES, _STEP_NAMES, _STEP_NAMES),
    batches=st.lists(st.lists(st.tuples(st.booleans(), RECORD), max_size=12), max_size=3),
)
def test_records_of_merged_streams_are_processed_together_as_one_by_one(
    steps: tuple[str, str, str], batches: list[list[tuple[bool, tuple[str | None, str | None, int, Headers]]]]
) -> None:
    together, one_by_one = task_of(_merged(*steps), TogetherOnly), task_of(_merged(*steps))
    for batch in batches:
        records = [
            record(offset, *found)._replace(topic="other" if other else "in") for offset, (other, found) in enumerate(batch)
        ]
        assert_alike(together, one_by_one, records)


def test_records_of_merged_streams_are_written_in_their_order() -> None:
    def define(builder: TopologyBuilder) -> None:
        one, other = (builder.stream(topic, key=str, value=str) for topic in ("in", "other"))
        one.merge(other).to("out")

    task = task_of(define, TogetherOnly)
    task.process_all([record(n, "k", str(n), n)._replace(topic=topic) for n, topic in enumerate(["in", "other", "in", "other"])])
    assert [output.value for output in task.take_output()] == ["0", "1", "2", "3"]


def test_an_exception_names_the_record_among_those_of_merged_streams() -> None:
    def define(builder: TopologyBuilder) -> None:
        one, other = (builder.stream(topic, key=str, value=str) for topic in ("in", "other"))
        words = one.merge(other.flat_map_values(str.split, value=str))
        words.group_by(lambda _key, _value: "k", key=str).reduce(
            lambda _one, value: fails_on("d")(value), merge=longer, store="s"
        )

    records = [
        record(0, None, "a", 1),
        record(7, None, "a b d", 2, (("h", b""),))._replace(topic="other"),
        record(1, None, "a", 3),
    ]
    error, notes, metadata = error_of(task_of(define), records)
    one_by_one = task_of(define)
    with pytest.raises(ValueError, match="bad d") as raised:
        one_by_one.process_each(records)
    assert (error, notes, metadata) == ("bad d", raised.value.__notes__, RecordMetadata("other", 0, 7, 2, (("h", b""),)))
