"""Creates the topics that a run writes, each before its first record is written."""

from collections.abc import Iterable, Mapping

from eddyline.application.ports.event_sink import EventSink
from eddyline.application.runtime.input.batch_planner import task_count
from eddyline.application.runtime.input.offsets import Offsets
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.topology.errors import TopologyError


class TopicCreator:
    """Creates topics through the event sink, each once; existing topics stay as they are."""

    def __init__(self, sink: EventSink, partitions: int) -> None:
        self._sink, self._partitions = sink, partitions
        self._created: set[str] = set()

    def ensure(self, topics: Iterable[str]) -> None:
        """Create those of the topics that do not exist yet."""
        for topic in topics:
            if topic not in self._created:
                self._sink.create_topic(topic, self._partitions)
                self._created.add(topic)

    def ensure_compacted(self, topics: Mapping[str, int]) -> None:
        """Create those of the topics that do not exist yet as compacted topics, with these numbers of partitions."""
        for topic, partitions in topics.items():
            if topic not in self._created:
                self._sink.create_topic(topic, partitions, compacted=True)
                self._created.add(topic)


def ensure_changelogs(plan: RunPlan, topics: TopicCreator) -> None:
    """Create the changelog topics of a run that do not exist yet.

    Raises:
        TopologyError: an existing one has fewer partitions than there are tasks, because an input topic was given more, or the
            flow was rescaled.
    """
    if not plan.changelogs:
        return
    topics.ensure_compacted(plan.changelog_partitions)
    existing = set(plan.ports.log.topics())
    for topic, tasks in plan.changelog_partitions.items():
        if topic in existing:
            _check(plan, topic, tasks)


def check_changelog_partitions(plan: RunPlan, offsets: Offsets) -> None:
    """Make sure that the changelogs have a partition for each task of a batch that ends at these offsets.

    Raises:
        TopologyError: one has fewer, because an input topic was given more partitions during the run.
    """
    for index, topics in plan.changelogs.items():
        tasks = task_count(plan, index, offsets)
        if tasks > plan.tasks[index]:
            for topic in topics.values():
                _check(plan, topic, tasks)


def _check(plan: RunPlan, topic: str, tasks: int) -> None:
    partitions = plan.ports.log.partitions(topic)
    if partitions < tasks:
        raise TopologyError(
            f"the changelog topic '{topic}' has {partitions} partitions, but its store has {tasks} tasks now; "
            "an input topic was given more partitions, so keys have moved to other tasks, or the flow was rescaled: reset"
            f" the flow, or rescale it to {partitions} tasks"
        )
