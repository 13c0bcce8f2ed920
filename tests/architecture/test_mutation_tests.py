"""The names that `make mutants` takes select modules, and each package has tests."""

import pytest

from benchmarks.mutants import ROOT, TESTS, modules, table


@pytest.mark.parametrize("package", TESTS)
def test_every_package_has_modules_and_tests_that_exist(package: str) -> None:
    assert modules(package, [])
    assert all((ROOT / path).exists() for path in TESTS[package])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("eddyline.adapters.avro.names", ["names"]),
        ("eddyline.adapters.avro.p*", ["paths", "promotion"]),
        ("eddyline.adapters.avro.names.x_camel_case__mutmut_1", ["names"]),
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
    assert table(found)[-1] == "| all | 3 | 2 | 1 | 1 | 66.7 |"
