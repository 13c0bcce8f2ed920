"""Sees to it before a flow runs that its topics are there."""

from eddyline.adapters.cli.errors import CommandError
from eddyline.adapters.cli.options import Request
from eddyline.adapters.container import Container


def ready_topics(request: Request, container: Container) -> None:
    """Makes the topics that the flow reads and writes, if it may; else raises CommandError that names those missing in Kafka.

    A log on files or in memory makes topics that are written by itself.
    """
    settings, topology = request.settings, request.topology
    topics = [spec.name for spec in (*topology.source_topics, *topology.sink_topics)]
    if settings.create_topics:
        for topic in topics:
            container.sink().create_topic(topic, settings.num_partitions)
    elif settings.log == "kafka":
        there = set(container.log().topics())
        missing = [f"'{topic}'" for topic in dict.fromkeys(topics) if topic not in there]
        if missing:
            raise CommandError(
                f"{'topics' if len(missing) > 1 else 'topic'} {', '.join(missing)} of flow '{request.flow.name}' "
                f"{'are' if len(missing) > 1 else 'is'} not in Kafka; make {'them' if len(missing) > 1 else 'it'}, or let "
                f"--create-topics do it, with {settings.num_partitions} partitions (num.partitions)"
            )
