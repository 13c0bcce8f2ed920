"""Settings that Spark would refuse are found before Java starts."""

from pathlib import Path

import pytest

from eddyline.adapters.spark.driver.checkpoint_lock import CheckpointError
from eddyline.adapters.spark.driver.java import why_not_started
from eddyline.adapters.spark.settings import SparkSettingError, check_master, is_uri
from tests.adapters.spark.running import Workspace
from tests.adapters.spark.topologies import copied


@pytest.mark.parametrize(
    "master",
    [
        "local",
        "local[1]",
        "local[*]",
        "local[4,2]",
        "local-cluster[2, 1, 1024]",
        "spark://a:7077,b:7077",
        "yarn",
        "k8s://https://a:6443",
    ],
)
def test_the_masters_of_spark_are_accepted(master: str) -> None:
    check_master(master)


@pytest.mark.parametrize(
    "master", ["", "foo", "local[0]", "local[x]", "local[", "localhost", "spark:", "spark://", "YARN", "mesos://a:1"]
)
def test_any_other_master_is_an_error_with_the_setting_and_the_choices(master: str) -> None:
    with pytest.raises(SparkSettingError) as error:
        check_master(master)
    choices = "local, local[N], local[*], spark://HOST:PORT, yarn, k8s://HOST:PORT"
    assert str(error.value) == f"invalid value '{master}' for setting 'spark.master'; choose one of: {choices}"


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("", ""),
        ("WARNING: Using incubator modules: jdk.incubator.vector\n", ""),
        (
            "Invalid maximum heap size: -Xmx2x\nError: Could not create the Java Virtual Machine.\n",
            "Invalid maximum heap size: -Xmx2x",
        ),
        ('WARNING: x\nException in thread "main" a.b.SparkException: no such master\n\tat a.b.C(D.scala:1)\n', "no such master"),
        ("java.lang.IllegalArgumentException: requirement failed: at least one\n", "requirement failed: at least one"),
    ],
)
def test_the_reason_why_java_has_not_started_is_taken_from_its_output(output: str, reason: str) -> None:
    assert why_not_started(output) == reason


@pytest.mark.parametrize(("location", "expected"), [("s3a://b/x", True), ("file:/x", True), ("file:///x", True), ("/x", False)])
def test_a_uri_is_not_a_path(location: str, *, expected: bool) -> None:
    assert is_uri(location) is expected
    assert not is_uri(Path(location))


def test_a_checkpoint_on_a_local_disk_is_refused_for_a_cluster_before_java_starts(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    engine = workspace.engine(copied("lines"), spark_config={"spark.master": "spark://host:7077"})
    with pytest.raises(CheckpointError) as error:
        engine.check()
    assert str(error.value) == (
        f"checkpoint '{tmp_path}/checkpoint' is on a disk of this machine, which the executors of master 'spark://host:7077' "
        "do not have; set checkpoint.dir to a URI that they can reach, such as hdfs://…, s3a://… or abfss://…; if all machines "
        f"share this disk, to 'file://{tmp_path}'"
    )
