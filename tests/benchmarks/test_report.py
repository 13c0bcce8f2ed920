"""The rows of programs that were measured several times."""

from benchmarks.suite.report import medians


def test_of_several_runs_the_medians_count() -> None:
    runs = [
        {"program": "one", "warm records/s": 30, "CPU": 1.0, "quarter": 5},
        {"program": "other", "warm records/s": 7, "CPU": 2.0, "quarter": 5},
        {"program": "one", "warm records/s": 10, "CPU": 1.5, "quarter": None},
        {"program": "one", "warm records/s": 20, "CPU": 4.0, "quarter": 5},
    ]
    assert medians(runs) == [
        {"program": "one", "warm records/s": 20, "CPU": 1.5, "quarter": None},
        {"program": "other", "warm records/s": 7, "CPU": 2.0, "quarter": 5},
    ]
