"""The names that `make mutants` takes select modules, and each package has tests."""

import subprocess
import sys

import pytest

from tests.mutation.mutants import MIN_SAMPLE, ROOT, TESTS, modules, sample, table


@pytest.mark.parametrize("package", TESTS)
def test_every_package_has_modules_and_tests_that_exist(package: str) -> None:
    assert modules(package, [])
    assert all((ROOT / path).exists() for path in TESTS[package])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("eddyline.adapters.avro.names", ["names"]),
        ("eddyline.adapters.avro.p*", ["paths", "promotion"]),
        ("eddyline.adapters.avro.names.x_is_name__mutmut_1", ["names"]),
        ("eddyline.adapters.avro.name", []),
        ("eddyline.adapters.files", []),
    ],
)
def test_a_name_selects_modules(name: str, expected: list[str]) -> None:
    assert modules("eddyline.adapters.avro", [name]) == [f"eddyline/adapters/avro/{module}.py" for module in expected]


def test_the_name_of_a_package_selects_all_its_modules() -> None:
    assert modules("eddyline.adapters.avro", ["eddyline.adapters.avro"]) == modules("eddyline.adapters.avro", [])


def test_mutants_that_no_test_reaches_have_survived() -> None:
    found = [("p.m.x_f__mutmut_1", "killed"), ("p.m.x_f__mutmut_2", "timeout"), ("p.m.x_g__mutmut_1", "no tests")]
    assert table(found)[-1] == "| all | 3 | 3 | 2 | 1 | 1 | 66.7 |"


def test_the_number_of_all_mutants_is_shown_beside_those_that_were_tried() -> None:
    assert table([("p.m.x_f__mutmut_1", "killed")], {"p.m": 9})[-1] == "| all | 9 | 1 | 1 | 0 | 0 | 100.0 |"


def test_a_sample_has_a_share_of_each_module_and_is_the_same_in_any_order() -> None:
    found = [f"p.{module}.x_f__mutmut_{number}" for module, size in (("m", 400), ("n", 5)) for number in range(size)]
    chosen = sample(found, 0.1)
    assert sorted(sample(reversed(found), 0.1)) == sorted(chosen)
    assert len([name for name in chosen if name.startswith("p.m.")]) == 40
    assert len([name for name in chosen if name.startswith("p.n.")]) == 5
    assert set(chosen) <= set(sample(found, 0.2)), "a greater share adds mutants"
    assert len(sample(found, 0.0)) == MIN_SAMPLE + 5
    assert sorted(sample(found, 1.0)) == sorted(found)


def test_the_tests_run_more_than_once_in_a_process_as_mutmut_runs_them() -> None:
    runs = "import pytest; print([int(pytest.main(['-q', 'tests/domain/text'])) for _ in range(2)])"
    done = subprocess.run([sys.executable, "-c", runs], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[0, 0]"
