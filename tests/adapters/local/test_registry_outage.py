"""A schema registry that is away for a while: the local engine waits, and continues after its last commit."""

import io
import json
import signal
import sys
from pathlib import Path

import pytest

from eddyline.adapters.services.registry import Registry
from tests.adapters.kafka.conftest import eventually
from tests.fixtures.commands import Commands, Eddyline

FLOWS = """
from dataclasses import dataclass

from eddyline.application.flows.flow import Flow


@dataclass(frozen=True)
class Reading:
    sensor: str
    value: float


def doubled(builder):
    readings = builder.stream("readings", key=str, value=Reading)
    readings.map_values(lambda each: Reading(each.sensor, 2 * each.value)).to("doubled")


FLOWS = (Flow("doubled", "Doubles readings.", doubled),)
"""
FIELDS = [{"name": "sensor", "type": "string"}, {"name": "value", "type": "double"}]
NOTE = {"name": "note", "type": "string", "default": ""}


@pytest.mark.slow
def test_a_run_waits_for_its_registry(
    own_registry: Registry, eddyline: Eddyline, commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new schema is written while the run is paused, so that the run has to ask for it when the registry is stopped."""
    own_registry.start()
    monkeypatch.setenv("EDDYLINE_SCHEMA_REGISTRY_URL", own_registry.url)
    (tmp_path / "outage_flows.py").write_text(FLOWS)
    data = ("--data-dir", tmp_path / "data")

    def send(value: float, fields: list[dict[str, str]]) -> None:
        (tmp_path / "reading.avsc").write_text(json.dumps({"type": "record", "name": "Reading", "fields": fields}))
        record = dict.fromkeys((field["name"] for field in fields), "north") | {"value": value}
        monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(record)))
        written = eddyline("produce", "readings", "--value-schema", "reading.avsc", "--create-topics", *data)
        assert written.code == 0, written.err

    def is_waiting() -> bool:
        return any("is unavailable" in line and "continuing after the last commit" in line for line in commands.err("run"))

    def results() -> list[float]:
        found = eddyline("consume", "doubled", "--until-end", "--format", "json", "--value-codec", "avro", *data)
        return [json.loads(line)["value"]["value"] for line in found.out.splitlines()]

    send(4.0, FIELDS)
    flow = ("doubled", "--flows", tmp_path / "outage_flows.py", "--set", "default.value.codec=avro")
    commands.start("run", "run", *flow, "--engine", "local", "--create-topics", *data)
    eventually(lambda: results() == [8.0], 60, interval_s=0.3)
    commands.signal("run", signal.SIGSTOP)
    send(5.0, [*FIELDS, NOTE])
    own_registry.stop()
    commands.signal("run", signal.SIGCONT)
    eventually(is_waiting)
    own_registry.start()
    eventually(lambda: results() == [8.0, 10.0], 60, interval_s=0.3)
    assert commands.stop("run", 120) == 0
