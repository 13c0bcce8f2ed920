"""Services: what they contain, and how the versions of their flows fit together."""

from typing import Any

import pytest

from eddyline import Flow, Service, ServiceError, ServiceFlow, Topology, TopologyBuilder
from eddyline.application.flows.service import Member, in_order, topologies_together, upstream


def copies(*sources: str, to: str | None) -> Topology:
    builder = TopologyBuilder()
    streams = [builder.stream(source, key=str, value=str) for source in sources]
    for stream in streams[1:]:
        streams[0] = streams[0].merge(stream)
    if to is None:
        streams[0].for_each(lambda _key, _value: None)
    else:
        streams[0].to(to)
    return builder.build()


def flow(name: str) -> Flow:
    def define(builder: TopologyBuilder) -> None:
        builder.stream("in", key=str, value=str).to("out")

    return Flow(name, "Copies.", define)


def member(name: str, *sources: str, to: str | None, version: str | None = None) -> Member:
    return Member(name, name if version is None else f"{name}-{version}", version, copies(*sources, to=to))


def topics(topology: Topology) -> tuple[list[str], list[str]]:
    return [spec.name for spec in topology.source_topics], [spec.name for spec in topology.sink_topics]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"name": "my service", "flows": ["a"]}, "'my service'"),
        ({"name": "x", "flows": []}, "service 'x' has no flows; pass a sequence of them: Service('x', flows=[…])"),
        ({"name": "x", "flows": "a"}, "service 'x' has no flows"),
        ({"name": "x", "flows": [7]}, "a flow of a service is 7; pass an eddyline.Flow, or the name of a flow"),
        ({"name": "x", "flows": ["a"], "alerts": "b"}, "alerts of service 'x' are 'b'; pass a sequence"),
    ],
)
def test_an_invalid_service_is_refused(given: dict[str, Any], text: str) -> None:
    with pytest.raises(ServiceError) as refused:
        Service(**given)
    assert text in str(refused.value)


def test_a_flow_has_an_engine_that_keeps_state() -> None:
    with pytest.raises(ServiceError, match="engine of flow 'a' is 'memory'; choose one of: 'local', 'spark'"):
        ServiceFlow("a", engine="memory")  # type: ignore[arg-type] # the point of the test


def test_a_flow_has_its_engine_version_and_settings_for_itself() -> None:
    service = Service("x", flows=[flow("a"), "b", ServiceFlow("c", "local", "v2", {"num.partitions": 8})])
    assert [each.name for each in service.members] == ["a", "b", "c"]
    assert service.members[2].given == {"engine": "local", "version": "v2", "num.partitions": 8}


def test_what_flows_of_a_version_write_and_read_is_renamed_on_both_sides_and_sources_from_elsewhere_are_not() -> None:
    first, second, third = topologies_together(
        [
            member("a", "in", to="between", version="v2"),
            member("b", "between", "others", to="last", version="v2"),
            member("c", "last", to=None, version="v2"),
        ]
    )
    assert topics(first) == (["in"], ["between-v2"])
    assert topics(second) == (["between-v2", "others"], ["last-v2"])
    assert topics(third) == (["last-v2"], [])


def test_a_flow_of_another_version_reads_what_flows_without_a_version_write() -> None:
    _, second = topologies_together([member("a", "in", to="between"), member("b", "between", to="out", version="v2")])
    assert topics(second) == (["between"], ["out-v2"])


def test_versions_of_a_chain_run_side_by_side() -> None:
    found = topologies_together(
        [
            member(name, *ends, to=to, version=version)
            for version in (None, "v2")
            for name, ends, to in (("a", ["in"], "between"), ("b", ["between"], "out"))
        ]
    )
    assert [topics(each)[0] for each in found] == [["in"], ["between"], ["in"], ["between-v2"]]


@pytest.mark.parametrize(
    ("members", "text"),
    [
        (
            [member("a", "in", to="between", version="v2"), member("b", "between", to="out")],
            "flow 'b' reads topic 'between', but the service writes 'between-v2'; give the flows that write and read it the same",
        ),
        (
            [member("a", "in", to="out"), member("a", "in", to="out")],
            "flows 'a' and 'a' have the same application id 'a', so they would share their state",
        ),
        ([member("a", "in", to="out"), member("b", "in", to="out")], "applications 'a' and 'b' both write topic 'out'"),
    ],
)
def test_flows_that_do_not_fit_together_are_refused(members: list[Member], text: str) -> None:
    with pytest.raises(ServiceError) as refused:
        topologies_together(members)
    assert text in str(refused.value)


def test_flows_are_ordered_by_what_they_read_of_each_other_and_those_in_a_cycle_are_together() -> None:
    topologies = {
        "last": copies("c", to=None),
        "x": copies("b", "start", to="a"),
        "y": copies("a", to="b"),
        "after": copies("b", to="c"),
        "first": copies("in", to="start"),
    }
    before = upstream(topologies)
    assert before["last"] == {"after", "x", "y", "first"}
    assert before["x"] == before["y"] == {"first"}
    assert in_order(list(topologies), before) == [["first"], ["x", "y"], ["after"], ["last"]]
