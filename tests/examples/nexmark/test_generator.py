"""The generator of NEXMark events makes the events of the data sets, to the byte."""

import hashlib
import json
from pathlib import Path

import pytest
from nexmark.generator import Simulation, side_rows, write_topics

from tests.examples.nexmark.rows import DATA_SETS

SHA256 = {
    "public-1": "3ad845a446c1a7f81b97b969d9dc1d6b74446607e36da874b1e9d94464234ca3",
    "public-2": "97ab342e8ea301bb0dcf3ea3f3147190fcd2acf6292381a20a69676deac4292a",
}


@pytest.mark.parametrize("data_set", DATA_SETS)
def test_the_events_of_a_data_set_are_the_same_on_every_machine(data_set: str) -> None:
    lines = "".join(arrival.line() for arrival in DATA_SETS[data_set].arrivals())
    assert hashlib.sha256(lines.encode()).hexdigest() == SHA256[data_set]


def test_late_arrivals_change_the_order_of_the_events_only() -> None:
    in_order = [arrival[:4] for arrival in Simulation(seed=7, events=2_500).arrivals()]
    late = [arrival[:4] for arrival in Simulation(seed=7, events=2_500, late_share=0.3, late_ms=500).arrivals()]
    assert late != in_order
    assert sorted(late, key=lambda event: event[3]) == in_order


def test_the_topics_are_written_as_a_file_log(tmp_path: Path) -> None:
    write_topics(Simulation(events=100), tmp_path)
    lines = (tmp_path / "topics/bid/partition-0.jsonl").read_text().splitlines()
    assert len(lines) == 92
    assert json.loads(lines[0])["key"] == str(json.loads(lines[0])["value"]["auction"])
    assert len((tmp_path / "topics/side_input/partition-0.jsonl").read_text().splitlines()) == len(list(side_rows()))
