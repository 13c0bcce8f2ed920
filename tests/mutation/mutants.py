"""Mutation tests: run `make mutants`, or `python -m tests.mutation.mutants [NAME]...`.

mutmut makes small changes, mutants, in a copy of the code and runs the tests that reach each of them; `TESTS` has the tests of
each package. A mutant is killed when a test fails or exceeds its time limit; it survives when all tests pass or no test reaches
it. A NAME such as `eddyline.domain.text*` or `eddyline.application.operators.suppress` limits the run to these modules or
mutants. Packages are tried one after the other, each in mutants/PACKAGE; `mutmut show NAME` in that folder shows a survivor.
`--sample 0.2` (`make mutants SAMPLE=0.2`) tries a fifth of the mutants of each module and at least 20: always the same ones,
since hashes of their names choose them.

The tests of a package need neither Spark nor services. Where mutmut says "no tests", none of those tests reaches the function.
The simulators of the samples are not mutated: they hold no business rules, and checksums pin their output.
"""

import argparse
import contextlib
import hashlib
import json
import math
import resource
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType

ROOT = Path(__file__).resolve().parents[2]
_HERE = Path(__file__).parent
MUTMUT = str(Path(sys.executable).with_name("mutmut"))
MIN_SAMPLE = 20
"""The minimum number of mutants to try per module, even if the sample is smaller; a module with fewer is tried completely."""
MAX_MEMORY = 3 * 1024**3
"""Maximum memory in bytes of a mutant that allocates in an endless loop."""

TESTS = {
    "eddyline.domain": ["tests/domain"],
    "eddyline.application.operators": [
        "tests/operators",
        "tests/models",
        "tests/conformance/test_memory_engine.py",
        *(
            f"tests/runtime/test_{name}.py"
            for name in (
                "aggregate_columns",
                "columns_path",
                "combining",
                "combining_sessions",
                "combining_windows",
                "guarded_task",
                "guarded_together",
                "idle_sources",
                "join_state",
                "merged_columns_path",
                "table_join_path",
                "update_cache",
                "updates_path",
                "window_columns",
            )
        ),
    ],
    "eddyline.application.lineage": ["tests/lineage"],
    "eddyline.application.monitoring": ["tests/monitoring"],
    "eddyline.application.queries": ["tests/queries", "tests/adapters/web/test_events.py"],
    "eddyline.application.runtime": [
        "tests/runtime",
        "tests/operators",
        "tests/adapters/memory",
        "tests/operations/test_dead_letter_log.py",
    ],
    "eddyline.application.operations": ["tests/operations"],
    "eddyline.application.topology": ["tests/topology", "tests/operators", "tests/conformance/test_memory_engine.py"],
    "eddyline.application.flows": ["tests/flows"],
    "eddyline.adapters.files": ["tests/adapters/files", "tests/ports"],
    "eddyline.adapters.asyncapi": ["tests/adapters/asyncapi"],
    "eddyline.adapters.avro": ["tests/adapters/avro", "tests/ports/test_codec.py"],
    "eddyline.adapters.memory": ["tests/adapters/memory", "tests/ports", "tests/runtime", "tests/operators"],
    "eddyline.adapters.rocksdb": [
        "tests/adapters/rocksdb",
        "tests/ports/test_state_store.py",
        "tests/ports/test_versioned_store.py",
    ],
    "eddyline.adapters.web": [
        f"tests/adapters/web/test_{name}.py" for name in ("access", "events", "health", "hosts", "store_routes")
    ],
    "eddyline.adapters.spark.exchange": ["tests/adapters/spark/exchange", "tests/adapters/spark/worker"],
    "eddyline.adapters.spark.state": ["tests/adapters/spark/state", "tests/adapters/spark/worker"],
    "eddyline.adapters.spark.worker": ["tests/adapters/spark/worker"],
    "eddyline.adapters.spark.source": ["tests/adapters/spark/source"],
    "eddyline.adapters.spark.sink": ["tests/adapters/spark/sink"],
    "eddyline.adapters.spark.plan": ["tests/adapters/spark/test_plan.py", "tests/adapters/spark/source"],
    "eddyline.adapters.spark.failures": ["tests/adapters/spark/test_failures.py"],
    "eddyline.adapters.spark.driver.checkpoint": ["tests/adapters/spark/driver"],
    "eddyline.adapters.spark.driver.progress": ["tests/adapters/spark/driver"],
}
"""The tests of each package, or of a module whose package needs Spark; fast ones only."""

NOT_MUTATED = frozenset({"eddyline/application/topology/handles/join_signatures.py"})
"""Modules whose functions run only while modules are imported, before mutmut chooses a mutant."""

KILLED, TIMEOUT, NOT_CHECKED = "killed", "timeout", "not checked"
_CODE = sorted(
    f"eddyline/{path.name}" for path in (ROOT / "eddyline").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
)
_LINKED = ("eddyline", "tests")


def modules(package: str, names: Sequence[str]) -> list[str]:
    """Return the paths of the modules of a package that one of these names selects; all if there is no name."""
    folder = ROOT / package.removeprefix("eddyline.").replace(".", "/")
    sources = [*folder.rglob("*.py"), *folder.parent.glob(f"{folder.name}.py")]
    found = sorted(path.relative_to(ROOT).with_suffix("") for path in sources)
    named = {f"eddyline/{path}.py": f"eddyline.{path}".replace("/", ".") for path in found}
    wanted = {path: module for path, module in named.items() if path not in NOT_MUTATED}
    return [path for path, module in wanted.items() if not names or any(_selects(name, module) for name in names)]


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
    (folder / "mutants").mkdir()
    shutil.copy(_HERE / "fastest_first.py", folder / "mutants" / "conftest.py")
    (folder / "pyproject.toml").write_text(common.replace("[tool.mutmut]\n", f"[tool.mutmut]\n{lines}"))
    return folder


def all_mutants(folder: Path, paths: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the names of the mutants of these modules; only those that a name of a mutant selects, if there is one."""
    command = [sys.executable, str(_HERE / "mutant_names.py"), *paths]
    found = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    patterns = [name for name in names if ".x" in name]
    return [name for name in found if not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)]


def sample(found: Iterable[str], share: float) -> list[str]:
    """Return this share of the mutants of each module, and at least `MIN_SAMPLE`: those whose names have the lowest hashes."""
    by_module: defaultdict[str, list[str]] = defaultdict(list)
    for name in found:
        by_module[_module(name)].append(name)
    chosen: list[str] = []
    for names in by_module.values():
        names.sort(key=lambda name: hashlib.sha256(name.encode()).digest())
        chosen += names[: max(MIN_SAMPLE, math.ceil(share * len(names)))]
    return chosen


def _module(mutant: str) -> str:
    return mutant.rpartition(".")[0]


def run_mutmut(folder: Path, names: Sequence[str]) -> None:
    """Try the mutants of these names in a workspace, one at a time, with progress on standard error.

    Raises:
        subprocess.CalledProcessError: A test fails without any mutant.
    """
    command = [MUTMUT, "run", "--max-children", "1", *names]
    subprocess.run(command, cwd=folder, stdout=sys.stderr, check=True)


def verdicts(folder: Path) -> list[tuple[str, str]]:
    """Return the name and the verdict of each mutant that was tried."""
    command = [MUTMUT, "results", "--all", "true"]
    results = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout
    found = [(name.strip(), verdict.strip()) for name, _, verdict in (line.partition(":") for line in results.splitlines())]
    return [(name, verdict) for name, verdict in found if verdict != NOT_CHECKED]


def table(found: Iterable[tuple[str, str]], mutants: Mapping[str, int] = MappingProxyType({})) -> list[str]:
    """Return the lines of a Markdown table with a row for each module and one for all.

    Args:
        found: the name and the verdict of each mutant that was tried.
        mutants: the number of mutants of each module; by default all of them were tried.
    """
    by_module: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for name, verdict in found:
        by_module[_module(name)][verdict] += 1
    total: Counter[str] = sum(by_module.values(), Counter())
    sizes = {module: mutants.get(module, counts.total()) for module, counts in by_module.items()}
    return [
        "| module | mutants | tried | killed | of these by timeout | survived | killed, % |",
        "|---|---|---|---|---|---|---|",
        *(_row(module, sizes[module], by_module[module]) for module in sorted(by_module)),
        _row("all", sum(sizes.values()), total),
    ]


def _row(module: str, mutants: int, counts: Counter[str]) -> str:
    killed = counts[KILLED] + counts[TIMEOUT]
    percentage = 100 * killed / (counts.total() or 1)
    cells = (module, mutants, counts.total(), killed, counts[TIMEOUT], counts.total() - killed, f"{percentage:.1f}")
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """Print the table on standard output and the survivors on standard error."""
    parser = argparse.ArgumentParser(description="Try mutants of the code.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a package, a module, a pattern of modules, or a mutant")
    parser.add_argument("--sample", type=float, default=1.0, metavar="SHARE", help="the share of each module's mutants to try")
    arguments = parser.parse_args()
    selected = {package: paths for package in TESTS if (paths := modules(package, arguments.names))}
    if not selected:
        packages = ", ".join(TESTS)
        wrong = " ".join(map(repr, arguments.names))
        sys.exit(f"error: no module is selected by {wrong}; choose modules of these packages: {packages}")
    with contextlib.suppress(ValueError):  # not every system can set this limit
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    found: list[tuple[str, str]] = []
    mutants: Counter[str] = Counter()
    for package, paths in selected.items():
        folder = workspace(package, paths)
        everything = all_mutants(folder, paths, arguments.names)
        mutants.update(map(_module, everything))
        if everything:
            run_mutmut(folder, sample(everything, arguments.sample))
            found += verdicts(folder)
    print("\n".join(table(found, mutants)))
    print(*(f"{verdict}: {name}" for name, verdict in found if verdict not in {KILLED, TIMEOUT}), sep="\n", file=sys.stderr)


if __name__ == "__main__":
    main()
