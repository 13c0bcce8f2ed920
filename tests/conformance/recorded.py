"""Cases that were run on Kafka Streams 4.3.0: their inputs, outputs and stores, and where we differ on purpose."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from eddyline.adapters.cli.replay.case import Case
from eddyline.application.flows.flow import Flow
from eddyline.application.samples.catalogue import FLOWS
from tests.conformance.topologies import FLOWS as CASE_FLOWS

FOLDER = Path(__file__).parent / "cases"

TOPOLOGIES: dict[str, Flow] = {flow.name: flow for flow in (*FLOWS, *CASE_FLOWS)}

DEVIATIONS: dict[str, str] = {
    "emit-on-close/tumbling-default-retention": (
        "Kafka Streams guarantees the result of a window when it closes, but loses it if stream time jumps so far that the "
        "window expires in its store with the same record; Eddyline emits it"
    ),
    "table-filter/of-count-initial": (
        "Kafka Streams passes the value of the initializer for the old value of a new row, so that a row that never existed is "
        "deleted, and subtracted from its group; in Eddyline a new row has no old value"
    ),
}
"""The cases where Kafka Streams breaks its own guarantee and Eddyline does not."""


class Recorded(NamedTuple):
    """A case and the output of Kafka Streams: the records in order, each with the input that caused it, and the stores."""

    path: Path
    output: list[dict[str, Any]]
    stores: dict[str, list[dict[str, Any]]]

    @property
    def topology(self) -> str:
        """The name of the topology."""
        return self.path.parent.name


def recorded_stores(actual: dict[str, Any], expected: Recorded) -> dict[str, Any]:
    """Return those of the actual stores that the case lists; the stores of tables without a named store are not recorded."""
    return {name: rows for name, rows in actual.items() if name in expected.stores}


def name_of(case: Case) -> str:
    """Return the name of a case in `DEVIATIONS`."""
    return f"{case.topology}/{case.name}"


def without_inputs(case: Recorded) -> dict[str, Any]:
    """Return the expected output without the inputs that caused the records, which engines of batches do not know."""
    output = [{name: value for name, value in record.items() if name != "after_input"} for record in case.output]
    return {"output": output, "stores": case.stores}


def recorded(path: Path) -> Recorded:
    """Return the case in a file, with the expected output in the file next to it."""
    expected = json.loads(path.with_name(f"{path.stem}.expected.json").read_text(encoding="utf-8"))
    return Recorded(path, expected["output"], expected["stores"])


def case_paths() -> list[Path]:
    """Return the paths of all cases, in order."""
    return sorted(path for path in FOLDER.glob("*/*.json") if not path.name.endswith(".expected.json"))


def parameters() -> list[Any]:
    """Return the cases of known topologies as parameters of a test."""
    found = []
    for path in case_paths():
        name = f"{path.parent.name}/{path.stem}"
        reason = DEVIATIONS.get(name)
        marks = [pytest.mark.xfail(strict=True, reason=reason)] if reason else []
        if path.parent.name in TOPOLOGIES:
            found.append(pytest.param(path, id=name, marks=marks))
    return found
