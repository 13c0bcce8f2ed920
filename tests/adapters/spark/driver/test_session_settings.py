"""The settings of a session are the user's, or else chosen by the master; spark-submit has the last word."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from eddyline.adapters.spark.driver.java_options import java_options
from eddyline.adapters.spark.driver.session_settings import java_settings, session_settings, submitted_settings

_LOOPBACK = {"spark.driver.bindAddress", "spark.driver.host"}

_PROGRAM = """
import json, logging, sys
logging.basicConfig(stream=sys.stderr, format="logged: %(message)s")
from eddyline.adapters.spark.driver.session import build_session
given = {"spark.master": "local[2]", "spark.driver.memory": "3g", "spark.sql.session.timeZone": "Asia/Tokyo", "spark.x": "given"}
session = build_session("submitted", config=given)
print("settings:" + json.dumps(dict(session.sparkContext.getConf().getAll())))
session.stop()
"""


@pytest.mark.parametrize("master", ["local", "local[*]", "local[4]", "local-cluster[2,1,1024]"])
def test_on_one_machine_spark_listens_on_loopback_only(master: str) -> None:
    found = session_settings({"spark.master": master}, {})
    assert {found[name] for name in _LOOPBACK} == {"127.0.0.1"}
    assert "spark.executor.extraJavaOptions" not in found


def test_processes_authenticate_each_other_where_spark_chooses_the_secret() -> None:
    chosen = {
        master: session_settings({"spark.master": master}, {}).get("spark.authenticate") for master in ("local", "local[*]")
    }
    assert chosen == {"local": "true", "local[*]": "true"}
    assert "spark.authenticate" not in session_settings({"spark.master": "local-cluster[2,1,1024]"}, {})
    assert session_settings({"spark.authenticate": "false"}, {})["spark.authenticate"] == "false"


@pytest.mark.parametrize("master", ["spark://a:7077", "yarn", "k8s://https://a:6443"])
def test_executors_of_a_cluster_reach_the_driver_and_have_its_java_options(master: str) -> None:
    found = session_settings({"spark.master": master}, {})
    assert not _LOOPBACK & found.keys()
    assert "-Xss16m" in found["spark.executor.extraJavaOptions"]
    assert found["spark.python.daemon.module"] == "eddyline.adapters.spark.process.daemon"


def test_a_setting_of_the_user_precedes_that_of_spark_defaults_which_precedes_the_default() -> None:
    found = session_settings({"spark.x": "given"}, {"spark.x": "found", "spark.master": "yarn", "spark.ui.enabled": "true"})
    assert (found["spark.x"], found["spark.master"], found["spark.ui.enabled"]) == ("given", "yarn", "true")
    assert session_settings({}, {})["spark.master"] == "local[*]"


def test_java_starts_with_the_settings_of_the_user() -> None:
    assert java_settings({})["spark.driver.memory"] == "2g"
    assert java_settings({"spark.driver.memory": "8g"})["spark.driver.memory"] == "8g"
    assert "spark.driver.bindAddress" not in java_settings({})


def test_what_spark_submit_and_the_user_agree_on_is_not_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    submitted_settings({"spark.master": "yarn", "spark.x": "1"}, {"spark.master": "yarn"})
    assert caplog.messages == []


@pytest.mark.parametrize(
    ("submitted", "expected"),
    [
        ({"spark.master": "local[1]"}, "/project:/libraries"),
        (
            {"spark.master": "yarn", "spark.yarn.dist.archives": "p.tgz#eddyline_package"},
            "eddyline_package/eddyline/adapters/spark/process/startup:eddyline_package:/project:/libraries",
        ),
        ({"spark.master": "yarn", "spark.executorEnv.PYTHONPATH": "/own"}, "/own"),
    ],
)
def test_processes_that_java_starts_under_spark_submit_find_the_modules_of_the_driver(
    submitted: dict[str, str], expected: str
) -> None:
    assert submitted_settings({}, submitted, "/project:/libraries")["spark.executorEnv.PYTHONPATH"] == expected


@pytest.mark.spark
@pytest.mark.slow
def test_under_spark_submit_its_settings_are_used_and_others_warned_of(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(_PROGRAM)
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    command = [str(submit), "--master", "local[1]", "--driver-java-options", java_options()]
    command += ["--conf", "spark.sql.session.timeZone=Europe/Berlin", str(program)]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    settings = json.loads(done.stdout.partition("settings:")[2].splitlines()[0])
    assert (settings["spark.master"], settings["spark.sql.session.timeZone"]) == ("local[1]", "Europe/Berlin")
    assert settings["spark.x"] == "given"
    assert settings["spark.driver.host"] == "127.0.0.1"
    lines = done.stdout.splitlines()  # spark-submit joins both streams of the program
    warnings = [line.removeprefix("logged: ") for line in lines if line.startswith("logged: ")]
    used = "which is used; remove one of the two"
    assert warnings == [
        f"setting 'spark.master' is 'local[2]', but spark-submit has 'local[1]', {used}",
        (
            "setting 'spark.driver.memory' has no effect, since spark-submit has started Java already; "
            "give it to spark-submit: --conf spark.driver.memory=3g"
        ),
        f"setting 'spark.sql.session.timeZone' is 'Asia/Tokyo', but spark-submit has 'Europe/Berlin', {used}",
    ]
