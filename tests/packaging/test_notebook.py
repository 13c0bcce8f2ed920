"""The example project examples/notebook explores the output of a flow with Eddyline as installed from the wheel."""

import re

import pytest

from tests.packaging.conftest import ROOT, Distributions, Environment, new_environment

pytestmark = [pytest.mark.environments, pytest.mark.slow]

LIBRARIES = ("ipykernel", "mypy", "nbclient", "pandas-stubs", "pytest")


@pytest.fixture(scope="session")
def metering(distributions: Distributions, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    folder = tmp_path_factory.mktemp("metering")
    made = new_environment(folder, ROOT / "examples/notebook", distributions.wheel, "[notebook]", *LIBRARIES)
    made.install_project()
    return made


def test_all_cells_run_and_compute_the_expected_values(metering: Environment) -> None:
    done = metering.python("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_notebook.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"4 passed", done.stdout)


def test_the_tests_of_its_flow_pass(metering: Environment) -> None:
    done = metering.python("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_flow.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"3 passed", done.stdout)


def test_the_strict_type_checker_accepts_it(metering: Environment) -> None:
    done = metering.mypy(".")
    assert done.returncode == 0, done.stdout


def test_the_command_finds_its_flow(metering: Environment) -> None:
    done = metering.eddyline("flows")
    assert done.returncode == 0, done.stderr
    assert "district-loads" in done.stdout
