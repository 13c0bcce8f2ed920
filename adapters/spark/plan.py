"""The plan of a streaming query: the plan of the run, and its sub-topologies as stages of Spark."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from eddyline.adapters.spark.batch_limit import BatchLimit
from eddyline.adapters.spark.exchange.task_ids import TaskIds
from eddyline.application.ports.event_log import LogIdentity
from eddyline.application.runtime.plan.run_plan import RunPlan, upstream_first
from eddyline.application.topology import Topology
from eddyline.application.topology.errors import TopologyError, listed
from eddyline.application.topology.nodes import ProcessorNode, SinkNode
from eddyline.application.topology.sub_topologies import SubTopology

if TYPE_CHECKING:
    from eddyline.adapters.spark.state.portable import ImportedState

BY_ARRIVAL_SLOT: Final = 0
"""The slot that has all results if they are written in the order of arrival."""


@dataclass(frozen=True)
class SparkPlan:
    """What workers need to know about a query; picklable.

    Args:
        run: the plan of the run.
        line: the indexes of the sub-topologies in the order of their stages.
        writer: the writer id of this checkpoint in the event sink.
        groups: the number of Spark partitions.
        with_changes: whether the changes of stores are sent to the driver.
        log: the identity of the log that the offsets of the checkpoint belong to; by default it is not checked.
        imported: the state that the checkpoint begins with, if it was imported.
        assigned: the Spark partitions of the first tasks; others have the one that `TaskIds` says.
        limit: the limit of the records in a batch, which the driver changes; by default it is that of the options.
    """

    run: RunPlan
    line: tuple[int, ...]
    writer: str
    groups: int
    with_changes: bool = False
    log: LogIdentity | None = None
    imported: "ImportedState | None" = None
    assigned: tuple[int, ...] = ()
    limit: BatchLimit | None = None

    def task_ids(self) -> TaskIds:
        """Return the integers that stand for the tasks in Spark's rows."""
        return TaskIds(self.groups, self.assigned)

    @property
    def by_arrival(self) -> bool:
        """Whether all results of a batch are written together, in the order of arrival; else each task writes its own."""
        return self.run.options.order == "arrival"

    def slot(self, stage: int, task: int) -> int:
        """Return the slot of the event sink that a task writes."""
        return task * len(self.line) + stage

    def slots_of(self, task: int) -> list[int]:
        """Return the slots that the tasks with a number, one in each stage, are expected to write.

        Others write dead letters only.
        """
        if self.by_arrival:
            return [BY_ARRIVAL_SLOT] if task == 0 else []
        stages = (stage for stage, index in enumerate(self.line) if task < self.run.tasks[index] and self._writes(index))
        return [self.slot(stage, task) for stage in stages]

    def _writes(self, index: int) -> bool:
        nodes = map(self.run.topology.by_name.__getitem__, self.run.topology.sub_topologies[index].nodes)
        return index in self.run.changelogs or any(isinstance(node, SinkNode) for node in nodes)

    @property
    def topics(self) -> list[str]:
        """The topics that are read from the log now: those of the stages, of global tables, and the clock topic."""
        return self.run.read_topics()

    @cached_property
    def stages(self) -> Mapping[str, int]:
        """The stage that reads a repartition topic, by topic."""
        stage_of = {index: stage for stage, index in enumerate(self.line)}
        return {topic: stage_of[index] for topic, index in self.run.readers.items()}

    @cached_property
    def in_reader(self) -> frozenset[int]:
        """The stateless stages that read nothing but the log; they run where the log is read."""
        subs = self.run.topology.sub_topologies
        return frozenset(stage for stage, index in enumerate(self.line) if is_stateless(self.run.topology, subs[index]))

    @property
    def stateful(self) -> tuple[int, ...]:
        """The stages that run as stateful operators of Spark."""
        return tuple(stage for stage in range(len(self.line)) if stage not in self.in_reader)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name in type(self).__dataclass_fields__}


def is_stateless(topology: Topology, sub: SubTopology) -> bool:
    """Return whether a sub-topology can run where the log is read.

    It must have no repartition topic, store, processor or global table.
    """
    nodes = [topology.by_name[name] for name in sub.nodes]
    if sub.repartition_sources or sub.global_nodes:
        return False
    return not any(node.stores or isinstance(node, ProcessorNode) for node in nodes)


def stage_line(topology: Topology) -> tuple[int, ...]:
    """Return the indexes of the sub-topologies in the order of their stages: upstream first.

    Raises:
        TopologyError: sub-topologies feed each other in a cycle.
    """
    line, cyclic = upstream_first(topology)
    if cyclic:
        names = [", ".join(topology.sub_topologies[index].nodes) for index in cyclic]
        raise TopologyError(
            f"these sub-topologies feed each other in a cycle, which Spark does not support: {listed(names)}; "
            "write the records of one of them to a topic with .through(topic), which the next batch reads"
        )
    return line
