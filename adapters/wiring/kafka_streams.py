"""Kafka for the local engine."""

from contextlib import closing
from typing import TYPE_CHECKING, Final

from eddyline.adapters.local.streams import Assignment, OnRevoked, Streams
from eddyline.adapters.settings import Settings
from eddyline.adapters.wiring.extras import extra
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.ports.task_streams import Commits, Feed, Membership
from eddyline.application.runtime.plan.run_plan import RunPlan

_STEP_S: Final = 0.1
"""Processes take part in their group between two steps."""

if TYPE_CHECKING:
    from eddyline.adapters.kafka.settings import KafkaSettings


def kafka_streams(kafka: "KafkaSettings", settings: Settings, application_id: str) -> Streams:
    """Return the streams of an application on Kafka, with the guarantee and the partitioner of the settings."""
    with extra("kafka"):
        from eddyline.adapters.kafka.errors import AuthenticationError, BrokerUnavailableError
        from eddyline.adapters.kafka.sink.partitioning import find_partitioner
        from eddyline.adapters.kafka.streams.commits import KafkaCommits
        from eddyline.adapters.kafka.streams.feed import KafkaFeed
        from eddyline.adapters.kafka.streams.membership import KafkaMembership
        from eddyline.adapters.kafka.streams.open_transactions import OpenTransactions
    partitioner, of_producer = find_partitioner(settings.partitioner, kafka)

    def membership(assignment: Assignment, on_revoked: OnRevoked) -> Membership:
        return KafkaMembership(kafka, application_id, assignment.topic, on_revoked)

    def commits(member: Membership) -> Commits:
        assert isinstance(member, KafkaMembership)  # noqa: S101 - made above
        exactly_once = settings.processing_guarantee == "exactly_once_v2"
        return KafkaCommits(of_producer, member, application_id, partitioner=partitioner, exactly_once=exactly_once)

    def settle(partition: TopicPartition) -> None:
        with closing(OpenTransactions(kafka, application_id)) as transactions:
            transactions.wait(partition)

    def feed(plan: RunPlan) -> Feed:
        return KafkaFeed(kafka, plan.global_topics, plan.options.input_buffer_max_bytes)

    retryable = BrokerUnavailableError, AuthenticationError
    return Streams(membership, feed, commits, retryable, step_s=_STEP_S, settle=settle)
