"""Resettable state: what an application leaves in a system, so that it can be listed and removed by a reset."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple


class ApplicationRunningError(RuntimeError):
    """The application is running, so its state cannot be removed; the message says what to stop."""


class UnmarkedArtifactError(RuntimeError):
    """What has the place of an artifact does not carry the mark of the application; the message says how to go on."""


class Artifact(NamedTuple):
    """One thing that a reset removes, as text for people.

    Attributes:
        kind: What it is, for example "records of a topic".
        location: Where it is: a path, a topic, a consumer group.
        size: How much there is, for example "1,234 records in 2 partitions".
    """

    kind: str
    location: str
    size: str


def counted(number: int, noun: str) -> str:
    """Return a number with the noun that it counts, such as `1 record` and `2,000 records`."""
    return f"{number:,} {noun if number == 1 else f'{noun}s'}"


@dataclass(frozen=True)
class Application:
    """The application to reset.

    Attributes:
        id: The application id.
        topics: The topics whose records are removed as well; none by default.
        internal_topics: The topics that only the application uses; they are deleted if they exist.
    """

    id: str
    topics: Sequence[str] = ()
    internal_topics: Sequence[str] = ()


class ResettableState(ABC):
    """The state that applications keep in one system: a state folder, an event log with its sink, a cluster.

    Only artifacts of the given application are found and removed. Removing is idempotent, so an interrupted reset is completed
    by running it again.
    """

    @abstractmethod
    def locked(self, application: Application) -> AbstractContextManager[object]:
        """Return a context manager that prevents the application from running, as far as the system allows.

        Raises:
            ApplicationRunningError: the application is running; raised on entry.
        """

    @abstractmethod
    def find(self, application: Application) -> Sequence[Artifact]:
        """Return the existing artifacts in the order in which they must be removed; empty ones are left out.

        Raises:
            UnmarkedArtifactError: something in the place of an artifact is not known to belong to the application.
        """

    def has_results(self, application_id: str) -> bool:
        """Return whether an engine that continues where it has stopped has written results; only a log knows that."""
        del application_id
        return False

    @abstractmethod
    def remove(self, application: Application, artifact: Artifact) -> None:
        """Remove an artifact that `find` returned; do nothing if it is already gone."""
