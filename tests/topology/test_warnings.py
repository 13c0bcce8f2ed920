"""Probable mistakes in a topology are reported, but are no errors."""

from collections.abc import Callable
from typing import Any

import pytest

from eddyline import Processor, Stream, Table, TopologyBuilder, tumbling
from eddyline.application.samples.catalogue import FLOWS
from eddyline.application.topology.graph import topology_warnings


def warnings(define: Callable[[Stream[str, int]], Any]) -> list[str]:
    builder = TopologyBuilder()
    define(builder.stream("numbers", key=str, value=int))
    return list(topology_warnings(builder.build()))


class Silent(Processor[str, int, str, int]):
    def process(self, record: Any) -> None:
        del record


@pytest.mark.parametrize(
    ("define", "operator"),
    [
        (lambda s: s.filter(lambda _key, _value: True, name="positive"), "positive"),
        (lambda s: s.map_values(lambda value: value, name="same"), "same"),
        (lambda s: s.group_by_key().count(store="counts").to_stream(name="counted"), "counted"),
        (lambda _: None, "numbers"),
    ],
)
def test_a_stream_that_leads_nowhere_is_reported(define: Callable[[Stream[str, int]], Any], operator: str) -> None:
    (warning,) = warnings(define)
    assert warning == f"the records of operator '{operator}' lead nowhere; write them to a topic with .to(…), or remove it"


@pytest.mark.parametrize(
    "define",
    [
        lambda s: s.to("out"),
        lambda s: s.for_each(print),
        lambda s: s.peek(print),
        lambda s: s.process(Silent),
        lambda s: s.group_by_key().count(store="counts"),
    ],
)
def test_streams_that_end_in_an_action_a_store_or_a_processor_are_not_reported(define: Callable[[Stream[str, int]], Any]) -> None:
    assert warnings(define) == []


def test_a_topic_that_is_read_and_written_is_reported() -> None:
    (warning,) = warnings(lambda s: s.to("numbers", name="again"))
    assert warning.startswith("operator 'again' writes to topic 'numbers', which this topology also reads: its results become")


@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.name)
def test_the_samples_have_no_warnings(flow: Any) -> None:
    assert topology_warnings(flow.topology()) == ()


def joined_windows(stream: Stream[str, int], *, caching: bool | None) -> None:
    def counted(store: str) -> Table[Any, int]:
        return stream.group_by_key().windowed_by(tumbling(10, grace=0)).count(store=store, caching=caching)

    counted("one").join(counted("other"), lambda one, other: one + other, value=int, name="both").to_stream().to("out")


@pytest.mark.parametrize(
    ("caching", "emit", "reported"), [(None, "latest", 1), (None, "every-update", 0), (False, "latest", 0), (True, None, 1)]
)
def test_a_join_of_windowed_tables_that_emit_the_latest_updates_is_reported(
    caching: bool | None, emit: Any, reported: int
) -> None:
    builder = TopologyBuilder()
    joined_windows(builder.stream("numbers", key=str, value=int), caching=caching)
    found = [line for line in topology_warnings(builder.build(), emit) if "windowed" in line]
    assert len(found) == reported
    assert all(line.startswith("join 'both' gets the updates of windowed table 'one-count' at the end") for line in found)
