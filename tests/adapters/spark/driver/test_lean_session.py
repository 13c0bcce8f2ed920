"""What a session of the engine leaves out, and when it is an ordinary one."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from eddyline.adapters.spark.driver.session import create_java_session, skip_discovery


def context(settings: dict[str, str] | None = None, *, providers: tuple[str, ...] = ()) -> Any:
    """A context in which only the class loader can be used: any other access fails."""
    urls = iter(providers)
    left = list(providers)

    def next_element() -> str:
        left.pop()
        return next(urls)

    resources = SimpleNamespace(hasMoreElements=lambda: bool(left), nextElement=lambda: SimpleNamespace(toString=next_element))
    thread = SimpleNamespace(getContextClassLoader=lambda: SimpleNamespace(getResources=lambda _name: resources))
    java = SimpleNamespace(Thread=SimpleNamespace(currentThread=lambda: thread))
    conf = SparkConf(loadDefaults=False, _jconf=None)
    for item in (settings or {}).items():
        conf.set(*item)
    return SimpleNamespace(getConf=lambda: conf, _gateway=SimpleNamespace(jvm=java), _jvm=java)


def test_spark_knows_that_no_data_sources_are_installed(spark: SparkSession) -> None:
    java: Any = spark._jvm  # noqa: SLF001 - the only way to Spark's objects
    manager = getattr(getattr(java.org.apache.spark.sql.execution.datasources, "DataSourceManager$"), "MODULE$")
    assert manager.dataSourceBuilders().get().isEmpty()


_PROGRAM = """
from eddyline.adapters.spark.driver.session import build_session
for only_flows in (True, False):
    session = build_session("lean", master="local[1]", only_flows=only_flows)
    java = session._jvm
    registry = getattr(getattr(java.org.apache.spark.sql.catalyst.analysis, "FunctionRegistry$"), "MODULE$").internal()
    found = registry.functionExists(java.org.apache.spark.sql.catalyst.FunctionIdentifier("vector_to_array"))
    print("functions:", found, session.range(3).selectExpr("sum(id)").collect()[0][0], flush=True)
    session.stop()
"""


@pytest.mark.spark
@pytest.mark.slow
def test_only_a_session_for_flows_is_without_the_functions_of_mllib() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    assert [line for line in done.stdout.splitlines() if line.startswith("functions:")] == [
        "functions: False 3",
        "functions: True 3",
    ]


@pytest.mark.parametrize(
    ("settings", "providers"),
    [
        ({"spark.sql.extensions": "a.B"}, ("jar:file:/spark-mllib_2.13-4.3.0.jar!/x",)),
        ({}, ("jar:file:/other.jar!/x",)),
        ({}, ("jar:file:/spark-mllib_2.13-4.3.0.jar!/x", "jar:file:/other.jar!/x")),
        ({}, ()),
    ],
)
def test_a_session_with_other_extensions_is_created_by_spark(settings: dict[str, str], providers: tuple[str, ...]) -> None:
    create_java_session(cast("SparkContext", context(settings, providers=providers)))


def test_spark_looks_for_data_sources_if_a_package_may_have_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyspark_of_a_user.py").write_text("")
    with pytest.raises(AttributeError):
        skip_discovery(context())
    monkeypatch.syspath_prepend(tmp_path)
    skip_discovery(context())
