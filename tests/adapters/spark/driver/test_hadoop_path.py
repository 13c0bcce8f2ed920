"""Files of Hadoop's file systems are created once and replaced whole, so that a lease is never missing while it is renewed."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from eddyline.adapters.spark.driver.hadoop_path import Hadoop, HadoopPath
from tests.fixtures.spark import MOUNTED

if TYPE_CHECKING:
    from tests.fixtures.s3 import S3


@pytest.fixture
def on_disk(spark: SparkSession, tmp_path: Path) -> HadoopPath:
    del spark
    return HadoopPath(Hadoop(lambda: SparkContext._gateway, {}), f"file://{tmp_path}")  # noqa: SLF001 - the only way to Java


@pytest.fixture
def mounted(spark: SparkSession, tmp_path: Path) -> HadoopPath:
    del spark
    return HadoopPath(Hadoop(lambda: SparkContext._gateway, MOUNTED), f"viewfs://tests/disk{tmp_path}")  # noqa: SLF001 - likewise


@pytest.fixture
def in_s3(s3: "S3") -> Iterator[HadoopPath]:
    settings = s3.settings()
    settings["spark.driver.extraClassPath"] = settings.pop("spark.jars").replace(",", ":")
    java: Any = launch_gateway(SparkConf(loadDefaults=False).setAll(list(settings.items())))  # type: ignore[no-untyped-call]
    yield HadoopPath(Hadoop(lambda: java, settings), "s3a://state")
    java.shutdown()
    java.proc.kill()
    java.proc.wait()


FILE_SYSTEMS = [
    pytest.param("on_disk", marks=pytest.mark.spark),
    pytest.param("mounted", marks=pytest.mark.spark),
    pytest.param("in_s3", marks=[pytest.mark.spark, pytest.mark.slow]),
]


@pytest.fixture
def folder(request: pytest.FixtureRequest) -> HadoopPath:
    root: HadoopPath = request.getfixturevalue(request.param)
    return root / "new"


@pytest.mark.parametrize("folder", FILE_SYSTEMS, indirect=True)
def test_files_are_created_once_and_replaced_whole(folder: HadoopPath) -> None:
    file = folder / "file"
    assert (file.exists(), list(folder.glob("*"))) == (False, [])
    with pytest.raises(FileNotFoundError):
        file.read_text()
    folder.mkdir()
    assert [file.create_text(text) for text in ("one", "two")] == [True, False]
    assert file.read_text() == "one"
    for text in ("three", "vier €"):
        file.write_text(text)
    assert file.read_text() == "vier €"
    assert list(folder.glob("*")) == [file]
    if folder.local_path is not None:
        assert [path.name for path in folder.local_path.iterdir()] == ["file"], "no checksums that could differ from the files"
    assert (file.name, file.parent, file.scheme) == ("file", folder, str(folder).partition(":")[0])
    file.remove()
    assert not file.exists()


@pytest.mark.parametrize("folder", [FILE_SYSTEMS[0], FILE_SYSTEMS[2]], indirect=True)
def test_a_file_is_never_missing_while_it_is_replaced(folder: HadoopPath) -> None:
    file = folder / "1"
    file.write_text("0")
    ended = threading.Event()

    def replace() -> None:
        for number in range(1, 26):
            file.write_text(str(number))
            time.sleep(0.1)  # a renewal every ten seconds is the fastest that a run has
        ended.set()

    thread = threading.Thread(target=replace)
    thread.start()
    seen = [0]
    while not ended.is_set():
        assert file in list(folder.glob("*"))
        seen.append(int(file.read_text()))
    thread.join()
    assert seen == sorted(seen)
    assert file.read_text() == "25"
