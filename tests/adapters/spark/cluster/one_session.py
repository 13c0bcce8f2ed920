"""Commands that one process runs one after the other, in one session of Spark.

The process runs this file, without the packages of the tests, which executors do not have. The words of a command are a line of
JSON on its standard input; the answer on standard output is the exit code.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from eddyline.adapters.cli.main import run
from eddyline.adapters.services import guard

_ROOT: Final = Path(__file__).parents[4]


class OneSession:
    """The process, in a directory that has its settings; what commands print is in `commands.log`."""

    def __init__(self, directory: Path) -> None:
        self._log = directory / "commands.log"
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYSPARK")}
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", guard.__file__, str(os.getpid()), sys.executable, __file__],
                cwd=directory,
                env={**environment, "PYTHONPATH": str(_ROOT), "PYTHONSAFEPATH": "1"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )

    def run(self, *words: str, code: int = 0) -> str:
        """Run a command, make sure that it ends with this exit code, and return what it has printed."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        before = self._log.stat().st_size
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        found = self._process.stdout.readline().strip()
        printed = self._log.read_bytes()[before:].decode()
        assert found == str(code), printed
        return printed

    def kill(self) -> None:
        """Kill the process; its Java process ends when it notices."""
        self._process.kill()
        self._process.communicate()


def main() -> None:
    """Run commands until standard input ends."""
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)
        for line in sys.stdin:
            answers.write(f"{run(json.loads(line))}\n")
            answers.flush()


if __name__ == "__main__":
    main()
