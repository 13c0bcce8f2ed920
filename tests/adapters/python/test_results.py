"""What `eddyline.run` returns: data frames, stores and plots, with the libraries that they need."""

import sys
from datetime import UTC, datetime
from pathlib import Path

import matplotlib as mpl
import pandas as pd
import pytest

import eddyline
from eddyline import FlowResult, Record, TopologyBuilder
from eddyline.adapters.wiring.extras import MissingExtraError
from tests.adapters.python.payments import EXPECTED, PAYMENTS, at, shop_takings
from tests.fixtures.payments import Takings

mpl.use("agg")


def test_results_are_a_data_frame_with_times_and_fields() -> None:
    frame = eddyline.run(shop_takings, at(PAYMENTS, 5, 900, 1_500)).frame()
    assert list(frame.columns) == ["key", "window_start", "window_end", "value.payments", "value.total", "timestamp"]
    assert frame["value.total"].tolist() == [1.0, 2.0, 4.0]
    assert frame["window_start"][2] == datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
    assert frame["timestamp"][1] == datetime(1970, 1, 1, 0, 0, 0, 900_000, tzinfo=UTC)


def test_a_store_has_the_state_at_the_end() -> None:
    result = eddyline.run(shop_takings, at(PAYMENTS, 5, 6, 7))
    assert result.store().get("north") == Takings(2, 5.0)
    assert result.store("takings").to_pandas()["value.total"].tolist() == [5.0, 2.0]


def test_topics_that_a_function_chooses_are_results() -> None:
    def routed(builder: TopologyBuilder) -> None:
        builder.stream("in", key=str, value=int).to(lambda key, _value, _context: f"out-{key}")

    frame = pd.DataFrame({"key": ["a", "b"], "value": [1, 2], "timestamp": [1, 2]})
    result = eddyline.run(routed, frame)
    assert sorted(result.topics) == ["out-a", "out-b"]
    assert result.records("out-b") == [Record("b", 2, 2)]
    with pytest.raises(LookupError, match="name a topic; it writes: out-a, out-b"):
        result.frame()
    with pytest.raises(LookupError, match="the flow does not write topic 'c'"):
        result.frame("c")


@pytest.fixture
def result() -> FlowResult:
    return eddyline.run(shop_takings, at(PAYMENTS, 5, 900, 1_500), emit="every-update")


def test_a_plot_has_a_line_for_each_key_and_number(result: FlowResult) -> None:
    axes = result.plot(y="value.total")
    assert [line.get_label() for line in axes.lines] == ["north", "south"]
    assert (axes.get_title(), axes.get_ylabel(), axes.get_xlabel()) == ("takings", "total", "window_start")
    assert len(result.plot().lines) == 4
    assert [line.get_label() for line in result.plot(x="timestamp", y=["value.total"], by="key").lines] == ["north", "south"]


def test_plots_of_unknown_columns_and_without_numbers_are_errors(result: FlowResult) -> None:
    with pytest.raises(LookupError, match="the records have no column 'total'; choose one of: key, window_start"):
        result.plot(y="total")

    def named(builder: TopologyBuilder) -> None:
        builder.stream("in", key=str, value=str).to("out")

    with pytest.raises(ValueError, match="no value of topic 'out' is a number; name columns as y"):
        eddyline.run(named, pd.DataFrame({"key": ["a"], "value": ["x"]})).plot()


def test_missing_libraries_are_named_with_their_extra(
    result: FlowResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    PAYMENTS.to_parquet(tmp_path / "payments.parquet")
    missing = "is not installed; install it with: pip install 'eddyline[notebook]'"
    for library, call in (
        ("matplotlib.pyplot", result.plot),
        ("pyarrow", lambda: eddyline.run(shop_takings, tmp_path / "payments.parquet")),
        ("pandas", result.frame),
    ):
        with monkeypatch.context() as patched:
            patched.setitem(sys.modules, library, None)
            with pytest.raises(MissingExtraError) as raised:
                call()
            assert missing in str(raised.value)


def test_lines_of_json_and_records_need_no_pandas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "payments.jsonl"
    file.write_text('{"key": "a", "value": {"shop": "north", "amount": 1}, "timestamp": 5}\n', encoding="utf-8")
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert eddyline.run(shop_takings, file).records() == EXPECTED[:1]
