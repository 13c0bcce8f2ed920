"""The stores of tasks on the local disk: which part of the changelogs they have."""

import json
from collections.abc import Mapping

from eddyline.application.ports.event_log import EventLog
from eddyline.application.ports.state_stores import StateStores, TaskStateStores
from eddyline.application.runtime.plan.run_plan import RunPlan


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
