"""The topics of simulated events in files, and topologies of several queries that read them."""

import json
from pathlib import Path
from typing import Any

from nexmark.flows import QUERIES
from nexmark.generator import Simulation, side_rows

from eddyline import TopologyBuilder
from eddyline.application.runtime.plan.partitioner import partition_for
from eddyline.application.topology import Topology

CLOCK = "clock"
"""The topic whose records have the time of arrival of each event."""


def topology_of(*queries: str) -> Topology:
    """Return a topology with several queries; what they read is read once."""
    builder = TopologyBuilder()
    for query in queries:
        QUERIES[query](builder)
    return builder.build()


def write_log(folder: Path, simulation: Simulation, partitions: int = 1) -> None:
    """Write the events, numbered in the order of their arrival, to topics with these partitions, and the clock to one."""
    keyed = dict.fromkeys(("person", "auction", "bid"), partitions)
    lines: dict[tuple[str, int], list[str]] = {
        (topic, number): [] for topic, count in {**keyed, CLOCK: 1, "side_input": 1}.items() for number in range(count)
    }

    def add(topic: str, key: str | None, value: Any, timestamp: int, arrival: int) -> None:
        number = partition_for(key.encode(), partitions) if topic in keyed and key is not None else 0
        record = {"timestamp": timestamp, "key": key, "value": value, "arrival": arrival}
        lines[topic, number].append(json.dumps(record) + "\n")

    events = list(simulation.arrivals())
    for key, value in side_rows():
        add("side_input", str(key), value, events[0].timestamp, 0)
    for number, event in enumerate(events, start=1):
        add(CLOCK, None, None, event.arrival, 2 * number)
        add(event.topic, str(event.key), event.json_value(), event.timestamp, 2 * number + 1)
    for (topic, number), records in lines.items():
        path = folder / topic / f"partition-{number}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(records))
