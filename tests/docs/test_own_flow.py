"""The first flow of the README runs from its file, without anything else that names it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.test_readme import blocks

COMMAND = Path(sys.executable).with_name("eddyline")
PAYMENTS = [
    ("till 1", {"shop": "north", "amount": 700.0}),
    ("till 2", {"shop": "south", "amount": 900.0}),
    ("till 2", None),
    ("till 3", {"shop": "north", "amount": 400.0}),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A directory with the file of the flow, and payments and a null value in two partitions of its topic."""
    flow, _ = blocks("python")
    (tmp_path / "my_flows.py").write_text(flow, encoding="utf-8")
    topic = tmp_path / "data/topics/payments"
    topic.mkdir(parents=True)
    for number, (till, payment) in enumerate(PAYMENTS):
        line = {"key": till, "value": payment, "timestamp": 1_000 * number}
        with (topic / f"partition-{number % 2}.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    return tmp_path


@pytest.mark.parametrize("engine", ["memory", pytest.param("spark", marks=[pytest.mark.spark, pytest.mark.slow])])
def test_the_first_flow_runs_by_the_name_of_its_module(folder: Path, engine: str) -> None:
    words = ["run", "busy-shops", "--flows", "my_flows", "--available-now", "--engine", engine]
    run = subprocess.run([COMMAND, *words], cwd=folder, capture_output=True, text=True, check=False, env=_bare())
    assert run.returncode == 0, run.stderr
    assert "busy-shops: 4 records" in run.stderr
    files = (folder / "data/topics/busy-shops").glob("*.jsonl")
    results = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    assert [(record["key"], record["value"]) for record in results] == [
        ({"key": "north", "window": {"start": 0, "end": 60_000}}, 2)
    ]


def _bare() -> dict[str, str]:
    """Return the environment without paths on which the module could be found."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
