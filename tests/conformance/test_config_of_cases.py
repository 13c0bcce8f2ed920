"""What a case says of time belongs to the replay, not to the topology."""

import json
from pathlib import Path
from typing import Any

from eddyline.adapters.cli.replay.case import read_case
from eddyline.adapters.cli.replay.in_memory import replay_in_memory
from eddyline.adapters.container import Container
from tests.conformance.recorded import TOPOLOGIES


def output_of(folder: Path, topology: str, config: dict[str, Any], steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    path = folder / "case.json"
    path.write_text(json.dumps({"topology": topology, "description": "", "config": config, "input": steps}))
    case = read_case(path)
    output: list[dict[str, Any]] = replay_in_memory(case, TOPOLOGIES[topology].topology(**case.config), Container())["output"]
    return output


def test_the_wall_clock_begins_where_the_case_says(tmp_path: Path) -> None:
    view = {"topic": "product-views", "key": "tea", "value": "view", "timestamp": 0}
    steps: list[dict[str, Any]] = [view, {"advance_wall_clock_ms": 999}, {"advance_wall_clock_ms": 1}]
    config = {"punctuation": "wall", "initial_wall_clock_ms": 5_000}
    (told,) = output_of(tmp_path, "product-counter", config, steps)
    assert (told["timestamp"], told["after_input"]) == (6_000, 2)


def test_event_time_may_come_from_a_field_of_any_topics_values(tmp_path: Path) -> None:
    values = [{"page": "a", "at": 70}, {"page": "a", "at": True}, {"page": "a", "at": -5}, {"page": "a"}, None]
    steps = [{"topic": "page-views", "key": "ann", "value": value, "timestamp": 9} for value in values]
    (told,) = output_of(tmp_path, "popular-products", {"threshold": 1, "timestamp_field": "at"}, steps)
    assert told["timestamp"] == 70
