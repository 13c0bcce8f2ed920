"""The tasks of an application in this process: those that it runs, and those that it keeps warm for when it has to."""

import logging
import time
from collections.abc import Collection, Mapping
from typing import Final

from eddyline.adapters.local.disk_state import DiskState
from eddyline.adapters.local.restoring import TaskRecords, TaskRestorer, restore_numbers
from eddyline.adapters.local.tasks import LocalTasks
from eddyline.application.ports.clock import Clock
from eddyline.application.ports.event_log import EventLog, TopicPartition
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.runtime.task.exchange import TaskId
from eddyline.application.runtime.task.host import TaskHost

LOGGER: Final = logging.getLogger("eddyline.local")
_SHOWN_FROM: Final = 100_000


class WarmTasks:
    """Hosts of tasks with their restorers.

    Args:
        plan: the plan of the run, whose log the tasks read.
        log: the log with the changelogs.
        tasks: the tasks that run.
        records: the records of the tasks.
        clock: the wall clock.
    """

    def __init__(self, plan: RunPlan, log: EventLog, tasks: LocalTasks, records: TaskRecords, clock: Clock) -> None:
        self._log = log
        self._plan, self._tasks, self._records, self._clock = plan, tasks, records, clock
        self._hosts: dict[TaskId, TaskHost] = {}
        self._restorers: dict[TaskId, TaskRestorer] = {}
        self._disks: dict[TaskId, DiskState] = {}

    def catch_up(self, tasks: Collection[TaskId]) -> int:
        """Apply what the changelogs of these tasks have now; return the number of records."""
        for task in tasks:
            self._create(task)
        missing = sum(self._restorers[task].missing() for task in tasks)
        done, shown = 0, time.monotonic()
        for task in tasks:
            for number in self._restorers[task].catch_up():
                done += number
                if missing >= _SHOWN_FROM and time.monotonic() - shown >= 1:
                    shown = time.monotonic()
                    LOGGER.info("restoring state: %d of %d changelog records (%d%%)", done, missing, 100 * done // missing)
        return done

    def activate(self, tasks: Collection[TaskId], positions: Mapping[TaskId, Mapping[TopicPartition, int]]) -> None:
        """Run tasks from now on, at these positions and with everything that their earlier owners have committed.

        What they have left must be settled, and the records of the tasks caught up, when the positions are determined.
        """
        self.catch_up(tasks)
        for task in tasks:
            host = self._hosts.pop(task)
            del self._restorers[task]
            found = self._records.of(self._plan.input_topics(task[0]), task[1])
            restore_numbers(host.task, found)
            for record in found:
                host.reported.update(record.positions)
                for sender, waiting in record.waiting:
                    received = waiting._replace(partition=task[1])
                    source = waiting.topic, sender
                    host.waiting[source] = [*host.waiting.get(source, ()), received]
            self._tasks.add(task, host, positions[task])

    def save(self) -> None:
        """Save the stores of all tasks on the local disk, if they are there; those of tasks that run must be committed."""
        for task, disk in self._disks.items():
            restorer = self._restorers.get(task)
            disk.save(None if restorer is None else restorer.positions)

    def release(self, task: TaskId) -> None:
        """Release the stores of a task that has run and was closed."""
        self._disks.pop(task).close()

    def close(self) -> None:
        """Close the tasks that are kept warm, and release the stores of all tasks."""
        for host in self._hosts.values():
            host.task.close()
        for disk in self._disks.values():
            disk.close()
        self._hosts.clear()
        self._restorers.clear()
        self._disks.clear()

    def _create(self, task: TaskId) -> None:
        if task not in self._hosts:
            sub, number = task
            disk = self._disks[task] = DiskState(self._plan, self._log, sub, number)
            positions, outlet = disk.positions(), self._tasks.outlet(number)
            interruption, now_ms = self._tasks.interruption, self._clock.now_ms()
            host = TaskHost(self._plan, sub, number, outlet, now_ms=now_ms, stores=disk.stores, interruption=interruption)
            topics, codecs = self._plan.changelogs.get(sub, {}), self._plan.ports.codecs
            self._hosts[task] = host
            self._restorers[task] = TaskRestorer(host.task, topics, self._log, codecs, positions)
