"""Protocols that are broken on purpose, each in one place; the simulation must find all of them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any, Final
from unittest.mock import patch

from eddyline.adapters.kafka.clients import factory
from eddyline.adapters.kafka.event_sink import Guarantee, KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.sink import transactional_writer
from eddyline.adapters.kafka.sink.batch_numbers import BatchNumbers
from eddyline.adapters.kafka.sink.partitioning import Partitioning
from eddyline.adapters.kafka.sink.transactional_writer import TransactionalWriter
from eddyline.adapters.spark.source.datasource import EventReader, Offset
from eddyline.adapters.spark.state import chunks
from eddyline.adapters.spark.worker import results
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.output import result_writer
from eddyline.application.runtime.output.result_writer import BatchId
from eddyline.application.runtime.output.topics import TopicCreator
from eddyline.application.runtime.plan.changelogs import BatchProgress
from eddyline.application.runtime.plan.options import RunPorts
from eddyline.application.runtime.plan.run_plan import RunPlan
from tests.simulation import spark
from tests.simulation.application import Application
from tests.simulation.checkpoint import Checkpoint
from tests.simulation.schedule import Breaks, Schedule


@contextmanager
def without_fencing(_schedule: Schedule) -> Iterator[None]:
    """Each producer has a transactional id of its own."""
    number, new_producer = count(), factory.new_producer

    def new(settings: KafkaSettings, *, fixed: Mapping[str, Any], **options: Any) -> Any:
        own = f"{fixed['transactional.id']}-{next(number)}"
        return new_producer(settings, fixed={**fixed, "transactional.id": own}, **options)

    with patch.object(transactional_writer, "new_producer", new):
        yield


@contextmanager
def number_after_transaction(_schedule: Schedule) -> Iterator[None]:
    """The number of a batch is committed after its transaction."""

    def write(self: Any, batch: int, records: Sequence[SinkRecord], partitioning: Partitioning, deadline: Any) -> None:
        self._producer.begin_transaction()
        self._sender.send(self._producer, records, partitioning)
        self._call("commit the transaction", self._producer.commit_transaction, deadline)
        self._numbers._consumer.commit(offsets=self._numbers.as_offsets(self._slot, batch), asynchronous=False)  # noqa: SLF001

    with patch.object(TransactionalWriter, "_write", write):
        yield


@contextmanager
def number_before_fencing(_schedule: Schedule) -> Iterator[None]:
    """A producer reads the number of the last batch before it fences the producer before it."""
    ensure_slot, last = BatchNumbers.ensure_slot, BatchNumbers.last
    read: dict[tuple[int, int], int | None] = {}

    def read_early(self: BatchNumbers, number: int) -> None:
        ensure_slot(self, number)
        read[id(self), number] = last(self, number, 10.0)

    with (
        patch.object(BatchNumbers, "ensure_slot", read_early),
        patch.object(BatchNumbers, "last", lambda self, number, _timeout_s: read[id(self), number]),
    ):
        yield


@contextmanager
def planned_again(_schedule: Schedule) -> Iterator[None]:
    """A batch that is repeated is planned again, up to the present ends of the partitions."""
    start = spark.Driver._start  # noqa: SLF001

    def forgetful(self: Any) -> None:
        checkpoint = self._checkpoint
        for batch in [batch for batch in checkpoint.offsets if batch not in checkpoint.commits]:
            del checkpoint.offsets[batch]
        start(self)

    with patch.object(spark.Driver, "_start", forgetful):
        yield


@contextmanager
def positions_of_another_batch(_schedule: Schedule) -> Iterator[None]:
    """The changelogs name the source offsets of the batch before."""
    complete: dict[int, Mapping[str, Sequence[int]]] = {}

    def progress(self: Any, batch: int) -> BatchProgress:
        found = batch_progress(self, batch)
        complete[batch] = found.offsets
        return found._replace(offsets=complete.get(batch - 1, found.offsets))

    batch_progress = spark.Driver.batch_progress
    with patch.object(spark.Driver, "batch_progress", progress):
        yield


@contextmanager
def positions_at_present(_schedule: Schedule) -> Iterator[None]:
    """A task that is repeated reads up to the present end of its partition, not to that of the batch."""
    partitions = EventReader.partitions

    def present(self: EventReader, start: Offset, end: Offset) -> Any:
        found = self._log.end_offset
        ends = {topic: [found(topic, number) for number in range(len(numbers))] for topic, numbers in end["ends"].items()}
        return partitions(self, start, {**end, "ends": ends})

    with patch.object(EventReader, "partitions", present):
        yield


@contextmanager
def changelog_outside_transaction(_schedule: Schedule) -> Iterator[None]:
    """The changelogs are written before the transaction, at least once."""
    write_results = result_writer.write_results

    def write(plan: RunPlan, topics: TopicCreator, batch: BatchId, records: Iterable[SinkRecord]) -> Any:
        given = list(records)
        changes = [record for record in given if record.topic in plan.changelog_partitions]
        settings = plan.ports.sink._settings  # type: ignore[attr-defined]  # noqa: SLF001
        KafkaEventSink(settings, guarantee=Guarantee.AT_LEAST_ONCE).write(*batch, changes)
        return write_results(plan, topics, batch, [record for record in given if record.topic not in plan.changelog_partitions])

    with patch.object(results, "write_results", write):
        yield


@contextmanager
def copies_trusted(_schedule: Schedule) -> Iterator[None]:
    """A worker uses its copy of the state as it is."""
    catch_up = chunks.ChunkedState.catch_up

    def trusting(self: Any, store: chunks.ChunkStore) -> chunks.CatchUp:
        return chunks.CatchUp([], rebuilt=False) if self._tokens else catch_up(self, store)

    with patch.object(chunks.ChunkedState, "catch_up", trusting):
        yield


@contextmanager
def newest_state(_schedule: Schedule) -> Iterator[None]:
    """A batch starts from the newest state, not from that before the batch."""
    load_state = Checkpoint.load_state

    def newest(self: Checkpoint, stage: int, group: int, batch: int) -> Any:
        versions = [version + 1 for of_stage, of_group, version in self.state if (of_stage, of_group) == (stage, group)]
        return load_state(self, stage, group, max(versions, default=batch))

    with patch.object(Checkpoint, "load_state", newest):
        yield


@contextmanager
def clock_of_the_worker(schedule: Schedule) -> Iterator[None]:
    """The time of a batch is that at which it runs."""
    run_stage = spark.Worker.run_stage

    def late(self: spark.Worker, progress: BatchProgress, **more: Any) -> Any:
        return run_stage(self, progress=progress._replace(time_ms=int(schedule.scheduler.now)), **more)

    with patch.object(spark.Worker, "run_stage", late):
        yield


@contextmanager
def offsets_committed_early(_schedule: Schedule) -> Iterator[None]:
    """The offsets of a batch are committed to the consumer group before the batch runs."""
    run_batch = spark.Driver.run_batch

    def run(self: Any, batch: int, start: Offset, end: Offset) -> None:
        self._report(batch, start, end)
        run_batch(self, batch, start, end)

    with patch.object(spark.Driver, "run_batch", run):
        yield


def _with_ports(change: Callable[[str, RunPorts], RunPorts]) -> Breaks:
    ports = Application.ports

    @contextmanager
    def broken(_schedule: Schedule) -> Iterator[None]:
        with patch.object(Application, "ports", lambda self, name: change(name, ports(self, name))):
            yield

    return broken


def _at_least_once(ports: RunPorts) -> RunPorts:
    settings = ports.sink._settings  # type: ignore[attr-defined]  # noqa: SLF001
    sink = KafkaEventSink(settings, guarantee=Guarantee.AT_LEAST_ONCE, timeout_s=40)
    return RunPorts(ports.log, sink, ports.codecs, ports.stores)


def _uncommitted(ports: RunPorts) -> RunPorts:
    log: Any = ports.log
    return RunPorts(
        type(log)(log._settings.with_values({"isolation.level": "read_uncommitted"}), timeout_s=20),  # noqa: SLF001
        ports.sink,
        ports.codecs,
        ports.stores,
    )


BROKEN: Final[Mapping[str, Breaks]] = {
    "without-fencing": without_fencing,
    "number-after-transaction": number_after_transaction,
    "number-before-fencing": number_before_fencing,
    "at-least-once": _with_ports(lambda name, ports: _at_least_once(ports) if name.startswith("worker") else ports),
    "planned-again": planned_again,
    "positions-of-another-batch": positions_of_another_batch,
    "positions-at-present": positions_at_present,
    "changelog-outside-transaction": changelog_outside_transaction,
    "copies-trusted": copies_trusted,
    "newest-state": newest_state,
    "clock-of-the-worker": clock_of_the_worker,
    "offsets-committed-early": offsets_committed_early,
    "redriven-at-least-once": _with_ports(lambda name, ports: _at_least_once(ports) if name.startswith("redriver") else ports),
    "uncommitted-reads": _with_ports(lambda name, ports: _uncommitted(ports) if name.startswith("reader") else ports),
}
"""The broken protocols by name."""
