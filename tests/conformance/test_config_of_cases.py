"""The options of a case that concern time apply to the replay, not to the topology."""

import json
from pathlib import Path
from typing import Any

from eddyline.adapters.cli.replay.case import read_case
from eddyline.adapters.cli.replay.in_memory import replay_in_memory
from eddyline.adapters.container import Container
from tests.conformance.recorded import TOPOLOGIES


def output_of(folder: Path, topology: str, config: dict[str, Any], inputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    path = folder / "case.json"
    path.write_text(json.dumps({"topology": topology, "description": "", "config": config, "input": inputs}))
    case = read_case(path)
    output: list[dict[str, Any]] = replay_in_memory(case, TOPOLOGIES[topology].topology(**case.config), Container())["output"]
    return output


def test_the_wall_clock_starts_at_the_time_of_the_case(tmp_path: Path) -> None:
    view = {"topic": "product-views", "key": "tea", "value": "view", "timestamp": 0}
    inputs: list[dict[str, Any]] = [view, {"advance_wall_clock_ms": 999}, {"advance_wall_clock_ms": 1}]
    config = {"punctuation": "wall", "initial_wall_clock_ms": 5_000}
    (record,) = output_of(tmp_path, "product-counter", config, inputs)
    assert (record["timestamp"], record["after_input"]) == (6_000, 2)


def test_event_time_can_come_from_a_field_of_the_values(tmp_path: Path) -> None:
    values = [{"page": "a", "at": 70}, {"page": "a", "at": True}, {"page": "a", "at": -5}, {"page": "a"}, None]
    inputs = [{"topic": "page-views", "key": "ann", "value": value, "timestamp": 9} for value in values]
    (record,) = output_of(tmp_path, "popular-products", {"threshold": 1, "timestamp_field": "at"}, inputs)
    assert record["timestamp"] == 70
