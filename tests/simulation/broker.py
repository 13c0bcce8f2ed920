"""A Kafka cluster as a state machine: the answer to each request depends on nothing but the requests before it.

It follows KIP-98 (transactions), KIP-360 (epochs of producers), KIP-447 (pending offsets and `UNSTABLE_OFFSET_COMMIT`) and the
first part of KIP-890 (a partition verifies that its transaction is open). Requests raise KafkaException with Kafka's codes.
Markers of transactions are written later, one by one: `unfinished_markers` has those that are due.
"""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from confluent_kafka import KafkaError, KafkaException

from tests.simulation.broker_state import Partition, PartitionLog, PartitionWriter, ProducerId, Stored, Transaction

_KEPT_BATCHES = 5  # of the last batches of a producer in a partition, which are recognized when they are repeated


class Broker:
    """The state of a cluster.

    Args:
        now: Returns the time in seconds.
        on_markers: Called with a transactional id whose markers must be written, by `write_marker`.
    """

    def __init__(self, now: Callable[[], float], on_markers: Callable[[str], None]) -> None:
        self._now, self._on_markers = now, on_markers
        self.topics: dict[str, list[PartitionLog]] = {}
        self.ids: dict[str, str] = {}
        self.transactions: dict[str, Transaction] = {}
        self.offsets: dict[str, dict[Partition, tuple[int, str]]] = {}
        self.pending: dict[str, dict[int, dict[Partition, tuple[int, int]]]] = {}
        self._newest: dict[tuple[str, Partition], int] = {}
        self.group_epochs: dict[str, dict[int, int]] = {}
        self.moved_until: dict[str, float] = {}
        self._numbers = 0

    # --- topics -------------------------------------------------------------------------------------------------------

    def create_topic(self, topic: str, partitions: int) -> None:
        """Create a topic."""
        if topic in self.topics:
            _fail("TOPIC_ALREADY_EXISTS", f"Topic '{topic}' already exists.")
        self._numbers += 1
        self.topics[topic] = [PartitionLog() for _ in range(partitions)]
        self.ids[topic] = f"id-{self._numbers}"

    def add_partitions(self, topic: str, partitions: int) -> None:
        """Add partitions until there are this many."""
        if partitions <= len(self._topic(topic)):
            _fail("INVALID_PARTITIONS")
        self.topics[topic] += [PartitionLog() for _ in range(partitions - len(self.topics[topic]))]

    def delete_topic(self, topic: str) -> None:
        """Delete a topic."""
        self._topic(topic)
        del self.topics[topic], self.ids[topic]

    def log(self, topic: str, partition: int) -> PartitionLog:
        """Return a partition."""
        logs = self._topic(topic)
        if not 0 <= partition < len(logs):
            _fail("UNKNOWN_TOPIC_OR_PART")
        return logs[partition]

    def end(self, topic: str, partition: int, *, committed: bool) -> int:
        """Return the last stable offset, or the high watermark if reads are not `committed`."""
        log = self.log(topic, partition)
        return log.stable_end if committed else len(log.records)

    def fetch(self, topic: str, partition: int, start: int, limit: int, *, committed: bool) -> tuple[list[tuple[int, Any]], int]:
        """Return records with their offsets, and the offset that was reached."""
        log, end = self.log(topic, partition), self.end(topic, partition, committed=committed)
        if not 0 <= start <= len(log.records):
            _fail("OFFSET_OUT_OF_RANGE")
        found: list[tuple[int, Any]] = []
        for offset in range(start, end):
            fields = log.records[offset].fields
            if fields is not None and (not committed or log.is_visible(offset)):
                found.append((offset, fields))
                if len(found) == limit:
                    return found, offset + 1
        return found, max(start, end)

    # --- producers ----------------------------------------------------------------------------------------------------

    def produce(
        self,
        at: Partition,
        producer: ProducerId | None,
        sequence: int,
        records: Sequence[Any],
        transactional_id: str | None = None,
    ) -> int:
        """Append a batch and return its first offset; a batch that was appended before is only answered."""
        log = self.log(*at)
        if producer is None:
            log.records += [Stored(record) for record in records]
            return len(log.records) - len(records)
        writer = log.writers.get(producer.number)
        if writer is not None and producer.epoch < writer.epoch:
            _fail("INVALID_PRODUCER_EPOCH")
        if writer is not None and producer.epoch == writer.epoch and (sequence, len(records)) in writer.batches:
            return len(log.records)
        if transactional_id is not None and (writer is None or writer.first_open is None):
            self._verify(transactional_id, producer, at)
        if writer is None or producer.epoch > writer.epoch:
            if sequence:
                _fail("OUT_OF_ORDER_SEQUENCE_NUMBER")
            first_open = None if writer is None else writer.first_open
            writer = log.writers[producer.number] = PartitionWriter(producer.epoch, first_open=first_open)
        elif writer.batches and sequence != sum(writer.batches[-1]):
            _fail("OUT_OF_ORDER_SEQUENCE_NUMBER")
        writer.batches = [*writer.batches, (sequence, len(records))][-_KEPT_BATCHES:]
        offset = len(log.records)
        if transactional_id is not None and writer.first_open is None:
            writer.first_open = offset
        log.records += [Stored(record, producer.number if transactional_id is not None else None) for record in records]
        return offset

    def init_producer(self, transactional_id: str | None, timeout_s: float) -> ProducerId:
        """Return an id with a new epoch, which fences the producers before; abort the transaction of such a one first."""
        if transactional_id is None:
            self._numbers += 1
            return ProducerId(self._numbers, 0)
        self._check_coordinator(transactional_id)
        found = self.transactions.get(transactional_id)
        if found is None:
            self._numbers += 1
            found = self.transactions[transactional_id] = Transaction(ProducerId(self._numbers, 0), timeout_s)
            return found.producer
        if found.state == "Ongoing":
            self._end(transactional_id, found, commit=False, fence=True)
        if found.state in ("PrepareCommit", "PrepareAbort"):
            _fail("CONCURRENT_TRANSACTIONS")
        found.producer = found.producer._replace(epoch=found.producer.epoch + 1)
        found.state, found.timeout_s = "Empty", timeout_s
        return found.producer

    def add_partitions_to_transaction(self, transactional_id: str, producer: ProducerId, partitions: Sequence[Partition]) -> None:
        """Add partitions to the transaction, which begins if there is none."""
        self._ongoing(transactional_id, producer).partitions.update(dict.fromkeys(partitions))

    def add_group_to_transaction(self, transactional_id: str, producer: ProducerId, group: str) -> None:
        """Add a consumer group to the transaction, which begins if there is none."""
        self._ongoing(transactional_id, producer).groups[group] = None

    def commit_offsets_in_transaction(
        self, transactional_id: str, producer: ProducerId, group: str, offsets: dict[Partition, int]
    ) -> None:
        """Store offsets that the group has once the transaction is committed."""
        self._check_coordinator(group)
        epochs = self.group_epochs.setdefault(group, {})
        if producer.epoch < epochs.get(producer.number, 0):
            _fail("INVALID_PRODUCER_EPOCH")
        self._verify(transactional_id, producer, group)
        epochs[producer.number] = producer.epoch
        self._numbers += 1
        numbered = {at: (offset, self._numbers) for at, offset in offsets.items()}
        self.pending.setdefault(group, {}).setdefault(producer.number, {}).update(numbered)

    def end_transaction(self, transactional_id: str, producer: ProducerId, *, commit: bool) -> None:
        """Decide the transaction; its markers are written afterwards."""
        found = self._checked(transactional_id, producer)
        wanted = "Commit" if commit else "Abort"
        if found.state == f"Complete{wanted}":
            return
        if found.state == f"Prepare{wanted}":
            _fail("CONCURRENT_TRANSACTIONS")
        if found.state != "Ongoing":
            _fail("INVALID_TXN_STATE")
        self._end(transactional_id, found, commit=commit)

    def write_marker(self, transactional_id: str) -> None:
        """Write the next marker of a decided transaction."""
        found = self.transactions[transactional_id]
        if found.markers:
            at, commit = found.markers.pop(0), found.state == "PrepareCommit"
            if isinstance(at, str):
                self._end_in_group(at, found.producer, commit=commit)
            elif at[0] in self.topics:
                self._end_in_partition(self.log(*at), found.producer, commit=commit)
        if not found.markers and found.state.startswith("Prepare"):
            found.state = found.state.replace("Prepare", "Complete")

    def abort_expired(self) -> None:
        """Abort the transactions that are open for longer than their timeouts, and fence their producers."""
        for transactional_id, found in self.transactions.items():
            if found.state == "Ongoing" and self._now() - found.began > found.timeout_s:
                self._end(transactional_id, found, commit=False, fence=True)

    # --- groups -------------------------------------------------------------------------------------------------------

    def commit_offsets(self, group: str, offsets: dict[Partition, tuple[int, str]]) -> None:
        """Store offsets with their metadata."""
        self._check_coordinator(group)
        self._numbers += 1
        self._newest.update(dict.fromkeys(((group, at) for at in offsets), self._numbers))
        self.offsets.setdefault(group, {}).update(offsets)

    def committed(self, group: str, partitions: Sequence[Partition], *, stable: bool) -> list[int | None]:
        """Return the offsets of a group; `stable` ones only if no transaction is about to change them."""
        self._check_coordinator(group)
        pending = {at for offsets in self.pending.get(group, {}).values() for at in offsets}
        if stable and pending.intersection(partitions):
            _fail("UNSTABLE_OFFSET_COMMIT")
        found = self.offsets.get(group, {})
        return [found[at][0] if at in found else None for at in partitions]

    # --- inside -------------------------------------------------------------------------------------------------------

    def _topic(self, topic: str) -> list[PartitionLog]:
        if topic not in self.topics:
            _fail("UNKNOWN_TOPIC_OR_PART")
        return self.topics[topic]

    def _check_coordinator(self, name: str) -> None:
        if self.moved_until.get(name, 0.0) > self._now():
            _fail("NOT_COORDINATOR")

    def _checked(self, transactional_id: str, producer: ProducerId) -> Transaction:
        self._check_coordinator(transactional_id)
        found = self.transactions.get(transactional_id)
        if found is None or found.producer.number != producer.number:
            _fail("INVALID_PRODUCER_ID_MAPPING")
        if found.producer.epoch != producer.epoch:
            _fail("PRODUCER_FENCED")
        return found

    def _ongoing(self, transactional_id: str, producer: ProducerId) -> Transaction:
        found = self._checked(transactional_id, producer)
        if found.state.startswith("Prepare"):
            _fail("CONCURRENT_TRANSACTIONS")
        if found.state != "Ongoing":
            found.state, found.began = "Ongoing", self._now()
            found.partitions.clear()
            found.groups.clear()
        return found

    def _verify(self, transactional_id: str, producer: ProducerId, at: Partition | str) -> None:
        found = self.transactions.get(transactional_id)
        members = () if found is None else found.groups if isinstance(at, str) else found.partitions
        if found is None or found.state != "Ongoing" or found.producer != producer or at not in members:
            _fail("INVALID_TXN_STATE")

    def _end(self, transactional_id: str, found: Transaction, *, commit: bool, fence: bool = False) -> None:
        if fence:
            found.producer = found.producer._replace(epoch=found.producer.epoch + 1)
        found.state = "PrepareCommit" if commit else "PrepareAbort"
        found.markers = [*found.partitions, *found.groups]
        self._on_markers(transactional_id)

    def _end_in_partition(self, log: PartitionLog, producer: ProducerId, *, commit: bool) -> None:
        writer = log.writers.setdefault(producer.number, PartitionWriter(producer.epoch))
        if producer.epoch > writer.epoch:
            writer.epoch, writer.batches = producer.epoch, []
        if not commit and writer.first_open is not None:
            log.aborted.append((producer.number, writer.first_open, len(log.records)))
        writer.first_open = None
        log.records.append(Stored(None, producer.number))

    def _end_in_group(self, group: str, producer: ProducerId, *, commit: bool) -> None:
        epochs = self.group_epochs.setdefault(group, {})
        epochs[producer.number] = max(producer.epoch, epochs.get(producer.number, 0))
        offsets = self.pending.get(group, {}).pop(producer.number, {})
        for at, (offset, number) in offsets.items() if commit else ():
            if number > self._newest.get((group, at), 0):  # what was stored later counts, whenever its transaction ends
                self._newest[group, at] = number
                self.offsets.setdefault(group, {})[at] = (offset, "")


def _fail(name: str, reason: str | None = None) -> NoReturn:
    raise KafkaException(KafkaError(getattr(KafkaError, name), reason))
