"""From producer to consumer over a real broker and registry: `eval "$(eddyline services env)"; pytest -m kafka`."""

import os
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest

ADDRESSES = ("EDDYLINE_BOOTSTRAP_SERVERS", "EDDYLINE_SCHEMA_REGISTRY_URL")

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.skipif(not all(name in os.environ for name in ADDRESSES), reason=f"set {' and '.join(ADDRESSES)}"),
]


def run(program: str, *words: str) -> str:
    """Run a program of this environment; return what it prints."""
    done = subprocess.run([Path(sys.executable).with_name(program), *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_readings_become_alarms(tmp_path: Path) -> None:
    name = uuid4().hex[:8]
    readings, alarms = f"readings-{name}", f"alarms-{name}"
    settings = ["--set", f"readings={readings}", "--set", f"alarms={alarms}", "--data-dir", str(tmp_path)]
    assert run("python", "-m", "cold_chain.producer", "--topic", readings) == f"60 readings written to topic '{readings}'\n"
    run("eddyline", "run", "cold-chain", "--application-id", f"cold-chain-{name}", "--available-now", *settings)
    printed = run("python", "-m", "cold_chain.consumer", "--topic", alarms)
    assert printed == "12:05 to 12:10 truck-2: 13.8 °C\n"
