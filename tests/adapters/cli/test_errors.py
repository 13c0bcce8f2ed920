import os
import subprocess
import sys
from pathlib import Path

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


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["top", "--server", "notaurl"], "must begin with http:// or https:// and name a host"),
        (
            ["flows", "--flows", ""],
            "error: '' is not the name of a Python module, nor the path of a file or folder; check --flows",
        ),
        (["flows", "--flows", "shop:FLOWS"], "nor the path of a file or folder; leave out ':FLOWS'; check --flows"),
        (["flows", "--flows", "leaves"], "cannot import module 'leaves': SystemExit: 3 (leaves.py, line 1)"),
        (["topology", "word-count", "--config", "folder"], "cannot read settings file 'folder': is a directory; give the path"),
        (
            ["topology", "word-count", "--config", "bytes.toml"],
            "cannot read settings file 'bytes.toml' as TOML: it is not in UTF-8",
        ),
        (
            ["run", "word-count", "--data-dir", "bytes.toml/x"],
            "is below 'bytes.toml', which is a file; give the path of a directory",
        ),
        (["topology", "Word-Count"], "unknown flow 'Word-Count'; did you mean 'word-count'?"),
        (["produce", "a b", "--create-topics"], "'a b' is not a valid topic name; use 1 to 249 letters"),
        (
            ["produce", "lines", "--create-topics", "--partition", "9", "--file", "leaves.py"],
            "'lines' has no partition 9; it has 0 to 3",
        ),
        (["simulate", "stock-stats", "--days", "1", "--topic", "a b"], "'a b' is not a valid topic name"),
    ],
)
def test_a_mistake_is_named_with_its_cure(eddyline: Eddyline, tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "leaves.py").write_text("raise SystemExit(3)\n")
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    (tmp_path / "folder").mkdir()
    outcome = eddyline(*words)
    assert outcome.code in {1, 2}
    assert message in outcome.err
    assert "--traceback" not in outcome.err
    assert "Errno" not in outcome.err


@pytest.mark.parametrize(
    ("script", "code", "text"),
    [
        ("eddyline flows > /dev/full", 1, "error: cannot write to standard output: no space left on device\n"),
        ("eddyline flows --flows nothing 2> /dev/full", 2, ""),
        ("eddyline topology word-count >&-", 0, ""),
        ("eddyline produce lines --create-topics <&-", 0, "created topic 'lines' with 4 partitions\n"),
        ("yes x | head -n 20000 | eddyline produce lines --create-topics | head -n 1; exit ${PIPESTATUS[2]}", 1, "created topic"),
    ],
)
def test_streams_that_are_full_or_closed_end_a_command_without_a_traceback(
    tmp_path: Path, script: str, code: int, text: str
) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ended = subprocess.run(
        ["bash", "-c", script],  # noqa: S607 - any bash will do
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, "Traceback" in ended.stderr) == (code, False), ended.stderr
    assert ended.stderr.startswith(text)


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
