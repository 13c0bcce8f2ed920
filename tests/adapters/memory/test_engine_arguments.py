"""Invalid arguments of the memory engine are errors that name the choices."""

from typing import Any

import pytest

from eddyline import Topology, TopologyBuilder
from eddyline.adapters.memory.engine import MemoryEngine


def copies() -> Topology:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).to("copies")
    return builder.build()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"emit": "sometimes"}, "invalid emit='sometimes'; choose one of: 'latest', 'every-update'"),
        ({"partitions": 0}, "invalid number of partitions 0 for topic 'lines'; pass partitions=1 or more"),
        ({"partitions": "3"}, "invalid number of partitions '3' for topic 'lines'; pass partitions=1 or more"),
        ({"partitions": {"lines": -1}}, "invalid number of partitions -1 for topic 'lines'; pass partitions=1 or more"),
    ],
)
def test_options_are_checked_when_the_engine_is_created(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MemoryEngine(copies(), **options)


@pytest.mark.parametrize("partition", [-1, 3, 7])
def test_a_record_cannot_be_piped_into_a_partition_that_does_not_exist(partition: int) -> None:
    engine = MemoryEngine(copies(), partitions=3)
    with pytest.raises(LookupError, match=f"topic 'lines' has no partition {partition}; choose one of: 0, 1, 2"):
        engine.pipe("lines", "k", "v", 1, partition=partition)
    engine.pipe("lines", "k", "v", 1, partition=2)
    assert len(engine.outputs("copies")) == 1
