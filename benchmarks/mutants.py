"""Mutation tests: run `make mutants`, or `python benchmarks/mutants.py [NAME]...`.

mutmut makes small changes, mutants, in a copy of the code and runs the tests that reach each of them; `TESTS` has the tests of
each package. A mutant is killed when a test fails or exceeds its time limit; it survives when all tests pass or no test reaches
it. A NAME such as `eddyline.domain.text*` or `eddyline.application.operators.suppress` limits the run to these modules or
mutants. Packages are tried one after the other, each in mutants/PACKAGE; `mutmut show NAME` in that folder shows a survivor.

The tests of a package need neither Spark nor services. Where mutmut says "no tests", none of those tests reaches the function.
The simulators of the samples are not mutated: they hold no business rules, and checksums pin their output.
"""

import contextlib
import json
import resource
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MUTMUT = str(Path(sys.executable).with_name("mutmut"))
MAX_MEMORY = 3 * 1024**3
"""Maximum memory in bytes of a mutant that allocates in an endless loop."""

TESTS = {
    "eddyline.domain": ["tests/domain"],
    "eddyline.application.operators": [
        "tests/operators",
        "tests/models",
        "tests/conformance/test_memory_engine.py",
        "tests/runtime/test_update_cache.py",
    ],
    "eddyline.application.queries": ["tests/queries"],
    "eddyline.application.runtime": ["tests/runtime", "tests/operators", "tests/adapters/memory"],
    "eddyline.application.operations": ["tests/operations"],
    "eddyline.application.topology": ["tests/topology", "tests/operators"],
    "eddyline.application.flows": ["tests/flows"],
    "eddyline.adapters.files": ["tests/adapters/files", "tests/ports"],
    "eddyline.adapters.avro": ["tests/adapters/avro", "tests/ports/test_codec.py"],
    "eddyline.adapters.memory": ["tests/adapters/memory", "tests/ports", "tests/runtime", "tests/operators"],
    "eddyline.adapters.spark.exchange": ["tests/adapters/spark/exchange", "tests/adapters/spark/worker"],
    "eddyline.adapters.spark.state": ["tests/adapters/spark/state", "tests/adapters/spark/worker"],
    "eddyline.adapters.spark.worker": ["tests/adapters/spark/worker"],
}
"""The tests of each package, fast ones only."""

KILLED, TIMEOUT, NOT_CHECKED = "killed", "timeout", "not checked"
_CODE = [*(f"eddyline/{layer}" for layer in ("domain", "application", "adapters")), "eddyline/__init__.py", "eddyline/testing.py"]
_LINKED = ("eddyline", "tests")


def modules(package: str, names: Sequence[str]) -> list[str]:
    """Return the paths of the modules of a package that one of these names selects; all if there is no name."""
    folder = ROOT / package.removeprefix("eddyline.").replace(".", "/")
    found = sorted(path.relative_to(ROOT).with_suffix("") for path in folder.rglob("*.py"))
    named = {f"eddyline/{path}.py": f"eddyline.{path}".replace("/", ".") for path in found}
    return [path for path, module in named.items() if not names or any(_selects(name, module) for name in names)]


def _selects(name: str, module: str) -> bool:
    """Tell whether a name is that of a module, of a package above it, a pattern of such names, or the name of a mutant in it."""
    packages = [module.rsplit(".", level)[0] for level in range(module.count("."))]
    return any(fnmatchcase(candidate, name) for candidate in packages) or name.startswith(f"{module}.x")


def workspace(package: str, paths: Sequence[str]) -> Path:
    """Create the folder in which mutmut tries the mutants of these modules: links to the code, and settings for the package.

    mutmut copies all code from here and mutates some of it, so the tests import the copy, wherever the package is installed.
    """
    folder = ROOT / "mutants" / package
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for linked in _LINKED:
        (folder / linked).symlink_to(ROOT / linked)
    settings = {"source_paths": _CODE, "only_mutate": list(paths), "pytest_add_cli_args_test_selection": TESTS[package]}
    lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.items())
    common = (ROOT / "pyproject.toml").read_text()
    (folder / "pyproject.toml").write_text(common.replace("[tool.mutmut]\n", f"[tool.mutmut]\n{lines}"))
    return folder


def run_mutmut(folder: Path, names: Sequence[str]) -> None:
    """Try all mutants of a workspace, or those of these names, one at a time, with progress on standard error.

    Raises:
        subprocess.CalledProcessError: A test fails without any mutant.
    """
    command = [MUTMUT, "run", "--max-children", "1", *names]
    subprocess.run(command, cwd=folder, stdout=sys.stderr, check=True)  # noqa: S603 - the user's own arguments


def verdicts(folder: Path) -> list[tuple[str, str]]:
    """Return the name and the verdict of each mutant that was tried."""
    command = [MUTMUT, "results", "--all", "true"]
    results = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout  # noqa: S603 - constant arguments
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
    names = sys.argv[1:]
    selected = {package: paths for package in TESTS if (paths := modules(package, names))}
    if not selected:
        packages = ", ".join(TESTS)
        sys.exit(f"error: no module is selected by {' '.join(map(repr, names))}; choose modules of these packages: {packages}")
    with contextlib.suppress(ValueError):  # not every system can set this limit
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    found: list[tuple[str, str]] = []
    for package, paths in selected.items():
        folder = workspace(package, paths)
        run_mutmut(folder, [name for name in names if ".x" in name])
        found += verdicts(folder)
    print("\n".join(table(found)))
    print(*(f"{verdict}: {name}" for name, verdict in found if verdict not in {KILLED, TIMEOUT}), sep="\n", file=sys.stderr)


if __name__ == "__main__":
    main()
