"""Functions that choose topics and partitions."""

import re
from collections.abc import Collection
from typing import Any

from eddyline.application.topology import RecordContext, TopologyBuilder
from eddyline.application.topology.processor import Processor, ProcessorContext, PunctuationType, Record


class Later(Processor[str, Any, str, Any]):
    """Forwards records one millisecond later, and one with each stream-time punctuation."""

    def init(self, context: ProcessorContext[str, Any]) -> None:
        super().init(context)
        context.schedule(100, PunctuationType.STREAM_TIME, lambda now: context.forward(Record("tick", "t", now)))

    def process(self, record: Record[str, Any]) -> None:
        self.context.forward(record.with_timestamp(record.timestamp + 1))


def chosen_topics(builder: TopologyBuilder) -> None:
    """Write the records of topic `in` to topics that are named after their context."""

    def topic_of(_key: str, _value: Any, context: RecordContext) -> str:
        topic, partition, offset, timestamp, headers = context
        return f"{topic or 'null'}-{partition}-{offset}-{timestamp}-{len(headers)}"

    builder.stream("in", key=str, value=object).process(Later, key=str, value=object).to(topic_of)


def partitioners(builder: TopologyBuilder) -> None:
    """Count the records of topic `in` after a repartition with a partitioner, and write those of topic `more` with it."""

    def by_value(_key: str, value: Any, partitions: int) -> Collection[int] | None:
        choices: dict[Any, Collection[int]] = {"none": (), "all": range(partitions)}
        return choices.get(value)

    moved = builder.stream("in", key=str, value=object).repartition(name="moved", partitioner=by_value)
    moved.group_by_key().count(store="counts").to_stream().to("counted")
    builder.stream("more", key=str, value=object).to("out", partitioner=by_value)


def topic_patterns(builder: TopologyBuilder) -> None:
    """Write the records of topic `audit`, and of all topics of logs, to topic `all-logs`, and count them by key."""
    audit = builder.stream("audit", key=str, value=object)
    logs = builder.stream(re.compile("logs-[a-z]+"), key=str, value=object).merge(audit)
    logs.to("all-logs")
    logs.group_by_key().count(store="counts").to_stream().to("counted")
