"""The clients of confluent-kafka, over the simulated brokers: as much of them as the adapters use."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, TopicPartition

from eddyline.application.runtime.plan.partitioner import partition_for
from tests.simulation.broker_state import ProducerId
from tests.simulation.network import Network

_FENCED = {"PRODUCER_FENCED", "INVALID_PRODUCER_EPOCH"}
_DELIVERY_S = 120.0
_REQUEST_S = 30.0
_FLUSH_CHANCE = 0.1
_NO_FIELDS = (None, None, 0, None)


def message(topic: str, partition: int, offset: int, fields: Sequence[Any], error: KafkaError | None = None) -> Message:
    """Return a message that was read, an error at a position, which has no fields, or a message that was not delivered."""
    key, value, timestamp, headers = fields or _NO_FIELDS
    return Message(topic, partition, offset, key, value, headers, error, (1, timestamp))


class Client:
    """What all clients have."""

    def __init__(self, network: Network, _config: dict[str, Any]) -> None:
        self._network, self._broker = network, network.broker
        self._hangs = network.faults.happens("hanging client", 0.01)

    def poll(self, timeout: float = -1, /) -> object:
        """Serve callbacks, of which there are none."""

    def list_topics(self, topic: str | None = None, timeout: float = _REQUEST_S) -> Any:
        def answer() -> Any:
            found = {name: self._metadata(name) for name in ([topic] if topic is not None else sorted(self._broker.topics))}
            return SimpleNamespace(topics=found, brokers={0: "broker"})

        return self._network.call(f"list topics {topic or ''}", answer, timeout)

    def _metadata(self, topic: str) -> Any:
        logs = self._broker.topics.get(topic, ())
        error = None if logs else KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART)
        return SimpleNamespace(error=error, partitions={number: SimpleNamespace(leader=0) for number in range(len(logs))})


class Consumer(Client):
    """A consumer that is assigned its partitions; it never joins a group."""

    def __init__(self, network: Network, config: dict[str, Any]) -> None:
        super().__init__(network, config)
        self._group, self._committed = config["group.id"], config["isolation.level"] == "read_committed"
        self._at: list[TopicPartition] = []

    def assign(self, partitions: Sequence[TopicPartition]) -> None:
        self._at = [TopicPartition(found.topic, found.partition, found.offset) for found in partitions]
        self._ended: int | None = None

    def consume(self, num_messages: int = 1, timeout: float = -1) -> list[Message]:
        (at,) = self._at

        def answer() -> tuple[list[tuple[int, Any]], int]:
            return self._broker.fetch(at.topic, at.partition, at.offset, num_messages, committed=self._committed)

        def read(found: list[tuple[int, Any]]) -> list[Message]:
            return [message(at.topic, at.partition, offset, fields) for offset, fields in found]

        if timeout == 0:
            found, at.offset = answer()
            return read(found)
        try:
            found, reached = self._network.call(f"fetch {at.topic}-{at.partition} from {at.offset}", answer, _REQUEST_S)
        except KafkaException as error:
            code = error.args[0]
            if code.name() == "OFFSET_OUT_OF_RANGE":
                code = KafkaError(KafkaError._AUTO_OFFSET_RESET)  # noqa: SLF001 - the constant's public name
            return [message(at.topic, at.partition, at.offset, (), code)]
        moved, at.offset = reached > at.offset, reached
        if found:
            return read(found)
        if moved or self._ended != reached:
            self._ended = reached
            return [message(at.topic, at.partition, reached, (), KafkaError(KafkaError._PARTITION_EOF))]  # noqa: SLF001 - the constant's public name
        self._network.scheduler.sleep(timeout)
        return []

    def get_watermark_offsets(self, at: TopicPartition, timeout: float = _REQUEST_S) -> tuple[int, int]:
        def answer() -> tuple[int, int]:
            return 0, self._broker.end(at.topic, at.partition, committed=self._committed)

        return self._network.call(f"end of {at.topic}-{at.partition}", answer, timeout)

    def committed(self, partitions: Sequence[TopicPartition], timeout: float = _REQUEST_S) -> list[TopicPartition]:
        def answer() -> list[int | None]:
            return self._broker.committed(self._group, [(at.topic, at.partition) for at in partitions], stable=self._committed)

        found = self._network.call(f"read offsets of {self._group}", answer, timeout, names=self._group)
        return [
            TopicPartition(at.topic, at.partition, -1001 if offset is None else offset)
            for at, offset in zip(partitions, found, strict=True)
        ]

    def commit(self, *, offsets: Sequence[TopicPartition], asynchronous: bool) -> list[TopicPartition]:
        assert not asynchronous
        given = {(at.topic, at.partition): (at.offset, at.metadata or "") for at in offsets}
        name = f"commit {[offset for offset, _ in given.values()]} of {self._group}"
        self._network.call(name, lambda: self._broker.commit_offsets(self._group, given), 10.0, names=self._group)
        return list(offsets)

    def consumer_group_metadata(self) -> str:
        return self._group  # type: ignore[no-any-return]

    def close(self) -> None:
        """Do nothing: the consumer is no member of its group."""


class Producer(Client):
    """A producer, with transactions if it has a `transactional.id`, else idempotent."""

    def __init__(self, network: Network, config: dict[str, Any]) -> None:
        super().__init__(network, config)
        self._id: Any = config.get("transactional.id")
        self._on_delivery = config.get("on_delivery", lambda _error, _message: None)
        self._timeout_s = float(config.get("transaction.timeout.ms", 60_000)) / 1_000
        self._producer: ProducerId | None = None
        self._buffer: dict[tuple[str, int], list[tuple[Any, ...]]] = {}
        self._sequences: dict[tuple[str, int], int] = {}
        self._added: set[tuple[str, int]] = set()
        self._failure: KafkaException | None = None

    def __len__(self) -> int:
        return sum(map(len, self._buffer.values()))

    def list_topics(self, topic: str | None = None, timeout: float = _REQUEST_S) -> Any:
        """Only connect, which takes no time here, when nothing else can be of interest."""
        return None if topic == "__transaction_state" else super().list_topics(topic, timeout)

    def init_transactions(self, timeout: float) -> None:
        self._hang()
        self._producer = self._call("init", lambda: self._broker.init_producer(self._id, self._timeout_s), timeout)

    def begin_transaction(self) -> None:
        self._check()
        self._added.clear()

    def produce(
        self,
        topic: str,
        value: bytes | None = None,
        key: bytes | None = None,
        partition: int = -1,
        callback: Any = None,
        on_delivery: Any = None,
        timestamp: int = 0,
        headers: Any = None,
    ) -> None:
        del callback, on_delivery
        if self._failure is not None:
            fatal = self._failure.args[0].fatal()
            raise KafkaException(KafkaError(KafkaError._FATAL if fatal else KafkaError._STATE))  # noqa: SLF001
        if partition < 0:
            partition = partition_for(key or b"", len(self._broker.topics[topic]))
        self._buffer.setdefault((topic, partition), []).append((key, value, timestamp, headers))
        if self._network.scheduler.random.random() < _FLUSH_CHANCE:
            self._send(_DELIVERY_S)

    def flush(self, timeout: float = _DELIVERY_S) -> int:
        del timeout  # records stay in flight until they are delivered, or have failed
        self._send(_DELIVERY_S)
        return 0

    def send_offsets_to_transaction(self, offsets: Sequence[TopicPartition], group: str, timeout: float) -> None:
        self._check()
        given = {(at.topic, at.partition): at.offset for at in offsets}
        assert self._producer is not None
        producer = self._producer
        self._call("add group", lambda: self._broker.add_group_to_transaction(self._id, producer, group), timeout)
        self._call(
            f"offsets {list(given.values())}",
            lambda: self._broker.commit_offsets_in_transaction(self._id, producer, group, given),
            timeout,
            may_be_late=False,
        )

    def commit_transaction(self, timeout: float) -> None:
        self._hang()
        self._send(timeout)
        self._check()
        self._end(timeout, commit=True)

    def abort_transaction(self, timeout: float) -> None:
        self._end(timeout, commit=False)

    def purge(self) -> None:
        """Forget the records that were not sent."""
        self._buffer.clear()

    def _end(self, timeout: float, *, commit: bool) -> None:
        assert self._producer is not None
        producer = self._producer
        name = "commit" if commit else "abort"
        self._call(name, lambda: self._broker.end_transaction(self._id, producer, commit=commit), timeout, may_be_late=False)

    def _send(self, timeout: float) -> None:
        """Send what is in the buffer; a failure is raised by later calls."""
        if self._failure is not None:
            return
        try:
            if self._producer is None:
                self._producer = self._call("init", lambda: self._broker.init_producer(None, 0.0), timeout)
            for at in list(self._buffer):
                self._send_to(at, timeout)
        except KafkaException as error:
            self._failure = error
            timed_out = error.args[0].name() == "_TIMED_OUT"
            code = KafkaError(KafkaError._MSG_TIMED_OUT if timed_out else KafkaError._PURGE_QUEUE)  # noqa: SLF001
            for (topic, partition), records in self._buffer.items():
                for record in records:
                    self._on_delivery(code, message(topic, partition, -1, record))
            self._buffer.clear()

    def _send_to(self, at: tuple[str, int], timeout: float) -> None:
        assert self._producer is not None
        producer, records, sequence = self._producer, self._buffer[at], self._sequences.get(at, 0)
        if self._id is not None and at not in self._added:
            self._call(
                f"add {at[0]}-{at[1]}",
                lambda: self._broker.add_partitions_to_transaction(self._id, producer, [at]),
                timeout,
            )
            self._added.add(at)
        sent = list(records)
        self._call(
            f"produce {len(sent)} to {at[0]}-{at[1]}",
            lambda: self._broker.produce(at, producer, sequence, sent, self._id),
            timeout,
        )
        self._sequences[at] = sequence + len(sent)
        self._buffer.pop(at, None)

    def _call(self, name: str, request: Any, timeout: float, *, may_be_late: bool = True) -> Any:
        label = f"{self._id or 'producer'} {self._producer.epoch if self._producer else ''}: {name}"
        try:
            return self._network.call(label, request, timeout, names=self._id or "", may_be_late=may_be_late)
        except KafkaException as error:
            if error.args[0].name() in _FENCED:
                error = KafkaException(KafkaError(KafkaError._FENCED, error.args[0].name(), fatal=True))  # noqa: SLF001
                self._failure = error
            raise error from None

    def _check(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _hang(self) -> None:
        """Never return, as calls of transactions sometimes do (librdkafka issue 5511)."""
        if self._hangs:
            self._network.scheduler.note("the client hangs")
            self._network.scheduler.sleep(1e9)
