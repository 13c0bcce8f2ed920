"""`eddyline topics`."""

import json
from typing import Annotated, TypeAlias

import typer
from rich.table import Table

from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.errors import CommandError, UsageError
from eddyline.adapters.cli.event_logs import log_name, require_topic, topic_tools
from eddyline.adapters.cli.option_groups import option_groups
from eddyline.adapters.cli.options import EventLogOptions, Execute, Form, SettingSources
from eddyline.adapters.cli.printable import echo
from eddyline.adapters.cli.screen import counted, message, stdout
from eddyline.application.ports.event_sink import InvalidTopicError

app = typer.Typer(name="topics", help="List, describe, create and delete topics.", no_args_is_help=True)

_TopicName: TypeAlias = Annotated[str, typer.Argument(metavar="TOPIC", help="The topic.")]


@app.command(name="list")
@option_groups
def list_topics(*, form: Form = "text", topics: EventLogOptions, sources: SettingSources) -> None:
    """List all topics with their partitions."""
    container = container_for(sources.settings(topics))
    topic_tools(container)
    log = container.log()
    found = {topic: log.partitions(topic) for topic in log.topics()}
    if form == "json":
        for topic, partitions in found.items():
            echo(json.dumps({"topic": topic, "partitions": partitions}))
        return
    table = Table("topic", "partitions", box=None)
    for topic, partitions in found.items():
        table.add_row(topic, str(partitions))
    stdout().print(table)


@app.command()
@option_groups
def describe(topic: _TopicName, *, form: Form = "text", topics: EventLogOptions, sources: SettingSources) -> None:
    """Show the offsets of a topic's partitions, and on Kafka its replication factor."""
    container = container_for(sources.settings(topics))
    require_topic(container, topic)
    (bounds,) = container.log().topic_bounds([topic]).values()
    replication = topic_tools(container).replication(topic)
    if form == "json":
        partitions = [{"partition": number, "begin": begin, "end": end} for number, (begin, end) in enumerate(bounds)]
        echo(json.dumps({"topic": topic, "replication": replication, "partitions": partitions}))
        return
    table = Table("partition", "begin", "end", box=None)
    for number, (begin, end) in enumerate(bounds):
        table.add_row(str(number), str(begin), str(end))
    stdout().print(table)
    copies = "" if replication is None else f", replication factor {replication}"
    message(f"topic '{topic}' has {counted(len(bounds), 'partition')}{copies}")


@app.command()
@option_groups
def create(
    topic: _TopicName,
    *,
    partitions: Annotated[
        int | None, typer.Option(min=1, help="Give the topic this many partitions.", show_default="num.partitions")
    ] = None,
    replication: Annotated[
        int | None,
        typer.Option(min=1, help="Keep each partition on this many brokers.", show_default="the default of the brokers"),
    ] = None,
    topics: EventLogOptions,
    sources: SettingSources,
) -> None:
    """Create a topic.

    An existing topic is left as it is, and is an error if it has another number of partitions.
    """
    settings = sources.settings(topics)
    container = container_for(settings)
    tools, number = topic_tools(container), partitions or settings.num_partitions
    if replication is not None and settings.log != "kafka":
        raise UsageError("--replication is for Kafka alone; leave it out, or choose --log kafka")
    try:
        created = tools.create_topic(topic, number, **({} if replication is None else {"replication": replication}))
    except InvalidTopicError as invalid:
        raise UsageError(str(invalid)) from invalid
    existing = container.log().partitions(topic)
    if not created and partitions not in (None, existing):
        raise CommandError(
            f"topic '{topic}' exists in {log_name(settings, container)} with {counted(existing, 'partition')}, not {partitions}; "
            "choose another name, or delete it with 'eddyline topics delete'"
        )
    what = "created" if created else "exists already:"
    message(f"{what} topic '{topic}' with {counted(existing, 'partition')}")


@app.command()
@option_groups
def delete(topic: _TopicName, *, execute: Execute = False, topics: EventLogOptions, sources: SettingSources) -> None:
    """Delete a topic with its records.

    Shows what would be deleted, and deletes it with --execute. Stop the flows and programs that use the topic first.
    """
    settings = sources.settings(topics)
    container = container_for(settings)
    require_topic(container, topic)
    (bounds,) = container.log().topic_bounds([topic]).values()
    offsets = sum(end - begin for begin, end in bounds)
    if execute:
        topic_tools(container).delete_topic(topic)
    done = "deleted" if execute else "nothing was changed; delete it with --execute"
    message(f"topic '{topic}' with {counted(len(bounds), 'partition')} and {counted(offsets, 'offset')}: {done}")
