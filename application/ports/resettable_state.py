"""What an application leaves behind where it runs, so that it can be listed and removed before the application starts again."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple


class ApplicationRunningError(RuntimeError):
    """The application is running, so its state cannot be removed; the message says what to stop."""


class Artifact(NamedTuple):
    """One thing to remove: its kind, its location (a path, a topic, a group) and its size, as text for people."""

    kind: str
    location: str
    size: str


@dataclass(frozen=True)
class Application:
    """An application by its id, and the topics whose records are to be removed too (none by default)."""

    id: str
    topics: Sequence[str] = ()


class ResettableState(ABC):
    """One system that keeps state of applications: a state folder, an event log with its sink, a cluster."""

    @abstractmethod
    def locked(self, application: Application) -> AbstractContextManager[object]:
        """Prevent the application from running meanwhile, as far as the system allows.

        Raises:
            ApplicationRunningError: the application is running now.
        """

    @abstractmethod
    def find(self, application: Application) -> Sequence[Artifact]:
        """Return what exists now, in the order in which it must be removed; empty things are left out."""

    @abstractmethod
    def remove(self, application: Application, artifact: Artifact) -> None:
        """Remove one artifact that `find` returned, or what is left of it."""
