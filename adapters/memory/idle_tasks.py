"""How the tasks of the memory engine follow the wall clock while their sources are idle."""

from collections.abc import Callable, Mapping, Sequence

from eddyline.application.runtime.plan.run_plan import upstream_first
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology import Topology


class IdleTasks:
    """The tasks with idle timeouts upstream; `readers` has, by topic, the tasks of each sub-topology that reads it."""

    def __init__(
        self, topology: Topology, tasks: Sequence[Sequence[Task]], readers: Mapping[str, Sequence[Sequence[Task]]]
    ) -> None:
        ordered, cyclic = upstream_first(topology)
        self._tasks = [task for index in (*ordered, *cyclic) for task in tasks[index] if task.idle_sources is not None]
        self._readers = readers

    def note_activity(self) -> None:
        """Note at which wall-clock time records were processed; call it before the clock is moved."""
        for task in self._tasks:
            for topic, activity in task.take_activity():
                for tasks in self._readers[topic]:
                    for reader in tasks:
                        reader.note_activity(activity)

    def follow(self, settle: Callable[[Task], None]) -> None:
        """Advance the stream times that follow the wall clock; `settle` delivers the output of each task before the next one."""
        for task in self._tasks:
            if task.follow_wall_clock():
                settle(task)
