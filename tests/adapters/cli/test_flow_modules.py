"""A user's flows are found by module, by path, and by the setting `flows`."""

from pathlib import Path

import pytest

from tests.adapters.cli.conftest import Eddyline

FLOWS = """
from eddyline import Flow

def define(builder):
    builder.stream("{name}-in", key=str, value=str).to("{name}-out")

FLOWS = (Flow("{name}", "Forwards records.", define),)
"""


def write(path: Path, name: str, *packages: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(FLOWS.format(name=name))
    for package in packages:
        (path.parent / package).write_text("")


@pytest.mark.parametrize(
    ("file", "given"),
    [
        ("by_file_one.py", "by_file_one.py"),
        ("by_file_two.py", "./by_file_two.py"),
        ("by_package/__init__.py", "./by_package"),
        ("by_folder/flows.py", "./by_folder/"),
        ("src/by_nested.py", "src/by_nested.py"),
    ],
)
def test_flows_are_imported_from_a_path(eddyline: Eddyline, tmp_path: Path, file: str, given: str) -> None:
    write(tmp_path / file, "mine")
    outcome = eddyline("topology", "mine", "--flows", given)
    assert outcome.code == 0, outcome.err
    assert "mine-in" in outcome.out


def test_a_file_in_a_package_is_imported_with_its_package(eddyline: Eddyline, tmp_path: Path) -> None:
    write(tmp_path / "src/in_package/streams.py", "mine", "__init__.py")
    (tmp_path / "src/in_package/names.py").write_text("")
    with (tmp_path / "src/in_package/streams.py").open("a") as file:
        file.write("from in_package import names\n")
    assert eddyline("topology", "mine", "--flows", "src/in_package/streams.py").code == 0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("./nothing", "'./nothing' is neither a Python file nor a folder; check --flows"),
        ("./not-python.py", "'./not-python.py' cannot be imported: 'not-python' is not the name of a Python module; rename it"),
    ],
)
def test_a_path_without_flows_is_an_error(eddyline: Eddyline, tmp_path: Path, given: str, message: str) -> None:
    write(tmp_path / "not-python.py", "mine")
    outcome = eddyline("flows", "--flows", given)
    assert (outcome.code, outcome.err) == (2, f"error: {message}\n")


@pytest.mark.parametrize("line", ['flows = "{}"', 'flows = ["{}"]'])
def test_the_settings_file_names_flows(eddyline: Eddyline, tmp_path: Path, line: str) -> None:
    name = f"configured_{len(line)}"
    write(tmp_path / f"{name}.py", "mine")
    (tmp_path / "eddyline.toml").write_text(f'{line.format(name)}\n"num.partitions" = 2\n')
    assert "mine-in" in eddyline("topology", "mine").out
    assert "mine-in" in eddyline("flows").out


def test_the_environment_names_flows(eddyline: Eddyline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "by_environment.py", "mine")
    monkeypatch.setenv("EDDYLINE_FLOWS", "./by_environment.py")
    assert "mine-in" in eddyline("topology", "mine").out


def test_settings_of_flows_are_still_a_table(eddyline: Eddyline, tmp_path: Path) -> None:
    (tmp_path / "eddyline.toml").write_text("[flows.stock-stats]\nsize_ms = 5000\n")
    outcome = eddyline("topology", "stock-stats")
    assert outcome.code == 0, outcome.err


@pytest.mark.parametrize("option", ["--data-dir", "--state-dir"])
def test_a_directory_that_is_a_file_is_an_error(eddyline: Eddyline, tmp_path: Path, option: str) -> None:
    (tmp_path / "file").write_text("")
    outcome = eddyline("run", "word-count", "--engine", "memory", option, "file")
    setting = option.removeprefix("--").replace("-", ".")
    assert outcome.code == 2
    assert outcome.err == (
        f"error: invalid value 'file' for setting '{setting}' (from the command line): is a file; give the path of a directory\n"
    )
