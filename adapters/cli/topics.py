"""The topics that must exist before a flow runs."""

from typing import TYPE_CHECKING

from eddyline.adapters.cli.errors import CommandError
from eddyline.adapters.cli.requests import Request
from eddyline.adapters.cli.screen import counted

if TYPE_CHECKING:
    from eddyline.adapters.container import Container


def ensure_topics(request: Request, container: "Container") -> None:
    """Create the missing topics of a flow if `create.topics` is set, else make sure that none is missing in Kafka.

    Event logs on files and in memory create the topics that are written by themselves.

    Raises:
        CommandError: topics are missing in Kafka.
    """
    settings, topology = request.settings, request.topology
    topics = [spec.name for spec in (*topology.source_topics, *topology.sink_topics)]
    if settings.create_topics:
        for topic in topics:
            container.sink().create_topic(topic, settings.num_partitions)
    elif settings.log == "kafka":
        existing = set(container.log().topics())
        missing = [f"'{topic}'" for topic in dict.fromkeys(topics) if topic not in existing]
        if missing:
            partitions = counted(settings.num_partitions, "partition")
            raise CommandError(
                f"flow '{request.flow.name}' needs topics that do not exist in Kafka: {', '.join(missing)}; create them with "
                f"--create-topics ({partitions} each; setting num.partitions)"
            )
