"""What is no regular file is refused wherever a command takes a file: a pipe would be waited for, a device be read for ever."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.records import reading
from eddyline.adapters.settings import Settings, SettingsError
from tests.adapters.cli.conftest import Eddyline

COMMANDS = {
    "file.toml": (["up", "file.toml"], ["flows"], ["topology", "word-count", "--config", "file.toml"]),
    "file.json": (
        ["replay", "file.json"],
        ["topology", "diff", "file.json", "word-count"],
        ["produce", "words", "--create-topics", "--value-schema", "file.json", "--value-codec", "avro", "--file", os.devnull],
    ),
    "state": (["state", "import", "word-count", "state", "--engine", "local"],),
}


def _write_zeros(path: Path, size: int) -> None:
    path.touch()
    os.truncate(path, size)


MAKE: dict[str, Callable[[Path], None]] = {
    "no regular file": os.mkfifo,
    "no regular file (a device)": lambda path: path.symlink_to("/dev/zero"),
    "larger than 64 million bytes": lambda path: _write_zeros(path, 64_000_001),
}


@pytest.mark.parametrize("refused", MAKE)
@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_waits_for_a_file(
    eddyline: Eddyline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, refused: str
) -> None:
    if name == "state" and "larger" in refused:
        pytest.skip("exported state can be large")
    MAKE[refused](tmp_path / name)
    for command in COMMANDS[name]:
        if command == ["flows"]:
            monkeypatch.setenv("EDDYLINE_CONFIG", name)
        registry = ["--schema-registry", "http://127.0.0.1:1"] if "--value-schema" in command else []
        outcome = eddyline(*command, *registry)
        monkeypatch.delenv("EDDYLINE_CONFIG", raising=False)
        assert (outcome.code in {1, 2}, outcome.err.count("\n")) == (True, 1), outcome.err
        assert name in outcome.err
        assert refused.partition(" (")[0] in outcome.err


@pytest.mark.parametrize(
    "setting",
    [
        "package",
        "rocksdb.dir",
        "smtp.ca.file",
        "server.tls.cert.file",
        "server.tls.key.file",
        "server.tls.ca.file",
        "ssl.ca.location",
        "consumer.ssl.key.location",
        "schema.registry.ssl.ca.location",
    ],
)
def test_a_setting_that_names_a_pipe_is_refused(tmp_path: Path, setting: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SettingsError, match=f"pipe' for setting '{setting}' .*is (no regular|a) file"):
        Settings.load({setting: str(tmp_path / "pipe")})


def test_lines_without_end_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_LONGEST_LINE", 1_000)
    with pytest.raises(UsageError, match="a line has more than 256 million characters"):
        next(reading.read_lines(Path("/dev/zero")))
