"""Cases that were run on Kafka Streams 4.3.0: their inputs, outputs and stores, and where we differ on purpose."""

import json
from collections.abc import Iterable
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

PLUMBING: dict[str, str] = {
    "captcha/windowed": "windows of a table pass a repartition topic and are joined in the next stage",
    "chosen-topics/context": "user code names the topic of each record by its context",
    "clickstream/profile-and-search": "a table and two streams meet in one task",
    "closed-joins/session-7": "keys with sessions are joined and mapped",
    "connected-stores/shared": "two processors share a store of the user's",
    "dedupe/ttl-stream": "stream time punctuates, and deletes entries of a window store",
    "emit-on-close/hopping": "windows are emitted when later records close them",
    "fb-notifications/stateless": "there is no task with state",
    "global-store/greatest": "a processor fills a global store, which tasks read",
    "inventory/dropped-records": "records are dropped on both sides of a repartition topic",
    "joins/fk-left-tombstones": "three stages, one of which answers an earlier one; tombstones",
    "joins/stream-global-inner": "every task has the whole of a global table",
    "joins/stream-stream-outer-order": "a buffer is emptied by time, without a record for its key",
    "log-triage/null-keys": "one source, several sinks, records without a key",
    "merge-branch-flatmap/basic": "streams are split, merged, multiplied and repartitioned",
    "null-keys/stream-left-distant": "four sub-topologies stand in line",
    "null-keys/table-inner-distant": "a task reads a topic, and what another one sends it through a third",
    "partitioners/values": "user code chooses partitions",
    "product-counter/wall-clock": "the wall clock punctuates",
    "session-counts/late-but-merging": "an entry of a store replaces several",
    "sliding/null-keys-and-values": "a record changes windows of others; records are dropped",
    "suppress-bytes/limit-93": "a buffer is limited by encoded bytes",
    "suppress/time-limit-table": "a buffer outlives the batch of its records",
    "table-filter/stored": "a table has a store of its own beside that of its source",
    "top-movers/from-ticks": "old and new values of windows travel through a repartition topic",
    "topic-patterns/merged": "a pattern names the topics",
    "transform-values/stored-grouped": "a transformer of values has state behind a table",
    "versioned-tables/stream-left-grace-10": "versions are read, and records wait for their time",
}
"""Cases that go through what an engine itself does, and what that is. All engines run the same task, so `make test` proves the
meaning of all cases on the memory engine and replays these on the others; `make test-slow` replays the rest there, too."""


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


def path_name(path: Path) -> str:
    """Return the name of the case in a file in `DEVIATIONS` and `PLUMBING`."""
    return f"{path.parent.name}/{path.stem}"


def plumbing_marks(paths: Iterable[Path]) -> list[pytest.MarkDecorator]:
    """Return the marks of a test of these cases on an engine other than that in memory: without `PLUMBING` it is slow."""
    return [] if PLUMBING.keys() & map(path_name, paths) else [pytest.mark.slow]


def parameters(*, only_plumbing: bool = False) -> list[Any]:
    """Return the cases of known topologies as parameters of a test; with `only_plumbing`, the others are slow."""
    found = []
    for path in case_paths():
        name = path_name(path)
        reason = DEVIATIONS.get(name)
        marks = [pytest.mark.xfail(strict=True, reason=reason)] if reason else []
        marks += plumbing_marks([path]) if only_plumbing else []
        if path.parent.name in TOPOLOGIES:
            found.append(pytest.param(path, id=name, marks=marks))
    return found
