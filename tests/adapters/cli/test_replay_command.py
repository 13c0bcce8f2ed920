import json
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.cli.conftest import Eddyline

CASE: dict[str, Any] = {
    "topology": "word-count",
    "description": "two lines",
    "config": {"stop_words": ["a"]},
    "input": [
        {"topic": "text-lines", "key": "1", "value": "a b", "timestamp": 10, "headers": {"trace": "x"}},
        {"advance_wall_clock_ms": 5},
        {"topic": "text-lines", "key": None, "value": "b", "timestamp": 20},
    ],
}
EXPECTED = {
    "output": [
        {"topic": "word-counts", "key": "b", "value": 1, "timestamp": 10, "headers": {"trace": "x"}, "after_input": 0},
        {"topic": "word-counts", "key": "b", "value": 2, "timestamp": 20, "after_input": 2},
    ],
    "stores": {"word-count-store": [{"key": "b", "value": 2, "timestamp": 20}]},
}


def write_case(folder: Path, name: str = "two-lines", **changes: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.json"
    file.write_text(json.dumps(CASE | changes))
    return file


def test_a_replay_prints_output_and_stores(eddyline: Eddyline, tmp_path: Path) -> None:
    outcome = eddyline("replay", write_case(tmp_path))
    assert (outcome.code, outcome.err) == (0, "")
    assert json.loads(outcome.out) == EXPECTED


def test_with_out_every_result_is_a_file_with_the_name_of_its_case(eddyline: Eddyline, tmp_path: Path) -> None:
    cases = [write_case(tmp_path, name) for name in ("one", "two.b")]
    assert eddyline("replay", *cases, "--out", tmp_path / "new/folder") == (0, "", "")
    written = sorted((tmp_path / "new/folder").iterdir())
    assert [file.name for file in written] == ["one.actual.json", "two.b.actual.json"]
    assert json.loads(written[1].read_text()) == EXPECTED


def test_a_windowed_key_has_its_window_and_values_have_their_names_in_topics(eddyline: Eddyline, tmp_path: Path) -> None:
    trade = {"type": "ASK", "ticker": "A", "price": 5.0, "size": 1}
    case = write_case(
        tmp_path,
        topology="stock-stats",
        config={"size_ms": 1000},
        input=[{"topic": "trades", "key": "A", "value": trade, "timestamp": 1500}],
    )
    result = json.loads(eddyline("replay", case).out)
    window = {"start": 1000, "end": 2000}
    stats = {"type": "ASK", "ticker": "A", "countTrades": 1, "sumPrice": 5.0, "minPrice": 5.0}
    assert result["output"] == [
        {
            "topic": "stock-stats",
            "key": {"key": "A", "window": window},
            "value": stats | {"avgPrice": 5.0},
            "timestamp": 1500,
            "after_input": 0,
        }
    ]
    assert result["stores"] == {"trade-aggregates": [{"key": "A", "value": stats, "window": window, "timestamp": 1500}]}


def test_a_malformed_case_is_one_line_and_the_others_are_replayed(eddyline: Eddyline, tmp_path: Path) -> None:
    bad, good = write_case(tmp_path, "bad", topology="nope"), write_case(tmp_path, "good")
    outcome = eddyline("replay", bad, good, "--out", tmp_path / "out")
    assert outcome.code == 1
    assert outcome.err.startswith("error: case 'bad': unknown topology 'nope'; run 'eddyline flows' to list the flows")
    assert outcome.err.count("\n") == 1
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["good.actual.json"]


def test_two_cases_of_the_same_name_do_not_overwrite_each_other(eddyline: Eddyline, tmp_path: Path) -> None:
    cases = [write_case(tmp_path / folder) for folder in ("a", "b")]
    outcome = eddyline("replay", *cases, "--out", tmp_path / "out")
    assert outcome.code == 2
    assert "2 cases have the name 'two-lines', so that --out would overwrite a result" in outcome.err


def test_topologies_of_a_module_are_found(eddyline: Eddyline, tmp_path: Path) -> None:
    (tmp_path / "my_topologies.py").write_text(
        "from eddyline.application.flows.flow import Flow\n"
        "def mirror(builder):\n    builder.stream('in', key=str, value=dict).to('out')\n"
        "FLOWS = (Flow('mirror', 'Mirrors.', mirror),)\n"
    )
    record = {"key": "k", "value": {"deep": [1, None]}, "timestamp": 3}
    case = write_case(tmp_path, topology="mirror", config={}, input=[{"topic": "in", **record}])
    outcome = eddyline("replay", case, "--topologies", "my_topologies")
    assert json.loads(outcome.out) == {"output": [{"topic": "out", **record, "after_input": 0}], "stores": {}}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"config": {"colour": 1}}, "flow 'word-count' has no setting 'colour'; choose one of: stop_words"),
        ({"config": {"stop_words": 1}}, "invalid value 1 for setting 'stop_words' of flow 'word-count': must be of type"),
        ({"config": []}, "config must be an object"),
        ({"input": None}, "input must be a list"),
        (
            {"config": {"initial_wall_clock_ms": "12:00"}},
            "initial_wall_clock_ms must be an integer (ms since the epoch), not '12:00'",
        ),
        ({"topology": 5}, "has no topology"),
        ({"input": [5]}, "input 0: 5 is not an object"),
        ({"input": [{}]}, "input 0: topic is missing"),
        ({"input": [{"topic": "x", "key": "k", "timestamp": 0}]}, "'word-count' does not read topic 'x'; it reads text-lines"),
        ({"input": [{"topic": "text-lines", "timestamp": "0"}]}, "timestamp must be an integer (ms since the epoch), not '0'"),
        ({"input": [{"topic": "text-lines", "key": 1, "timestamp": 0}]}, "key must be a string or null, not 1"),
        ({"input": [{"topic": "text-lines", "timestamp": 0, "offset": 1}]}, "unknown field 'offset'"),
        ({"input": [{"topic": "text-lines", "timestamp": 0, "headers": {"a": 1}}]}, "headers must be an object of strings"),
        ({"input": [{"advance_wall_clock_ms": -1}]}, "advance_wall_clock_ms must be the only field"),
        ({"topology": "stock-stats", "config": {}, "input": [{"topic": "trades", "value": 5, "timestamp": 0}]}, "input 0: Trade"),
    ],
)
def test_an_error_in_a_case_names_the_case_and_the_input(
    eddyline: Eddyline, tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    outcome = eddyline("replay", write_case(tmp_path, **changes))
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith("error: case '")
    assert "two-lines" in outcome.err
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "case.json': no such file"),
        (b"{", "is not valid JSON"),
        (b"[" * 100_000, "is not valid JSON: it is nested too deeply"),
        (b"\xff", "is not valid JSON"),
    ],
)
def test_a_file_that_is_not_a_case_is_an_error(eddyline: Eddyline, tmp_path: Path, content: bytes | None, message: str) -> None:
    file = tmp_path / "case.json"
    if content is not None:
        file.write_bytes(content)
    outcome = eddyline("replay", file)
    assert outcome.code == 1
    assert message in outcome.err


@pytest.mark.spark
@pytest.mark.xdist_group("spark")
@pytest.mark.slow
def test_cases_give_the_same_results_on_spark_and_in_memory_except_for_the_input_steps(
    eddyline: Eddyline, tmp_path: Path
) -> None:
    other = [{"topic": "text-lines", "key": None, "value": value, "timestamp": 5} for value in ("x y x", "y")]
    cases = [write_case(tmp_path, "one"), write_case(tmp_path, "two", input=other)]
    bad = write_case(tmp_path, "bad", config={"colour": 1})
    assert eddyline("replay", *cases, "--out", tmp_path / "memory").code == 0
    outcome = eddyline("replay", *cases, bad, "--out", tmp_path / "spark", "--engine", "spark")
    assert outcome.code == 1
    assert outcome.err.startswith("error: case 'bad': flow 'word-count' has no setting 'colour'")
    for case in cases:
        expected = json.loads((tmp_path / f"memory/{case.stem}.actual.json").read_text())
        for record in expected["output"]:
            del record["after_input"]
        assert json.loads((tmp_path / f"spark/{case.stem}.actual.json").read_text()) == expected
