"""Which folder is the checkpoint of an application, and what a removal or a replacement that was interrupted has left of one."""

import json
import re
from collections.abc import Iterable
from typing import Final, Protocol, TypeVar
from uuid import uuid4

from eddyline.adapters.spark.driver.checkpoint_files import IDENTITY_FILE
from eddyline.application.ports.resettable_state import Application, UnmarkedArtifactError

CHECKPOINT: Final = "checkpoint"
REMOVED: Final = "partly removed checkpoint"
REPLACED: Final = "checkpoint of an interrupted replacement"
"""The kinds of artifacts."""


class Folder(Protocol):
    """What is needed of a path."""

    @property
    def name(self) -> str: ...
    def __truediv__(self, name: str) -> "Folder": ...
    def read_text(self, encoding: str) -> str: ...


F = TypeVar("F", bound=Folder)


def removed_name(application: Application) -> str:
    """Return a new name for a checkpoint that is being removed, so that no run can continue from a part of it."""
    return f".{application.id}.removed-{uuid4().hex}"


def replacement_names(name: str) -> tuple[str, str]:
    """Return the names that the new and the old checkpoint have while the one called `name` is replaced."""
    return f"{name}.new", f"{name}.old"


def left_in(application: Application, paths: Iterable[F]) -> list[tuple[str, F]]:
    """Return the kind and the path of those that an interrupted removal or replacement has left."""
    removed = re.compile(rf"\.{re.escape(application.id)}\.removed-[0-9a-f]+")
    found = []
    for path in paths:
        if removed.fullmatch(path.name):
            found.append((REMOVED, path))
        elif path.name in replacement_names(application.id) and owner_of(path) == application.id:
            found.append((REPLACED, path))
    return found


def owner_of(folder: Folder) -> str | None:
    """Return the id of the application that a checkpoint belongs to, None if the folder is not marked as a checkpoint."""
    try:
        owner = json.loads((folder / IDENTITY_FILE).read_text(encoding="utf-8"))["application_id"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    return owner if isinstance(owner, str) else None


def unmarked(folder: Folder, application: Application, owner: str | None, cure: str) -> UnmarkedArtifactError:
    """Return the error of a folder in the place of a checkpoint that does not belong to the application."""
    reason = f"it has no valid file {IDENTITY_FILE}" if owner is None else f"it belongs to application '{owner}'"
    return UnmarkedArtifactError(
        f"'{folder}' is not known to be the checkpoint of application '{application.id}': {reason}; set the right"
        f" application.id or {cure} yourself if nothing needs it"
    )
