"""Commits of a process whose brokers refuse something or do not answer, with producers that only record what they are asked."""

from collections.abc import Callable
from unittest.mock import Mock

import pytest
from confluent_kafka import KafkaError, KafkaException

from eddyline.adapters.kafka.errors import BrokerUnavailableError
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.streams import commit_producer, commits
from eddyline.adapters.kafka.streams.commits import KafkaCommits
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.ports.event_sink import SinkRecord

POSITIONS = {TopicPartition("orders", 0): 7}
RESULT = SinkRecord("results", b"k", b"v", 1, ())


class Producers:
    """The producers that were created, in order, and what breaks the connection of each."""

    def __init__(self) -> None:
        self.created: list[Mock] = []
        self.disconnect: list[Callable[[], None]] = []

    def create(self, _settings: KafkaSettings, _id: str, _sender: object, on_disconnect: Callable[[], None]) -> Mock:
        self.created.append(Mock())
        self.disconnect.append(on_disconnect)
        return self.created[-1]

    def commits(self) -> list[int]:
        """Return the number of transactions that each producer was asked to commit."""
        return [each.commit_transaction.call_count for each in self.created]

    def records(self) -> list[int]:
        """Return the number of records that were sent with each producer."""
        return [each.produce.call_count for each in self.created]


@pytest.fixture
def producers(monkeypatch: pytest.MonkeyPatch) -> Producers:
    found = Producers()
    monkeypatch.setattr(commit_producer, "transactional_producer", found.create)
    monkeypatch.setattr(commits, "wait_for_acknowledgements", lambda *_given: None)
    monkeypatch.setattr(commits, "Topics", lambda _settings: Mock(partitions=lambda *_given: 1))
    return found


@pytest.fixture
def task_commits(producers: Producers) -> KafkaCommits:
    """Commits of task 0, whose producer was created."""
    found = KafkaCommits(
        KafkaSettings({"bootstrap.servers": "127.0.0.1:1"}), Mock(), "app", partitioner=lambda *_given: 0, exactly_once=True
    )
    found.open([0])
    assert len(producers.created) == 1
    return found


@pytest.mark.parametrize("confirmed", [True, False])
def test_a_commit_is_written_again_by_a_new_producer_if_the_abort_of_the_first_attempt_is_not_confirmed(
    monkeypatch: pytest.MonkeyPatch, producers: Producers, task_commits: KafkaCommits, confirmed: bool
) -> None:
    monkeypatch.setattr(commit_producer, "aborted", lambda _producer: confirmed)
    refused = KafkaException(KafkaError(KafkaError.ILLEGAL_GENERATION))
    producers.created[0].send_offsets_to_transaction.side_effect = [refused, None]
    assert task_commits.write(1, [], [], POSITIONS)
    assert producers.commits() == ([1] if confirmed else [0, 1])
    task_commits.close()


def test_a_producer_whose_connection_has_broken_between_two_commits_is_replaced(
    producers: Producers, task_commits: KafkaCommits
) -> None:
    assert task_commits.write(1, [], [], POSITIONS)
    producers.disconnect[0]()
    assert task_commits.write(2, [], [], POSITIONS)
    assert producers.commits() == [1, 1]
    task_commits.close()


def test_results_are_sent_again_by_a_new_producer_if_a_connection_has_broken_since_they_were_sent(
    producers: Producers, task_commits: KafkaCommits
) -> None:
    task_commits.send([RESULT])
    producers.disconnect[0]()
    assert task_commits.write(1, [RESULT, RESULT], [RESULT], POSITIONS)
    assert producers.commits() == [0, 1]
    assert producers.records() == [3, 3]  # the first one sends the rest, too, before it is found to be disconnected
    assert producers.created[0].abort_transaction.call_count == 0
    task_commits.close()


def test_a_new_producer_writes_the_commit_if_the_client_does_not_return_from_adding_offsets(
    monkeypatch: pytest.MonkeyPatch, producers: Producers, task_commits: KafkaCommits
) -> None:
    timeouts_s = []

    def hang_once(action: str, call: Callable[[float], None], timeout_s: float) -> None:
        timeouts_s.append(timeout_s)
        if len(timeouts_s) == 1:
            raise BrokerUnavailableError(f"could not {action}")
        call(timeout_s)

    monkeypatch.setattr(commits, "call_with_timeout", hang_once)
    assert task_commits.write(1, [], [], POSITIONS)
    assert producers.commits() == [0, 1]
    assert timeouts_s[0] < timeouts_s[1]
    task_commits.close()


def test_a_commit_that_may_have_been_carried_out_is_not_written_again(
    monkeypatch: pytest.MonkeyPatch, producers: Producers, task_commits: KafkaCommits
) -> None:
    def hang(action: str, call: Callable[[float], None], timeout_s: float) -> None:
        if "commit" in action:
            raise BrokerUnavailableError(f"could not {action}")
        call(timeout_s)

    monkeypatch.setattr(commits, "call_with_timeout", hang)
    with pytest.raises(BrokerUnavailableError):
        task_commits.write(1, [], [], POSITIONS)
    assert producers.commits() == [0]
    task_commits.close()
