"""With `emit="latest"`, by pane or not, the final tables and the drops are those of `emit="every-update"`."""

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.application.topology import Topology, TopologyBuilder, hopping
from eddyline.testing import MemoryEngine


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
@settings(max_examples=150)
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
