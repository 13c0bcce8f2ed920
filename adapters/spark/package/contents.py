"""What a package contains: installed distributions with all that they require, and local modules."""

import importlib.util
import re
import sys
import sysconfig
from collections.abc import Collection, Iterable, Iterator
from hashlib import sha256
from importlib.metadata import Distribution, PackageNotFoundError, distribution, packages_distributions
from pathlib import Path
from types import ModuleType
from typing import Final, NamedTuple

import eddyline

OWN: Final = "eddyline"
OF_EXECUTORS: Final = frozenset({"pyspark", "py4j"})
"""What executors have: it must be the version of their Spark."""
_NOT_FOR_WORKERS: Final = frozenset({"web", "notebook", "simulate", "services", "all", "test", "test-core", "docs", "dev"})
"""Extras of Eddyline that are for drivers or development."""
_REQUIREMENT: Final = re.compile(
    r"\s*(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[(?P<extras>[^\]]*)\])?[^;]*(?:;(?P<marker>.*))?"
)
_EXTRA: Final = re.compile(r"""extra\s*==\s*['"](?P<extra>[^'"]+)['"]""")
_SKIPPED: Final = frozenset({"__pycache__", "tests"})
"""Folders of distributions: byte code is added file by file, tests are for nobody."""
_NOT_RUN: Final = frozenset({".a", ".c", ".cc", ".cpp", ".exe", ".pth", ".pxd", ".pxi", ".pyc", ".pyi", ".pyx"})
"""Files of distributions that Python does not run, such as the sources of compiled modules."""


class PackagedFile(NamedTuple):
    """A file, and its path in the package."""

    path: str
    source: Path


def local_modules() -> dict[str, ModuleType]:
    """Return the imported top-level modules that no distribution has installed, by name: the code of the user."""
    return {name: module for name, module in sorted(sys.modules.items()) if _is_local(name, module)}


def imported_distributions() -> set[str]:
    """Return the installed distributions of which a module is imported."""
    owners = packages_distributions()
    return {owner for name in {module.partition(".")[0] for module in sys.modules} for owner in owners.get(name, ())}


def required_distributions(names: Collection[str]) -> dict[str, Distribution]:
    """Return these installed distributions, those that workers of Eddyline need, and all that they require, by name.

    Raises:
        PackageNotFoundError: one of `names` is not installed.
    """
    own = distribution(OWN)
    found = {OWN: own}
    waiting: list[tuple[Distribution, frozenset[str]]] = [(own, _complete_extras(own))]
    waiting += [(distribution(name), frozenset()) for name in sorted(names)]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        current, extras = waiting.pop()
        name = _normalized(current.name)
        if name in OF_EXECUTORS or (name, extras) in seen:
            continue
        seen.add((name, extras))
        found[name] = current
        for required, of_required in _requirements(current, extras):
            installed = _installed(required)
            if installed is not None:
                waiting.append((installed, of_required))
    return found


def files_of_distribution(found: Distribution) -> Iterator[PackagedFile]:
    """Yield the files of an installed distribution, without its programs, tests, and sources of compiled modules."""
    for entry in found.files or ():
        source = Path(str(entry.locate()))
        hidden = entry.parts[0] == ".." or source.suffix in _NOT_RUN or "__pycache__" in entry.parts
        if not hidden and entry.parts[1:2] != ("tests",) and source.is_file():
            yield from _with_byte_code(PackagedFile(entry.as_posix(), source))


def files_of_module(name: str, module: ModuleType) -> Iterator[PackagedFile]:
    """Yield the files of a local module, or of a package with all that is in its folders; links are followed."""
    if not hasattr(module, "__path__"):
        source = Path(str(module.__file__))
        yield from _with_byte_code(PackagedFile(source.name, source))
        return
    for folder in module.__path__:
        for source in _walk(Path(folder)):
            yield from _with_byte_code(PackagedFile(f"{name}/{source.relative_to(folder).as_posix()}", source))


def files_of_eddyline() -> Iterator[PackagedFile]:
    """Yield the files of Eddyline, wherever they are: an editable installation has them in a checkout."""
    return files_of_module(OWN, eddyline)


def digest(files: Iterable[PackagedFile]) -> str:
    """Return a hash of the names and contents of Python files."""
    found = sha256()
    for path, source in sorted(files):
        if source.suffix == ".py":
            found.update(f"{path}\0".encode() + sha256(source.read_bytes()).digest())
    return found.hexdigest()


def _is_local(name: str, module: ModuleType) -> bool:
    if "." in name or name in {OWN, "__main__", "__mp_main__"} or name in sys.stdlib_module_names:
        return False
    places = [str(module.__file__)] if getattr(module, "__file__", None) else list(getattr(module, "__path__", ()))
    installed = {str(Path(sysconfig.get_path(key)).resolve()) for key in ("stdlib", "platstdlib", "purelib", "platlib")}
    return bool(places) and not any(str(Path(place).resolve()).startswith(tuple(installed)) for place in places)


def _walk(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name in _SKIPPED or path.name.startswith("."):
            continue
        if path.is_dir():
            yield from _walk(path)
        else:
            yield path


def _with_byte_code(file: PackagedFile) -> Iterator[PackagedFile]:
    """Yield a file, and its byte code: Python uses that if the file has the same time as here."""
    yield file
    if file.source.suffix == ".py":
        compiled = Path(importlib.util.cache_from_source(str(file.source.resolve())))
        if compiled.is_file():
            yield PackagedFile(f"{file.path.rpartition('/')[0]}/__pycache__/{compiled.name}".lstrip("/"), compiled)


def _complete_extras(found: Distribution) -> frozenset[str]:
    """Return the extras of which everything is installed, without those that workers do not need."""
    extras = set(found.metadata.get_all("Provides-Extra") or ()) - _NOT_FOR_WORKERS
    return frozenset(
        extra for extra in extras if all(_installed(name) is not None for name, _ in _requirements(found, frozenset({extra})))
    )


def _requirements(found: Distribution, extras: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the names that a distribution with these extras requires, each with its extras; markers of platforms are ignored."""
    for text in found.requires or ():
        parts = _REQUIREMENT.match(text)
        if parts is None:
            continue
        needed = _EXTRA.search(parts["marker"] or "")
        if needed is None or needed["extra"] in extras:
            of_required = frozenset(filter(None, (extra.strip() for extra in (parts["extras"] or "").split(","))))
            yield parts["name"], of_required


def _installed(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
