from collections import Counter

from eddyline.application.topology.types import Emit
from tests.samples.simulated import EMITS, SEEDS, run, simulate


@SEEDS
def test_errors_are_separated_from_all_other_entries(seed: int) -> None:
    entries = simulate("log-triage", seed=seed)
    engine = run("log-triage", entries)
    errors = [entry.value for entry in entries if entry.value.severity == "ERROR"]
    assert [output.value for output in engine.outputs("logs-high")] == errors
    assert len(engine.outputs("logs-low")) == len(entries) - len(errors)
    assert 0 < len(errors) < len(entries) / 5


@SEEDS
@EMITS
def test_maintenance_is_requested_once_for_worn_and_silent_machines_and_no_others(seed: int, emit: Emit) -> None:
    events = simulate("device-maintenance", seed=seed, machines=20, worn=4, silent=3, spoilt=0.01)
    engine = run("device-maintenance", events, emit=emit)
    requests = Counter((output.key, output.value.sign) for output in engine.outputs("maintenance-requests"))
    assert requests == {(f"machine-{number}", "rising" if number <= 24 else "silent"): 1 for number in range(21, 28)}
    assert engine.outputs("unsound-readings")
