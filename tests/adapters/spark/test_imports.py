"""What the processes of a run on Spark import when they start."""

import subprocess
import sys

import pytest

_PROGRAM = """
import importlib, sys
importlib.import_module(sys.argv[1])
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


@pytest.mark.parametrize("module", ["eddyline.adapters.spark.engine", "eddyline.adapters.spark.process.daemon"])
def test_the_driver_and_the_daemon_of_the_workers_start_without_pandas(module: str) -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM, module], stdout=subprocess.PIPE, text=True, check=True)
    found = set(done.stdout.split())
    assert "pyspark" in found
    assert "pandas" not in found
