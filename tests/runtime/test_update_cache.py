"""Tables that forward only the latest updates, by pane or not, have the final rows and drops of those that forward every one."""

from dataclasses import dataclass
from operator import add

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.application.flows.flow import Flow
from eddyline.application.topology import Topology, TopologyBuilder, hopping
from eddyline.application.topology.graph import with_version
from eddyline.application.topology.types import Emit
from eddyline.testing import MemoryEngine
from tests.fixtures.examples import examples


@dataclass(frozen=True)
class Summary:
    """The number of values, their sum, and the first one by arrival."""

    count: int = 0
    total: int = 0
    first: int | None = None

    def add(self, value: int) -> "Summary":
        return Summary(self.count + 1, self.total + value, value if self.first is None else self.first)

    def merge(self, other: "Summary") -> "Summary":
        return Summary(self.count + other.count, self.total + other.total, other.first if self.first is None else self.first)


def topology(*, merging: bool, grace: int) -> Topology:
    builder = TopologyBuilder()
    (
        builder.stream("numbers", key=str, value=int)
        .group_by_key()
        .windowed_by(hopping(50, advance=10, grace=grace))
        .aggregate(Summary, Summary.add, merge=Summary.merge if merging else None, store="summaries")
        .to_stream()
        .to("out")
    )
    return builder.build()


RECORDS = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(0, 9), st.integers(0, 300)),
    max_size=60,
)


@pytest.mark.parametrize("merging", [True, False])
@given(records=RECORDS, grace=st.sampled_from([0, 15, 100]), batch=st.integers(1, 20))
@settings(max_examples=examples(150))
def test_final_tables_and_drops_are_equal(merging: bool, records: list[tuple[str, int, int]], grace: int, batch: int) -> None:
    every = MemoryEngine(topology(merging=merging, grace=grace), emit="every-update")
    latest = MemoryEngine(topology(merging=merging, grace=grace), emit="latest")
    for number, (key, value, timestamp) in enumerate(records, start=1):
        every.pipe("numbers", key, value, timestamp)
        latest.pipe("numbers", key, value, timestamp)
        if number % batch == 0:
            latest.commit()
    latest.commit()
    assert latest.store("summaries") == every.store("summaries")
    assert latest.drops == every.drops
    last = {output.key: (output.value, output.timestamp) for output in every.outputs()}
    assert {output.key: (output.value, output.timestamp) for output in latest.outputs()} == last


def test_one_update_per_key_is_forwarded_at_a_commit() -> None:
    engine = MemoryEngine(topology(merging=False, grace=0), emit="latest")
    for _ in range(3):
        engine.pipe("numbers", "a", 1, 5)
    assert engine.outputs() == []
    engine.commit()
    assert [output.value.count for output in engine.outputs()] == [3]


def test_the_update_of_a_key_has_the_headers_of_its_last_record() -> None:
    engine = MemoryEngine(topology(merging=False, grace=0), emit="latest")
    for text in (b"first", b"last"):
        engine.pipe("numbers", "a", 1, 5, (("trace", text),))
    engine.commit()
    assert [output.headers for output in engine.outputs()] == [(("trace", b"last"),)]


def test_a_table_without_caching_forwards_every_update() -> None:
    builder = TopologyBuilder()
    numbers = builder.stream("numbers", key=str, value=int).group_by_key()
    numbers.reduce(lambda one, other: one + other, store="sum-store", caching=False).to_stream().to("sums")
    numbers.aggregate(Summary, Summary.add, store="summaries", caching=False).to_stream().map_values(lambda one: one.count).to(
        "counts"
    )
    engine = MemoryEngine(builder.build(), emit="latest")
    for value in (1, -1, 5):
        engine.pipe("numbers", "a", value, 5)
    engine.commit()
    assert [output.value for output in engine.outputs("sums")] == [1, 0, 5]
    assert [output.value for output in engine.outputs("counts")] == [1, 2, 3]


def test_a_table_with_caching_forwards_one_update_per_key_and_commit_whatever_the_run_says() -> None:
    builder = TopologyBuilder()
    builder.stream("numbers", key=str, value=int).group_by_key().count(store="cached", caching=True).to_stream().to("counts")
    engine = MemoryEngine(builder.build(), emit="every-update")
    for key in "aab":
        engine.pipe("numbers", key, 1, 5)
    assert engine.outputs("counts") == []
    engine.commit()
    assert [(output.key, output.value) for output in engine.outputs("counts")] == [("a", 2), ("b", 1)]


def test_the_run_the_topology_and_the_default_decide_in_this_order() -> None:
    def define(builder: TopologyBuilder) -> None:
        builder.stream("numbers", key=str, value=int).group_by_key().count().to_stream().to("counts")

    def emitted(topology: Topology, emit: Emit | None) -> list[int]:
        engine = MemoryEngine(topology, emit=emit)
        engine.pipe_all([("numbers", "a", 1, time) for time in range(3)])
        engine.commit()
        return [output.value for output in engine.outputs("counts")]

    every, latest = Flow("counts", "Counts.", define).topology(), Flow("counts", "Counts.", define, emit="latest").topology()
    assert [emitted(every, emit) for emit in (None, "latest", "every-update")] == [[1, 2, 3], [3], [1, 2, 3]]
    assert [emitted(latest, emit) for emit in (None, "latest", "every-update")] == [[3], [3], [1, 2, 3]]
    assert with_version(latest, "v2").emit == "latest"


@given(
    st.lists(st.tuples(st.sampled_from(["left", "right", "commit"]), st.sampled_from("ab"), st.integers(-2, 2)), max_size=25),
    st.tuples(st.booleans(), st.booleans()),
    st.sampled_from(["every-update", "latest"]),
)
def test_joins_of_cached_and_uncached_tables_end_with_the_same_rows(
    steps: list[tuple[str, str, int]], caching: tuple[bool, bool], emit: Emit
) -> None:
    def engine_with(*caching: bool) -> MemoryEngine:
        builder = TopologyBuilder()
        left, right = (
            builder.stream(topic, key=str, value=int).group_by_key().reduce(add, store=f"{topic}-sums", caching=cached)
            for topic, cached in zip(("left", "right"), caching, strict=True)
        )
        left.outer_join(right, lambda one, other: f"{one} {other}", value=str, store="joined").to_stream().to("joined")
        return MemoryEngine(builder.build(), emit=emit)

    def joined(engine: MemoryEngine) -> dict[str, str]:
        for time, (topic, key, value) in enumerate(steps):
            if topic == "commit":
                engine.commit()
            else:
                engine.pipe(topic, key, value, time)
        engine.commit()
        return {output.key: output.value for output in engine.outputs("joined")}

    assert joined(engine_with(*caching)) == joined(engine_with(False, False))
