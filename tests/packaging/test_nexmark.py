"""The example project examples/nexmark runs as its README says, with Eddyline as installed from the wheel."""

import re

import pytest

from tests.packaging.conftest import ROOT, Distributions, Environment, new_environment

pytestmark = [pytest.mark.environments, pytest.mark.slow]


@pytest.fixture(scope="session")
def nexmark(distributions: Distributions, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    folder = tmp_path_factory.mktemp("nexmark")
    made = new_environment(folder, ROOT / "examples/nexmark", distributions.wheel, "", "mypy", "pytest")
    made.install_project()
    return made


def test_its_tests_pass(nexmark: Environment) -> None:
    done = nexmark.python("-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\d+ passed", done.stdout)


def test_the_strict_type_checker_accepts_it(nexmark: Environment) -> None:
    done = nexmark.mypy(".")
    assert done.returncode == 0, done.stdout


def test_its_flows_run_over_generated_events(nexmark: Environment) -> None:
    written = nexmark.python("-m", "nexmark.generator", "--events", "500", "data")
    assert written.stdout == "500 events written to data\n", written.stderr
    done = nexmark.eddyline("run", "nexmark-q5", "--engine", "memory", "--available-now")
    assert done.returncode == 0, done.stderr
    lines = [line for file in (nexmark.project / "data/topics/q5").glob("*.jsonl") for line in file.read_text().splitlines()]
    assert '"starttime"' in lines[0]
