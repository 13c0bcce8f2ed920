"""Mutation tests of the domain: run `make mutants`, or `python benchmarks/mutants.py [NAME]...`.

mutmut makes small changes, mutants, in a copy of the domain in mutants/ and runs the tests that reach each of them;
pyproject.toml selects the tests. A mutant is killed when a test fails or exceeds its time limit; it survives when all tests
pass or no test reaches it. `mutmut show NAME` shows a survivor. A NAME such as `eddyline.domain.text*` limits the run to these
mutants.

The simulators of the samples are not mutated: they hold no business rules, and checksums pin their output.
"""

import contextlib
import resource
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MUTMUT = str(Path(sys.executable).with_name("mutmut"))
MAX_MEMORY = 3 * 1024**3
"""Maximum memory in bytes of a mutant that allocates in an endless loop."""

KILLED, TIMEOUT, NOT_CHECKED = "killed", "timeout", "not checked"


def run_mutmut(names: Sequence[str]) -> None:
    """Try all mutants, or those of these names, one at a time, with progress on standard error.

    Raises:
        subprocess.CalledProcessError: A test fails without any mutant.
    """
    shutil.rmtree(ROOT / "mutants", ignore_errors=True)
    with contextlib.suppress(ValueError):  # not every system can set this limit
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    command = [MUTMUT, "run", "--max-children", "1", *names]
    subprocess.run(command, cwd=ROOT, stdout=sys.stderr, check=True)  # noqa: S603 - the user's own arguments


def verdicts() -> list[tuple[str, str]]:
    """Return the name and the verdict of each mutant that was tried."""
    command = [MUTMUT, "results", "--all", "true"]
    results = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout  # noqa: S603 - constant arguments
    found = [(name.strip(), verdict.strip()) for name, _, verdict in (line.partition(":") for line in results.splitlines())]
    return [(name, verdict) for name, verdict in found if verdict != NOT_CHECKED]


def table(found: Iterable[tuple[str, str]]) -> list[str]:
    """Return the lines of a Markdown table with a row for each module and one for all."""
    by_module: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for name, verdict in found:
        by_module[name.rpartition(".")[0]][verdict] += 1
    total: Counter[str] = sum(by_module.values(), Counter())
    return [
        "| module | mutants | killed | of these by timeout | survived | killed, % |",
        "|---|---|---|---|---|---|",
        *(_row(module, by_module[module]) for module in sorted(by_module)),
        _row("all", total),
    ]


def _row(module: str, counts: Counter[str]) -> str:
    killed = counts[KILLED] + counts[TIMEOUT]
    percentage = 100 * killed / (counts.total() or 1)
    cells = (module, counts.total(), killed, counts[TIMEOUT], counts.total() - killed, f"{percentage:.1f}")
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """Print the table on standard output and the survivors on standard error."""
    run_mutmut(sys.argv[1:])
    found = verdicts()
    print("\n".join(table(found)))
    print(*(f"{verdict}: {name}" for name, verdict in found if verdict not in {KILLED, TIMEOUT}), sep="\n", file=sys.stderr)


if __name__ == "__main__":
    main()
