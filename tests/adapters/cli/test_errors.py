import pytest

from eddyline.adapters.cli.errors import guarded
from tests.adapters.cli.conftest import Eddyline


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["nope"], 2, "error: no such command 'nope'; run 'eddyline --help' for usage"),
        (["topology"], 2, "error: missing argument 'FLOW'; run 'eddyline topology show --help' for usage"),
        (
            ["topology", "word-count", "--colour"],
            2,
            "error: no such option: --colour; run 'eddyline topology show --help' for usage",
        ),
        (["topolgy"], 2, "error: no such command 'topolgy'; did you mean 'topology'? Run 'eddyline --help' for usage"),
        (
            ["demo", "--engine", "flink"],
            2,
            (
                "error: invalid value 'flink' for '--engine': choose one of: 'spark', 'local', 'memory'; "
                "run 'eddyline demo --help' for usage"
            ),
        ),
        (
            ["flows", "--flow", "x"],
            2,
            "error: no such option: --flow; did you mean --flows? Run 'eddyline flows --help' for usage",
        ),
        (
            ["demo", "--days", "0"],
            2,
            "error: invalid value '0' for '--days': must be greater than or equal to 1; run 'eddyline demo --help' for usage",
        ),
        (
            ["topology", "word-cuont"],
            2,
            "error: unknown flow 'word-cuont'; did you mean 'word-count'? Run 'eddyline flows' to list them",
        ),
        (
            ["topology", "word-count", "--set", "x"],
            2,
            "error: invalid --set 'x'; write it as NAME=VALUE, for example --set num.partitions=8",
        ),
        (
            ["topology", "stock-stats", "--set", "sise_ms=1"],
            2,
            "error: unknown setting 'sise_ms' (from the command line); did you mean 'size_ms'?",
        ),
        (
            ["topology", "stock-stats", "--set", "size_ms=0"],
            1,
            "error: the size of a hopping window must be 1 ms or more, but is 0 ms",
        ),
        (
            ["flows", "--flows", "no.such"],
            2,
            "error: module 'no.such' not found in the working directory or among the installed packages; check --flows",
        ),
        (
            ["flows", "--flows", "json"],
            2,
            "error: module 'json' does not define a tuple FLOWS; add FLOWS = (Flow(…), …), with Flow imported from eddyline",
        ),
    ],
)
def test_an_error_is_one_line_on_standard_error_and_a_code(eddyline: Eddyline, words: list[str], code: int, message: str) -> None:
    assert eddyline(*words) == (code, "", f"{message}\n")


@pytest.mark.parametrize("words", [[], ["simulate"], ["services"], ["--help"]])
def test_a_group_without_a_command_shows_its_help(eddyline: Eddyline, words: list[str]) -> None:
    outcome = eddyline(*words)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("Usage: eddyline")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["produce", "trades", "--log", "kafka", "--set", "max.request.size=1"],
            "error: Kafka setting 'max.request.size' exists for Java clients only; use message.max.bytes",
        ),
        (
            ["run", "word-count", "--set", "default.value.codec=avro"],
            "error: setting 'schema.registry.url' is missing; set it to the URL of the registry's API, as in http://localhost:8081",
        ),
    ],
)
def test_a_setting_that_an_adapter_refuses_is_a_usage_error(eddyline: Eddyline, words: list[str], message: str) -> None:
    assert eddyline(*words) == (2, "", f"{message}\n")


def _break() -> None:
    raise KeyError("a\nb")


def test_an_unexpected_error_is_shown_with_its_type_and_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(_break) == 1
    line = _break.__code__.co_firstlineno + 1
    shown = f"error: KeyError: 'a\\nb' (test_errors.py, line {line}); run 'eddyline --traceback …' for the traceback\n"
    assert capsys.readouterr().err == shown


def test_a_traceback_precedes_the_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(_break, traceback=True) == 1
    lines = capsys.readouterr().err.splitlines()
    assert (lines[0], lines[-1][:14]) == ("Traceback (most recent call last):", "error: KeyErro")
