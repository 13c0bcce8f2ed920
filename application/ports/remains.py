"""What an application leaves where it runs, so that it can be seen and taken away, and the application starts anew."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple


class ApplicationRunsError(RuntimeError):
    """What is to be taken away is in use; the message names it and says what to stop."""


class Remnant(NamedTuple):
    """One thing that is left: what it is, where it is (a path, a topic, a group), and how much, for people to read."""

    what: str
    place: str
    size: str


@dataclass(frozen=True)
class Application:
    """An application by its id, and the topics whose records are to go too, none unless they are named."""

    id: str
    topics: Sequence[str] = ()


class Remains(ABC):
    """One place that applications leave things in: a state folder, an event log and its sink, a cluster."""

    @abstractmethod
    def held(self, application: Application) -> AbstractContextManager[object]:
        """Keeps the application from using the place meanwhile, as far as that can be.

        Raises ApplicationRunsError when it runs now.
        """

    @abstractmethod
    def find(self, application: Application) -> Sequence[Remnant]:
        """What is there now, in the order in which it is to be removed; what is empty is not there."""

    @abstractmethod
    def remove(self, application: Application, remnant: Remnant) -> None:
        """Takes away one thing that `find` gave, or what is left of it."""
