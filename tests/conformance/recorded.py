"""What Kafka Streams 4.3.0 answered: cases with their inputs, outputs and stores, and where we mean to differ."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from eddyline.application.flows.flow import Flow
from eddyline.application.samples.catalogue import FLOWS
from tests.conformance.topologies import FLOWS as BESIDE_FLOWS

FOLDER = Path(__file__).parent / "cases"

TOPOLOGIES: dict[str, Flow] = {flow.name: flow for flow in (*FLOWS, *BESIDE_FLOWS)}

DEVIATIONS: dict[str, str] = {
    "emit-on-close/tumbling-default-retention": (
        "Kafka promises the result of a window once it is closed, but loses it when time jumps so far that its store lets go "
        "of the window with the same record; here it comes out"
    ),
}
"""The cases where Kafka Streams does what it does not promise, and we do what it promises."""


class Recorded(NamedTuple):
    """A case and what Kafka Streams made of it: the records in order, each with the input that caused it, and the stores."""

    path: Path
    output: list[dict[str, Any]]
    stores: dict[str, list[dict[str, Any]]]

    @property
    def topology(self) -> str:
        """The topology's name."""
        return self.path.parent.name


def recorded(path: Path) -> Recorded:
    """The case in a file, with the answer beside it."""
    answer = json.loads(path.with_name(f"{path.stem}.expected.json").read_text(encoding="utf-8"))
    return Recorded(path, answer["output"], answer["stores"])


def case_paths() -> list[Path]:
    """All cases, in order."""
    return sorted(path for path in FOLDER.glob("*/*.json") if not path.name.endswith(".expected.json"))


def parameters() -> list[Any]:
    """The cases of the topologies that there are, as parameters of a test."""
    found = []
    for path in case_paths():
        name = f"{path.parent.name}/{path.stem}"
        reason = DEVIATIONS.get(name)
        marks = [pytest.mark.xfail(strict=True, reason=reason)] if reason else []
        if path.parent.name in TOPOLOGIES:
            found.append(pytest.param(path, id=name, marks=marks))
    return found
