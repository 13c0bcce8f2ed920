"""Settings that Spark would refuse are found before Java starts."""

import pytest

from eddyline.adapters.spark.driver.java import why_not_started
from eddyline.adapters.spark.settings import SparkSettingError, check_master


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
