import pytest

from eddyline.adapters.cli.errors import guarded
from tests.adapters.cli.conftest import Eddyline


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["nope"], 2, "error: No such command 'nope'; see `eddyline --help`"),
        (["topology"], 2, "error: Missing argument 'FLOW'; see `eddyline topology --help`"),
        (["topology", "word-count", "--colour"], 2, "error: No such option: --colour; see `eddyline topology --help`"),
        (["topology", "word-cuont"], 2, "error: flow 'word-cuont' is unknown; nearest: word-count (`eddyline flows` lists all)"),
        (["topology", "word-count", "--set", "x"], 2, "error: --set 'x' is not of the form NAME=VALUE"),
        (
            ["topology", "stock-stats", "--set", "sise_ms=1"],
            2,
            "error: unknown setting 'sise_ms' (from the command line); did you mean 'size_ms'?",
        ),
        (
            ["topology", "stock-stats", "--set", "size_ms=0"],
            1,
            "error: the size of a hopping window must be at least 1 ms, but is 0 ms",
        ),
        (
            ["flows", "--flows", "no.such"],
            2,
            "error: module 'no.such' was not found in the working folder or among the installed packages; check --flows",
        ),
        (
            ["flows", "--flows", "json"],
            2,
            "error: module 'json' has no FLOWS; define FLOWS = (Flow(…), …) in it, with Flow from eddyline",
        ),
    ],
)
def test_an_error_is_one_line_on_standard_error_and_a_code(eddyline: Eddyline, words: list[str], code: int, message: str) -> None:
    assert eddyline(*words) == (code, "", f"{message}\n")


@pytest.mark.parametrize("words", [[], ["simulate"], ["services"], ["--help"]])
def test_a_group_of_commands_alone_shows_its_help(eddyline: Eddyline, words: list[str]) -> None:
    outcome = eddyline(*words)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("Usage: eddyline")


def _break() -> None:
    raise KeyError("a\nb")


def test_an_error_nobody_expected_tells_its_kind_and_how_to_see_more(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(_break) == 1
    line = _break.__code__.co_firstlineno + 1
    assert capsys.readouterr().err == f"error: KeyError: 'a\\nb' (test_errors.py, line {line}) (--traceback shows where)\n"


def test_with_traceback_an_error_goes_on_to_the_interpreter() -> None:
    with pytest.raises(KeyError):
        guarded(_break, traceback=True)
