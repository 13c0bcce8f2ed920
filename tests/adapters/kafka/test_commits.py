"""Commits of a process whose brokers refuse something, with producers that only record what they are asked."""

from unittest.mock import Mock

import pytest
from confluent_kafka import KafkaError, KafkaException

from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.streams import commits
from eddyline.adapters.kafka.streams.commits import KafkaCommits
from eddyline.application.ports.event_log import TopicPartition


@pytest.mark.parametrize("confirmed", [True, False])
def test_a_commit_is_written_again_by_a_new_producer_if_the_abort_of_the_first_attempt_is_not_confirmed(
    monkeypatch: pytest.MonkeyPatch, confirmed: bool
) -> None:
    producers: list[Mock] = []

    def producer(*_given: object, **_more: object) -> Mock:
        producers.append(Mock())
        return producers[-1]

    monkeypatch.setattr(commits, "transactional_producer", producer)
    monkeypatch.setattr(commits, "aborted", lambda _producer: confirmed)
    monkeypatch.setattr(commits, "wait_for_acknowledgements", lambda *_given: None)
    found = KafkaCommits(
        KafkaSettings({"bootstrap.servers": "127.0.0.1:1"}), Mock(), "app", partitioner="by-key", exactly_once=True
    )
    found.open([0])
    refused = KafkaException(KafkaError(KafkaError.ILLEGAL_GENERATION))
    producers[0].send_offsets_to_transaction.side_effect = [refused, None]
    assert found.write(1, [], [], {TopicPartition("orders", 0): 7})
    assert len(producers) == (1 if confirmed else 2)
    assert producers[-1].commit_transaction.call_count == 1
    assert sum(each.commit_transaction.call_count for each in producers) == 1
    found.close()
