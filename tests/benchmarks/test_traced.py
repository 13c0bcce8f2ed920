"""The parts between the moments of a run add up to the whole."""

import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks.batch_parts import batch_parts
from benchmarks.first_result import Times, first_result_parts, rest_parts, results
from benchmarks.traced import moments
from benchmarks.traced.moments import Moment
from benchmarks.traced.parts import batches, cut, first, mean

BEGIN = 1_700_000_000.0
DURATIONS = {"latestOffset": 10, "getBatch": 2, "walCommit": 8, "queryPlanning": 20, "commitOffsets": 5, "triggerExecution": 300}


def moment(after: float, name: str, **detail: object) -> Moment:
    return Moment(BEGIN + after, name, json.dumps(detail))


STARTED = [
    moment(0.1, "python"),
    moment(0.5, "imported"),
    moment(0.8, "session-begin"),
    moment(1.8, "java-end"),
    moment(2.5, "session-end"),
    moment(2.6, "query-begin"),
    moment(3.1, "query-end"),
]
OF_BATCH = [
    moment(3.1, "batch-begin"),
    moment(3.12, "job", submitted=BEGIN + 3.12, completed=BEGIN + 3.25, stages=[BEGIN + 3.12, BEGIN + 3.14]),
    moment(3.148, "worker-begin"),
    moment(3.15, "stage-begin"),
    moment(3.2, "sink-begin"),
    moment(3.22, "sink-end"),
    moment(3.23, "stage-end"),
    moment(3.26, "batch-end"),
    moment(
        3.3, "progress", batchId=0, timestamp="2023-11-14T22:13:23.000Z", numInputRows=4, durationMs=DURATIONS, states=[{"a": 1}]
    ),
]


def test_the_parts_until_the_first_result_add_up_to_its_time() -> None:
    times = Times(BEGIN, BEGIN + 3.21, BEGIN + 4.0)
    parts = first_result_parts(times, STARTED + OF_BATCH)
    assert sum(parts.values()) == pytest.approx(3.21, abs=1e-6)
    assert parts["Java, until its gateway answers"] == pytest.approx(1.0, abs=1e-6)
    assert parts["thread of the query, until its first batch begins"] == 0  # it began before the call returned
    assert "trades simulated and written" not in parts
    demo = sorted([*STARTED, *OF_BATCH, moment(0.6, "trades-begin"), moment(0.75, "trades-end")])
    assert first_result_parts(times, demo)["trades simulated and written"] == pytest.approx(0.15, abs=1e-6)
    assert sum(first_result_parts(times, demo).values()) == pytest.approx(3.21, abs=1e-6)
    assert sum(rest_parts(times, STARTED + OF_BATCH).values()) == pytest.approx(0.79, abs=1e-6)


def test_the_parts_of_a_batch_add_up_to_the_time_until_the_next_one() -> None:
    (batch,) = batches(OF_BATCH)
    assert (batch.number, batch.begin, batch.states) == (0, BEGIN + 3, [{"a": 1}])
    assert batch.end == pytest.approx(BEGIN + 3.3)
    milliseconds = {name: round(seconds * 1_000) for name, seconds in batch_parts(OF_BATCH, batch, BEGIN + 3.31).items()}
    assert list(milliseconds.values()) == [12, 8, 20, 60, 20, 20, 8, 2, 50, 20, 10, 30, 5, 35, 10]
    assert sum(milliseconds.values()) == 310


def test_a_run_that_has_not_come_so_far_is_an_error() -> None:
    with pytest.raises(SystemExit, match="not reached 'sink-begin'"):
        first(STARTED, "sink-begin")


def test_the_mean_of_parts_adds_up_to_the_mean_of_the_wholes() -> None:
    found = [cut(0.0, [("a", 1.0), ("b", 3.0)]), cut(0.0, [("a", 2.0), ("b", 3.0)])]
    assert mean(found) == {"a": 1.5, "b": 1.5}


def test_functions_that_are_traced_write_when_they_begin_and_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(moments.VARIABLE, str(tmp_path / "moments"))
    module = SimpleNamespace(work=lambda number: number + 1, rows=lambda number: iter(range(number)))
    moments.traced(module, "work", "work")
    moments.traced_iterator(module, "rows", "rows")
    assert module.work(1) == 2
    rows = module.rows(2)
    assert next(rows) == 0
    moments.write("between", "a detail")
    assert list(rows) == [1]
    found = moments.read(Path(os.environ[moments.VARIABLE]))
    assert [each.name for each in found] == ["work-begin", "work-end", "rows-begin", "between", "rows-end"]
    assert found[3].detail == "a detail"


def test_results_of_both_systems_are_compared_by_the_last_update(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours/data/topics/stock-stats", tmp_path / "theirs/results"
    ours.mkdir(parents=True)
    theirs.mkdir(parents=True)
    key = {"key": "IBM", "window": {"start": 1_000, "end": 6_000}}
    updates = [{"key": key, "value": {"ticker": "IBM", "countTrades": count, "minPrice": 9.5}} for count in (1, 2)]
    (ours / "partition-0.jsonl").write_text("".join(json.dumps(update) + "\n" for update in updates))
    (theirs / "part-0.json").write_text('{"ticker":"IBM","start":1000,"min":9.5,"count":2,"avg":10.0}\n')
    assert results(tmp_path / "ours") == results(tmp_path / "theirs") == {("IBM", 1_000): (2, 9.5)}
