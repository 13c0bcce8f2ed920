"""The tasks of an application in this process: those that it runs, and those that it keeps warm for when it has to."""

import json
import logging
import time
from collections.abc import Collection, Mapping
from typing import Final

from eddyline.adapters.local.restoring import TaskRecords, TaskRestorer, restore_numbers
from eddyline.adapters.local.tasks import LocalTasks
from eddyline.application.ports.clock import Clock
from eddyline.application.ports.event_log import EventLog, TopicPartition
from eddyline.application.ports.state_stores import StateStores, TaskStateStores
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


class DiskState:
    """The stores of one task, which may be on the local disk.

    Args:
        plan: the plan of the run.
        log: the log with the changelogs.
        sub_topology: the index of the sub-topology.
        number: the number of the task.
    """

    def __init__(self, plan: RunPlan, log: EventLog, sub_topology: int, number: int) -> None:
        self._log, self._number = log, number
        self._topics = plan.changelogs.get(sub_topology, {})
        self._has_global_stores = bool(plan.topology.sub_topologies[sub_topology].global_nodes)
        self.stores: StateStores = plan.ports.stores.of_task(f"{plan.options.application_id}-local-{sub_topology}_{number}")

    def positions(self) -> Mapping[str, int]:
        """Return the offset up to which each store has its changelog; removes what belongs to other changelogs."""
        if not isinstance(self.stores, TaskStateStores) or self.stores.version is None:
            return {}
        found = json.loads(self.stores.version)
        if found["changelogs"] == self._ids():
            positions: dict[str, int] = found["positions"]
            return positions
        self.stores.clear()
        return {}

    def save(self, positions: Mapping[str, int] | None = None) -> None:
        """Note that the stores have their changelogs up to these offsets, or up to their ends; then they are not read again.

        Stores of global tables have no changelogs, so tasks that have such stores begin from their topics.
        """
        if isinstance(self.stores, TaskStateStores) and not self._has_global_stores:
            ends = {store: self._log.end_offset(topic, self._number) for store, topic in self._topics.items()}
            content = {"changelogs": self._ids(), "positions": ends if positions is None else dict(positions)}
            self.stores.save(json.dumps(content).encode())

    def close(self) -> None:
        """Release the stores."""
        if isinstance(self.stores, TaskStateStores):
            self.stores.close()

    def _ids(self) -> list[str]:
        identity = self._log.identity(self._topics.values())
        return [identity.cluster, *(identity.topics.get(topic, "") for topic in self._topics.values())]
