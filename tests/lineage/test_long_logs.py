"""Logs that are long, or have lost records; and what is known of the batches of a run."""

from typing import Any

import pytest

from eddyline.application.lineage.changelog_batches import changelog_batches
from eddyline.application.lineage.limits import Limits, UnknownSubjectError
from eddyline.application.lineage.lineage import Lineage
from eddyline.application.lineage.schedules import KnownBatch
from eddyline.application.lineage.search import Source
from eddyline.application.ports.event_log import Position
from eddyline.application.topology import Topology, TopologyBuilder, tumbling
from eddyline.application.topology.processor import Processor, ProcessorContext, PunctuationType, Record
from eddyline.application.topology.stores import key_value_store
from tests.lineage.explaining import Input, Ran, offsets
from tests.runtime.plans import memory_ports
from tests.runtime.retention import RetentionLog


def counting(*, windows: bool = False) -> Topology:
    builder = TopologyBuilder()
    grouped: Any = builder.stream("a", key=str, value=int).group_by_key(name="grouped")
    grouped = grouped.windowed_by(tumbling(10, grace=0)) if windows else grouped
    grouped.count(store="counts").to_stream().to("out")
    return builder.build()


def after_retention(topology: Topology, inputs: list[Input], lost: int) -> Ran:
    """Return a flow whose log has lost its first records since it ran."""
    flow = Ran(topology, inputs)
    log = RetentionLog()
    for topic in flow.log.topics():
        log.create_topic(topic, 1)
        for batch in flow.log.read(topic, 0, 0, flow.log.end_offset(topic, 0)):
            for record in batch:
                log.append(topic, record.key, record.value, record.timestamp)
    log.delete_records("a", 0, lost)
    flow.lineage = Lineage(Source(topology, memory_ports(log), flow.options))
    return flow


def limited(flow: Ran, **limits: Any) -> Lineage:
    return Lineage(Source(flow.topology, memory_ports(flow.log), flow.options, limits=Limits(**limits)))


def test_a_result_that_does_not_need_the_lost_records_is_explained() -> None:
    inputs = [Input("a", "x", 1, number * 3) for number in range(8)]
    found = after_retention(counting(windows=True), inputs, 3).lineage.explain_output(Position("out", 0, 6))
    assert (found.found, found.verified, offsets(found)) == (True, True, [4, 5, 6])
    assert found.notes[0] == "Offsets 0 to 2 of topic 'a', partition 0, are gone (retention)."
    assert found.notes[1] == "The result is the same without them."


def test_a_result_that_needs_the_lost_records_shows_what_is_left() -> None:
    inputs = [Input("a", "x", 1, number) for number in range(4)]
    found = after_retention(counting(), inputs, 1).lineage.explain_output(Position("out", 0, 3))
    assert (found.found, found.verified, offsets(found)) == (False, False, [1, 2, 3])
    assert found.notes[0] == "Offset 0 of topic 'a', partition 0, is gone (retention)."
    assert found.notes[1] == ("The state that they had left is not known, so the replay cannot give results that depend on it.")
    assert found.notes[-1] == "The replay gave another value for this key and timestamp; the inputs are those of that value."


def test_a_result_whose_inputs_are_all_gone_has_none() -> None:
    inputs = [Input("a", "x", 1, 0), Input("a", "y", 1, 1)]
    found = after_retention(counting(), inputs, 1).lineage.explain_output(Position("out", 0, 0))
    assert (found.found, found.inputs) == (False, ())


def test_an_input_that_is_gone_is_an_error() -> None:
    flow = after_retention(counting(), [Input("a", "x", 1, 0), Input("a", "y", 1, 1)], 1)
    with pytest.raises(UnknownSubjectError, match="the partition begins at offset 1: what was before is gone"):
        flow.lineage.explain_missing(Position("a", 0, 0))


def test_of_a_long_log_only_the_part_before_the_result_is_replayed() -> None:
    flow = Ran(counting(windows=True), [Input("a", "x", 1, number * 3) for number in range(2_000)])
    found = limited(flow, records=100).explain_output(Position("out", 0, 1_505))
    assert (found.found, found.verified, offsets(found)) == (True, True, [1504, 1505])
    assert found.replayed <= 100
    assert found.notes == (
        "The log is longer than the limit of 100 records, so its first 1,416 were not replayed.",
        "The result is the same without them.",
    )


def test_a_result_that_needs_more_than_the_limit_is_not_found() -> None:
    flow = Ran(counting(), [Input("a", "x", 1, number * 3) for number in range(500)])
    found = limited(flow, records=100).explain_output(Position("out", 0, 400))
    assert (found.found, len(found.inputs)) == (False, 90)


def test_inputs_are_tested_as_long_as_the_limit_allows() -> None:
    flow = Ran(counting(), [Input("a", "x", 1, number) for number in range(20)])
    found = limited(flow, tests=60).explain_output(Position("out", 0, 19))
    assert (found.verified, [record.neutral for record in found.inputs]) == (True, [False, False, *[None] * 18])
    assert found.notes[0].startswith("Whether the result needs an input was tested for 2 of 20 inputs only, because of the limit")
    found = limited(flow, tests=10).explain_output(Position("out", 0, 19))
    assert (found.found, found.verified, len(found.inputs)) == (True, False, 20)


def test_equal_results_are_distinguished_by_their_order() -> None:
    inputs = [Input("a", "x", 5, 0), Input("a", "x", 5, 0), Input("a", "x", 5, 0)]
    builder = TopologyBuilder()
    builder.stream("a", key=str, value=int).to("out")
    found = Ran(builder.build(), inputs).lineage.explain_output(Position("out", 0, 1))
    assert offsets(found) == [1]
    assert found.notes == (
        "The partition has 2 equal results up to this one; the inputs are those of number 2 of these in the replay.",
    )


def test_an_entry_of_a_store_is_explained() -> None:
    flow = Ran(counting(windows=True), [Input("a", "x", 1, time) for time in (1, 4, 12, 15)])
    assert offsets(flow.lineage.explain_entry("counts", "x", 10)) == [2, 3]
    latest = flow.lineage.explain_entry("counts", "x")
    assert (latest.subject.value, offsets(latest), latest.verified) == (2, [2, 3], True)
    with pytest.raises(UnknownSubjectError, match="store 'counts' has no entry with key 'y' and window start 10 at the end"):
        flow.lineage.explain_entry("counts", "y", 10)
    with pytest.raises(UnknownSubjectError, match="store 'nope' is unknown; the flow has: counts"):
        flow.lineage.explain_entry("nope", "y")


class Ticking(Processor[str, int, str, int]):
    """Forwards all sums at every second of wall-clock time."""

    def init(self, context: ProcessorContext[str, int]) -> None:
        super().init(context)
        self.sums = context.state_store("sums")
        context.schedule(1_000, PunctuationType.WALL_CLOCK_TIME, self.tick)

    def process(self, record: Record[str, int]) -> None:
        self.sums.put(record.key, (self.sums.get(record.key) or 0) + record.value)

    def tick(self, now: int) -> None:
        for key, total in self.sums.range():
            self.context.forward(Record(key, total, now))


def test_the_wall_clock_times_of_a_run_are_followed_if_they_are_known() -> None:
    builder = TopologyBuilder()
    builder.add_state_store(key_value_store("sums", key=str, value=int))
    builder.stream("a", key=str, value=int).process(Ticking, stores=["sums"], key=str, value=int, name="ticking").to("out")
    flow = Ran(builder.build(), [Input("a", "x", 1, 0), Input("a", "y", 2, 1), Input("a", "x", 4, 2)])
    flow.log.create_topic("out", 1)
    flow.log.append("out", b"x", b"1", 5_000)
    known = [KnownBatch(number, time, {"a": [end]}, {}) for number, (time, end) in enumerate([(3_000, 2), (5_000, 3)])]
    source = Source(flow.topology, memory_ports(flow.log), flow.options, known_batches=lambda: known)
    found = Lineage(source).explain_output(Position("out", 0, 0))
    assert (found.found, found.verified, offsets(found), found.notes) == (True, True, [0], ())
    unknown = flow.lineage.explain_output(Position("out", 0, 0))
    assert not unknown.found
    assert unknown.notes[-1] == "The flow has wall-clock punctuation, and the wall-clock times of its run are not known."


def test_known_batches_decide_which_update_is_the_latest() -> None:
    flow = Ran(
        counting(), [Input("a", "x", 1, 0), Input("a", "x", 1, 0), Input("a", "x", 1, 0)], emit="latest", max_batch_records=2
    )
    known = [KnownBatch(7, 1, {"a": [2]}, {"a": [0]}), KnownBatch(8, 2, {"a": [3]}, {})]
    source = Source(flow.topology, memory_ports(flow.log), flow.options, known_batches=lambda: known)
    assert offsets(Lineage(source).explain_output(Position("out", 0, 0))) == [0, 1]


def test_of_a_flow_with_windows_only_the_records_before_a_result_are_replayed_first() -> None:
    flow = Ran(counting(windows=True), [Input("a", "x", 1, number * 3) for number in range(1_000)])
    found = limited(flow, first=100).explain_output(Position("out", 0, 750))
    assert (found.found, found.verified, offsets(found)) == (True, True, [750])
    assert found.replayed <= 100
    assert found.notes[0].startswith("The first 661 records were not replayed: the state of the flow forgets old records")


def test_a_result_that_needs_more_records_is_found_in_a_longer_part() -> None:
    inputs = [Input("a", "x", 1, 5), *(Input("a", f"y{number}", 1, 1) for number in range(500)), Input("a", "x", 1, 5)]
    flow = Ran(counting(windows=True), [*inputs, *(Input("a", "z", 1, 20 + number * 3) for number in range(500))])
    found = limited(flow, first=20).explain_output(Position("out", 0, 501))
    assert (found.found, found.verified, offsets(found), found.notes) == (True, True, [0, 501], ())


def test_of_a_flow_with_tables_the_whole_log_is_replayed() -> None:
    flow = Ran(counting(), [Input("a", f"k{number % 7}", 1, number * 3) for number in range(500)])
    found = limited(flow, first=20).explain_output(Position("out", 0, 100))
    assert (found.found, len(found.inputs), found.notes) == (True, 15, ())


def test_the_batches_of_a_run_are_in_its_changelogs() -> None:
    flow = Ran(counting(), [Input("a", "x", 1, number) for number in range(5)], changelog_stores="all", max_batch_records=2)
    flow.run(flow.log)  # a second run begins at batch 0 again
    known = changelog_batches(flow.log, flow.topology, "app")
    assert [(batch.number, batch.ends) for batch in known][-1] == (2, {"a": [5]})
    assert [batch.number for batch in known] == sorted({batch.number for batch in known})
    assert changelog_batches(flow.log, flow.topology, "other") == []
