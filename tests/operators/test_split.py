"""split and branch."""

from eddyline.application.topology import TopologyBuilder
from tests.operators.running import emitted, engine_for


def with_default(builder: TopologyBuilder) -> None:
    branches = (
        builder.stream("in", key=str, value=int)
        .split(name="size")
        .branch(lambda _key, value: value > 10, name="large")
        .branch(lambda _key, value: value > 5, name="medium")
        .default_branch(name="small")
    )
    for name, stream in branches.items():
        stream.to(name)


def without_default(builder: TopologyBuilder) -> None:
    builder.stream("in", key=str, value=int).split().branch(lambda _k, v: v > 5, name="large").no_default_branch()["large"].to(
        "large"
    )


def test_a_record_goes_to_the_first_branch_that_matches() -> None:
    engine = engine_for(with_default)
    for value in (11, 6, 1):
        engine.pipe("in", "k", value, value)
    assert [(output.topic, output.value) for output in engine.outputs()] == [("large", 11), ("medium", 6), ("small", 1)]


def test_without_a_default_branch_other_records_are_discarded() -> None:
    engine = engine_for(without_default)
    engine.pipe("in", "k", 1, 1)
    engine.pipe("in", "k", 6, 6)
    assert emitted(engine) == [("k", 6, 6)]
