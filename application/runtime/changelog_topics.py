"""Creates the changelog topics of a run, and checks those that exist."""

from eddyline.application.runtime.run_plan import RunPlan
from eddyline.application.runtime.topic_creation import TopicCreator
from eddyline.application.topology.errors import TopologyError


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
        partitions = plan.ports.log.partitions(topic) if topic in existing else tasks
        if partitions < tasks:
            raise TopologyError(
                f"the changelog topic '{topic}' has {partitions} partitions, but its store has {tasks} tasks now; "
                "an input topic was given more partitions, so keys have moved to other tasks, or the flow was rescaled: reset"
                f" the flow, or rescale it to {partitions} tasks"
            )
