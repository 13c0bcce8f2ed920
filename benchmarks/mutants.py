"""How many small changes of the domain its tests notice: run `python benchmarks/mutants.py`, or `make mutants`.

mutmut makes the changes, mutants, in a copy of the domain in mutants/ and runs the tests that reach each; pyproject.toml says
which tests. All are tried anew, one at a time. A mutant is killed when a test fails, or when the tests run out of the time that
they are given, ten times what they need and more; it survives when they pass, or when none reaches it. `mutmut show NAME` shows
a survivor.
"""

import contextlib
import resource
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MUTMUT = str(Path(sys.executable).with_name("mutmut"))
MOST_MEMORY = 3 * 1024**3
"""Bytes that a mutant may fill which goes round and round."""

KILLED, OUT_OF_TIME = "killed", "timeout"


def run_mutmut() -> None:
    """Tries every mutant; progress goes to the standard error. Raises CalledProcessError when the tests fail as they are."""
    shutil.rmtree(ROOT / "mutants", ignore_errors=True)
    with contextlib.suppress(ValueError):  # not every system can set this bound
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    subprocess.run([MUTMUT, "run", "--max-children", "1"], cwd=ROOT, stdout=sys.stderr, check=True)  # noqa: S603 - fixed words


def verdicts() -> list[tuple[str, str]]:
    """Each mutant's name and what became of it."""
    command = [MUTMUT, "results", "--all", "true"]
    told = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603 - fixed words
    return [(name.strip(), verdict.strip()) for name, _, verdict in (line.partition(":") for line in told.stdout.splitlines())]


def table(found: Iterable[tuple[str, str]]) -> list[str]:
    """The lines of a table in Markdown: a module a line, then all together."""
    by_module: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for name, verdict in found:
        by_module[name.rpartition(".")[0]][verdict] += 1
    total: Counter[str] = sum(by_module.values(), Counter())
    return [
        "| module | mutants | killed | of these out of time | survived | killed, % |",
        "|---|---|---|---|---|---|",
        *(_row(module, by_module[module]) for module in sorted(by_module)),
        _row("all", total),
    ]


def _row(module: str, counts: Counter[str]) -> str:
    killed = counts[KILLED] + counts[OUT_OF_TIME]
    cells = (module, counts.total(), killed, counts[OUT_OF_TIME], counts.total() - killed, f"{100 * killed / counts.total():.1f}")
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """Prints the table and the names of those that survived."""
    run_mutmut()
    found = verdicts()
    print("\n".join(table(found)))
    print(*(f"{verdict}: {name}" for name, verdict in found if verdict not in {KILLED, OUT_OF_TIME}), sep="\n", file=sys.stderr)


if __name__ == "__main__":
    main()
