"""Creates packages, and checks that a package fits the flow that is started with it."""

import gzip
import io
import json
import sys
import tarfile
import zlib
from collections.abc import Collection, Iterable
from importlib.metadata import Distribution, PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final, NamedTuple

from eddyline.adapters.spark.package.contents import (
    OWN,
    PackagedFile,
    digest,
    files_of_distribution,
    files_of_eddyline,
    files_of_module,
    imported_distributions,
    local_modules,
    required_distributions,
)

FORMAT: Final = 1
_MANIFEST: Final = "eddyline-package.json"
_SUFFIXES: Final = (".tar.gz", ".tgz")
_PYTHON: Final = ".".join(map(str, sys.version_info[:2]))


class PackageError(RuntimeError):
    """A package cannot be created or used; the message names it, the reason and the fix."""


class PackageSummary(NamedTuple):
    """What a package has.

    Attributes:
        modules: The local modules.
        distributions: The names of the installed distributions.
        size: The size of the archive in bytes.
    """

    modules: list[str]
    distributions: list[str]
    size: int


def create_package(file: Path, others: Collection[str] = ()) -> PackageSummary:
    """Create a package with Eddyline, the imported modules of the user, and the distributions that they need.

    Args:
        file: The archive, whose name ends with `.tar.gz` or `.tgz`; it is replaced if it exists.
        others: Installed distributions to add.

    Raises:
        PackageError: the name of the file has another ending, or a distribution is not installed.
    """
    if not file.name.endswith(_SUFFIXES):
        raise PackageError(f"package '{file}' must have a name that ends with .tar.gz or .tgz, by which Spark unpacks it")
    found = _distributions(others)
    modules = {name: list(files_of_module(name, module)) for name, module in local_modules().items()}
    modules[OWN] = list(files_of_eddyline())
    files = {entry.path: entry for own in found.values() for entry in files_of_distribution(own)}
    files |= {entry.path: entry for own in modules.values() for entry in own}
    manifest = {
        "format": FORMAT,
        "python": _PYTHON,
        "pyspark": version("pyspark"),
        "modules": {name: digest(own) for name, own in modules.items()},
        "distributions": {name: own.version for name, own in sorted(found.items())},
    }
    part = file.with_name(f".{file.name}.part")
    _write(part, manifest, files.values())
    part.replace(file)
    return PackageSummary(sorted(modules.keys() - {OWN}), sorted(found), file.stat().st_size)


def check_package(file: Path) -> None:
    """Make sure that executors which have a package run the code that this process has imported.

    Raises:
        PackageError: it is not a package, or was created from other code or by another version of Python.
    """
    manifest = _manifest(file)
    again = f"create it again: eddyline package {file}"
    if manifest["python"] != _PYTHON:
        raise PackageError(f"package '{file}' is for Python {manifest['python']}, but this is Python {_PYTHON}; {again}")
    packed = manifest["modules"]
    for name, module in (*local_modules().items(), (OWN, None)):
        if name not in packed:
            raise PackageError(f"package '{file}' does not have module '{name}', which the flow imports; {again} --flows …")
        if packed[name] != digest(files_of_eddyline() if module is None else files_of_module(name, module)):
            raise PackageError(f"module '{name}' has changed since package '{file}' was created; {again} --flows …")


def _distributions(others: Collection[str]) -> dict[str, Distribution]:
    try:
        return required_distributions({*imported_distributions(), *others})
    except PackageNotFoundError as missing:
        raise PackageError(f"distribution '{missing.name}' is not installed; install it, or check --with") from None


def _write(file: Path, manifest: dict[str, object], files: Iterable[PackagedFile]) -> None:
    with (
        file.open("wb") as out,
        gzip.GzipFile(filename="", mode="wb", compresslevel=1, fileobj=out, mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w") as archive,
    ):
        text = json.dumps(manifest).encode()
        about = tarfile.TarInfo(_MANIFEST)
        about.size = len(text)
        archive.addfile(about, io.BytesIO(text))
        for path, source in sorted(files):
            entry = archive.gettarinfo(str(source.resolve()), path)
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            entry.mode = 0o755 if entry.mode & 0o100 else 0o644
            with source.open("rb") as content:
                archive.addfile(entry, content)


def _manifest(file: Path) -> dict[str, Any]:
    """Return the manifest of a package, which is its first file. Raises PackageError."""
    try:
        with tarfile.open(file, "r:gz") as archive:
            first = archive.next()
            content = archive.extractfile(first) if first is not None and first.name == _MANIFEST else None
            found = {} if content is None else json.loads(content.read())
    except FileNotFoundError:
        raise PackageError(f"package '{file}' does not exist; create it: eddyline package {file}") from None
    except (OSError, tarfile.TarError, zlib.error, ValueError) as unreadable:
        raise PackageError(f"package '{file}' cannot be read: {unreadable}") from None
    if found.get("format") != FORMAT:
        raise PackageError(f"'{file}' is not a package of this version of Eddyline; create one: eddyline package {file}")
    return dict(found)
