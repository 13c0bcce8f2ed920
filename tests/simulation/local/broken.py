"""Protocols that are broken on purpose, each in one place; the simulation must find all of them."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final
from unittest.mock import patch

from eddyline.adapters.kafka.streams.commits import KafkaCommits
from eddyline.adapters.kafka.streams.membership import KafkaMembership
from eddyline.adapters.local import session
from eddyline.adapters.local.committing import Committer
from eddyline.adapters.local.standby import WarmTasks
from eddyline.adapters.local.start import Started
from tests.simulation.local.group import Group
from tests.simulation.local.schedule import Breaks, LocalSchedule


@contextmanager
def generations_ignored(_schedule: LocalSchedule) -> Iterator[None]:
    """The brokers accept the commits of members that were removed from the group."""
    with patch.object(Group, "check", lambda _self, _given: None):
        yield


@contextmanager
def lost_tasks_committed(_schedule: LocalSchedule) -> Iterator[None]:
    """A process that has lost its tasks commits them as a new member of the group."""

    def rejoin(self: KafkaMembership, consumer: Any, partitions: Collection[Any]) -> None:
        self._held -= {found.partition for found in partitions}
        consumer.incremental_unassign(partitions)

    with patch.object(KafkaMembership, "_lost", rejoin):
        yield


@contextmanager
def unsettled(_schedule: LocalSchedule) -> Iterator[None]:
    """A process that takes over tasks does not wait for the last transaction of their earlier owner."""
    with patch.object(session, "settle", lambda *_given: None):
        yield


@contextmanager
def offsets_unsettled(_schedule: LocalSchedule) -> Iterator[None]:
    """It waits for what that one has written, but not for a transaction that has offsets alone so far."""
    with patch.object(KafkaCommits, "are_settled", lambda *_given: True):
        yield


@contextmanager
def at_least_once(_schedule: LocalSchedule) -> Iterator[None]:
    """Commits are no transactions."""
    init = KafkaCommits.__init__

    def weaker(self: KafkaCommits, *given: Any, **options: Any) -> None:
        init(self, *given, **{**options, "exactly_once": False})

    with patch.object(KafkaCommits, "__init__", weaker):
        yield


@contextmanager
def restored_too_early(_schedule: LocalSchedule) -> Iterator[None]:
    """The last changes of an earlier owner are not restored."""
    activate = WarmTasks.activate

    def early(self: WarmTasks, *given: Any) -> None:
        with patch.object(WarmTasks, "catch_up", lambda _self, _tasks: 0):
            activate(self, *given)

    with patch.object(WarmTasks, "activate", early):
        yield


@contextmanager
def positions_forgotten(_schedule: LocalSchedule) -> Iterator[None]:
    """Tasks continue at the positions that were found when the process started."""
    positions = Started.positions
    found: dict[tuple[int, Any], Any] = {}

    def first(self: Started, tasks: Collection[Any]) -> Mapping[Any, Any]:
        fresh = positions(self, tasks)
        return {task: found.setdefault((id(self), task), at) for task, at in fresh.items()}

    with patch.object(Started, "positions", first):
        yield


@contextmanager
def records_of_tasks_omitted(_schedule: LocalSchedule) -> Iterator[None]:
    """The positions of tasks and what else they have to remember are not written with their results."""
    with patch.object(Committer, "_differs", lambda _self, _task, _record: False):
        yield


BROKEN: Final[Mapping[str, Breaks]] = {
    "generations-ignored": generations_ignored,
    "lost-tasks-committed": lost_tasks_committed,
    "unsettled": unsettled,
    "offsets-unsettled": offsets_unsettled,
    "at-least-once": at_least_once,
    "restored-too-early": restored_too_early,
    "positions-forgotten": positions_forgotten,
    "records-of-tasks-omitted": records_of_tasks_omitted,
}
"""The broken protocols by name."""
