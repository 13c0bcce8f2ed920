"""The setting of an exception handler takes precedence over the flow's."""

from pathlib import Path

import pytest

from tests.adapters.cli.conftest import Eddyline
from tests.adapters.cli.test_run_command import write_lines, written

FLOWS = """
from eddyline import Flow

def lengths(builder):
    builder.stream("text-lines", key=str, value=str).map_values(lambda line: 1 / len(line.strip()), name="lengths").to("lengths")

FLOWS = (
    Flow("strict", "Fails.", lengths),
    Flow("lenient", "Goes on.", lengths, processing_exception_handler="continue"),
    Flow("chosen", "Asks.", lengths, processing_exception_handler=lambda context, error: "dead-letter"),
)
"""
LINES = [{"timestamp": number, "key": "k", "value": value} for number, value in enumerate(("ab", " ", "abcd"))]


@pytest.mark.parametrize(
    ("flow", "options", "letters"),
    [
        ("strict", ["--set", "processing.exception.handler=continue"], 0),
        ("strict", ["--set", "processing.exception.handler=dead-letter"], 1),
        ("lenient", [], 0),
        ("lenient", ["--set", "processing.exception.handler=dead-letter"], 1),
        ("chosen", [], 1),
        ("chosen", ["--set", "processing.exception.handler=continue"], 0),
    ],
)
def test_a_run_goes_on_if_the_setting_or_else_the_flow_says_so(
    eddyline: Eddyline, tmp_path: Path, flow: str, options: list[str], letters: int
) -> None:
    (tmp_path / "shop.py").write_text(FLOWS)
    write_lines(tmp_path / "data", *LINES)
    outcome = eddyline("run", flow, "--flows", "shop", "--engine", "memory", "--available-now", *options)
    assert outcome.code == 0, outcome.err
    assert [record["value"] for record in written(tmp_path / "data", "lengths")] == [0.5, 0.25]
    assert "dropped by 'lengths' (processing-error): 1" in outcome.err
    assert len(written(tmp_path / "data", f"{flow}-dead-letters")) == letters


@pytest.mark.parametrize("flow", ["strict", "lenient"])
def test_a_run_that_fails_names_operator_record_and_setting_in_one_line(eddyline: Eddyline, tmp_path: Path, flow: str) -> None:
    (tmp_path / "shop.py").write_text(FLOWS)
    write_lines(tmp_path / "data", *LINES)
    handler = ["--set", "processing.exception.handler=fail"]
    outcome = eddyline("run", flow, "--flows", "shop", "--engine", "memory", "--available-now", *handler)
    assert outcome.code == 1
    (line,) = outcome.err.strip().splitlines()[-1:]
    assert line.startswith("error: ZeroDivisionError: ")
    assert "operator 'lengths' of task 0_0, record text-lines-0@1, key 'k', event time 1970-01-01T00:00:00.001Z" in line
    assert "set processing.exception.handler to 'continue' or 'dead-letter'" in line


def test_a_response_that_does_not_exist_is_an_error_with_the_choices(eddyline: Eddyline, tmp_path: Path) -> None:
    (tmp_path / "wrong_handler.py").write_text(FLOWS.replace('"continue"', '"skip"'))
    outcome = eddyline("run", "lenient", "--flows", "wrong_handler", "--engine", "memory", "--available-now")
    assert outcome.code != 0
    assert (
        "processing.exception.handler of flow 'lenient' is 'skip'; choose one of: 'fail', 'continue', 'dead-letter'"
        in outcome.err
    )
