"""The pure parts of the benchmark of growth."""

import pytest

from benchmarks.growth import between, stretches
from benchmarks.suite.marks import Batch, batches_in, mark_batch
from benchmarks.suite.measuring import Run
from benchmarks.suite.workloads import trades

BATCHES = [Batch(10.0, 100, 1), Batch(12.0, 200, 2), Batch(14.0, 300, 4), Batch(16.0, 400, 8)]


def test_batches_are_read_from_the_output_of_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    mark_batch(100, 7)
    (batch,) = batches_in(["[Stage 0:>     ]" + line for line in capsys.readouterr().out.splitlines()])
    assert (batch.records, batch.results) == (100, 7)


def test_a_stretch_ends_with_the_first_batch_that_reaches_its_limit() -> None:
    assert [(begin.records, end.records) for begin, end in stretches(BATCHES, [100, 250, 400])] == [(100, 300), (300, 400)]


def test_times_are_per_record_and_per_result_of_the_stretch() -> None:
    measured = Run(0.0, processor=[(10.0, 1.0), (12.0, 2.0), (14.0, 2.5), (16.0, 4.0)])
    assert between(measured, BATCHES[0], BATCHES[2]) == {
        "CPU us/record": 1.5 / 200 * 1e6,
        "wall us/record": 4.0 / 200 * 1e6,
        "results/record": 3 / 200,
        "CPU us/result": 1.5 / 3 * 1e6,
    }


def test_tickers_in_turn_are_all_traded_but_only_some_at_the_same_time() -> None:
    keys = [str(key) for key, *_ in trades(2_000, 200, 10)]
    assert len(set(keys)) == len(set(keys[:100])) * 20 == 200
    assert [key for key, *_ in trades(50, 100, 100)] == [key for key, *_ in trades(50)]
