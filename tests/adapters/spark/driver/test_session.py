"""A session that is started while the process does something else."""

import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = """
import sys, threading
from pathlib import Path
from pyspark import SparkContext
from eddyline.adapters.spark.driver import session as sessions
from eddyline.adapters.spark.failures import EngineError

def refuse(*_arguments, **_settings):
    raise EngineError("started again")

how, *settings = sys.argv[2:]
config = dict(setting.split("=", 1) for setting in settings)
sessions.start_in_background("ahead", config=config, log_file=Path(sys.argv[1]))
thread, = (one for one in threading.enumerate() if one.name == "start-session")
if how == "afterwards":
    thread.join()
    print("started:", SparkContext._active_spark_context is not None, flush=True)
    sessions.start_java = refuse
try:
    session = sessions.build_session("late", config=config, log_file=Path(sys.argv[1]), with_workers=True, only_flows=True)
except EngineError as error:
    print("error:", error)
else:
    print("sum:", session.range(3).selectExpr("sum(id)").collect()[0][0])
    session.stop()
"""

_ACCESS = r"""
import socket
from pathlib import Path
from eddyline.adapters.spark.driver.session import build_session

SECRET = "pass" + "=word #1\\n\u00e9 "
session = build_session("access", config={"spark.master": "local[1]", "spark.hadoop.fs.s3a.secret.key": SECRET})
context = session.sparkContext
commands = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline")] if Path("/proc").is_dir() else []
print("in a command line:", any(b"pass" + b"=word" in command for command in commands))
print("the setting of Spark:", context.getConf().get("spark.hadoop.fs.s3a.secret.key") == SECRET)
print("authenticates:", context.getConf().get("spark.authenticate"))

batches = []
query = session.readStream.format("rate").load().writeStream.foreachBatch(lambda _rows, number: batches.append(number)).start()
while not batches:
    query.awaitTermination(0.1)
with socket.create_connection(("127.0.0.1", context._gateway._callback_server.port)) as stranger:
    stranger.sendall(b"c\nt\nshutdown\ne\n")
    try:
        answer = stranger.recv(100)
    except ConnectionResetError:
        answer = b""
print("an answer to a stranger:", answer)
before = len(batches)
while query.isActive and len(batches) < before + 2:
    query.awaitTermination(0.1)
print("the query goes on:", query.isActive)
session.stop()
"""


@pytest.mark.spark
def test_secrets_of_a_session_are_in_no_command_line_and_it_answers_to_no_stranger() -> None:
    run = subprocess.run([sys.executable, "-c", _ACCESS], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == [
        "in a command line: False",
        "the setting of Spark: True",
        "authenticates: true",
        "an answer to a stranger: b''",
        "the query goes on: True",
    ]


def _printed(log_file: Path, how: str, *settings: str) -> list[str]:
    command = [sys.executable, "-c", _PROGRAM, str(log_file), how, "spark.master=local[1]", *settings]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.spark
@pytest.mark.slow
def test_a_session_is_started_in_the_background(tmp_path: Path) -> None:
    log_file = tmp_path / "checkpoint" / "spark.log"
    assert _printed(log_file, "afterwards") == ["started: True", "sum: 3"]
    assert log_file.stat().st_mode & 0o777 == 0o600


@pytest.mark.spark
@pytest.mark.slow
def test_who_needs_the_session_waits_for_the_thread_that_starts_it(tmp_path: Path) -> None:
    assert _printed(tmp_path / "spark.log", "meanwhile") == ["sum: 3"]


@pytest.mark.spark
def test_what_prevents_a_session_is_reported_to_who_needs_it(tmp_path: Path) -> None:
    (error,) = _printed(tmp_path / "spark.log", "meanwhile", "spark.driver.memory=much")
    assert error.startswith("error: Spark could not be started: ")
