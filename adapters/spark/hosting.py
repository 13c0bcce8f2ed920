"""Runs one task for one batch: bytes in, bytes out. Nothing in here knows Spark."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count
from typing import Any

from eddyline.adapters.spark.chunks import Entry
from eddyline.adapters.spark.entries import EntryCodec
from eddyline.adapters.spark.frames import Frame, Kind, Packed, packed, unpack
from eddyline.adapters.spark.inputs import Incoming, ListQueue, Queue, Range, SourceQueue, in_order
from eddyline.adapters.spark.outbox import Outbox, Row
from eddyline.adapters.spark.plan import Plan
from eddyline.application.operators.context import DropReason
from eddyline.application.ports.event_log import Headers, LogRecord
from eddyline.application.runtime.dead_letters import NO_OFFSET, each_once, left_out, letter_of
from eddyline.application.runtime.decoding import Decode, record_decoder
from eddyline.application.runtime.task import Task
from eddyline.application.runtime.topic_types import codec_type
from eddyline.application.topology.records import SourceRecord


class HostedTask:
    """A task with its codecs, between batches in the memory of a worker."""

    def __init__(self, plan: Plan, stage: int, number: int, now_ms: int) -> None:
        self._plan, self._stage, self._number = plan, stage, number
        self.task = Task(
            plan.topology,
            plan.line[stage],
            number,
            stores=plan.ports.stores,
            emit=plan.options.emit,
            wall_clock_ms=self._clock(now_ms),
            keep_dropped=plan.options.dead_letter_drops,
        )
        self.changes: list[Entry] = []
        self._entries = EntryCodec(self.task, plan.ports.codecs)
        self._outbox = Outbox(plan, stage, number)
        self._decoders: dict[str, Decode] = {}
        self._global_topics = frozenset(topic for topic, node in plan.sources.items() if node.global_)
        self._extracted = any(node.timestamp_extractor is not None for node in plan.sources.values())
        self._begin()

    def restore(self, entries: Iterable[Entry]) -> None:
        """Puts back entries of the state."""
        self.task.restore(self._entries.restored(entries))

    def run(self, frames: Sequence[Frame], now_ms: int) -> Iterator[Row]:
        """Runs a batch; gives what it sends. Afterwards `changes` holds what it changed in the state."""
        self._begin()
        self._outbox.begin(now_ms)
        self.task.advance_wall_clock(self._clock(now_ms))
        self._outbox.take(self.task.take_output())
        for queues in self._queues(frames):
            yield from self._process(queues)
        self.task.commit()
        if self._plan.options.dead_letter_drops:
            self._bury_dropped()
        self._outbox.take(self.task.take_output(), self._arrival)
        yield from self._outbox.flush()
        drained = self.task.drain_changes()
        self.changes = [*self._entries.positions(self._left), *self._entries.drained(drained)]
        if self._plan.with_changes:
            yield from self._change_rows()
        yield from self._report_rows()

    def timer_due(self) -> int | None:
        """When the machine's clock must wake the task, None where it need not."""
        return self.task.next_wall_clock_due() if self._plan.clock_topic is None else None

    def _begin(self) -> None:
        self.changes = []
        self._records = self._dead = 0
        self._drops = Counter[tuple[str, str]]()
        self._arrival: int = -1
        self._left: dict[tuple[str, int], int | None] = {}
        self._moved: dict[tuple[str, int, int], LogRecord] = {}
        self._moved_offsets = count()

    def _clock(self, now_ms: int) -> int:
        """The wall clock to begin with: the batch's, or none when the log moves it."""
        clock = self._plan.options.clock
        if clock is None:
            return now_ms
        return self.task.wall_clock_ms if hasattr(self, "task") else clock.start_ms

    # --- in -----------------------------------------------------------------------------------------------------------

    def _queues(self, frames: Sequence[Frame]) -> Iterator[list[Queue]]:
        """The queues of the batch: first those of global tables, where time decides, then all others.

        What came through a repartition stands in the order of each sender, as Kafka keeps it.
        """
        ranges: list[Range] = []
        moved: list[Frame] = []
        for frame in sorted(frames):
            if frame.kind is Kind.RANGES:
                ranges += (Range(*found) for found in json.loads(frame.body))
            else:
                moved.append(frame)
        sources: list[tuple[str, int, Queue]] = []
        shared: list[Queue] = []
        for found in sorted(ranges):
            queue = self._source(found)
            if found.topic in self._global_topics and self._plan.options.order == "timestamp":
                shared.append(queue)
            else:
                sources.append((found.topic, found.partition, queue))
        if shared:
            yield shared
        sent: dict[tuple[str, int], list[Incoming]] = {}
        for frame in moved:
            for record in self._repartitioned(unpack(frame.body)):
                sent.setdefault((record.topic, frame.sender.task), []).append(record)
        sources += [(topic, sender, ListQueue(records)) for (topic, sender), records in sent.items()]
        sources.sort(key=lambda source: source[:2])
        yield [queue for _, _, queue in sources]

    def _source(self, found: Range) -> SourceQueue:
        start = self._entries.position(found.topic, found.partition)
        if start is not None:
            found = found._replace(start=start)
        queue = SourceQueue(self._plan.ports.log, found, self._decoder(found.topic), self._dead_letter)
        self._left[found.topic, found.partition] = None
        return queue

    def _repartitioned(self, records: Iterable[Packed]) -> Iterator[Incoming]:
        for topic, key, value, timestamp, own_headers, _, place in records:
            offset = next(self._moved_offsets)
            decode = self._decoders.get(topic)
            if decode is None:
                decode = self._decoders[topic] = self._internal_decoder(topic)
            record = LogRecord(topic, self._number, offset, timestamp, key, value, own_headers)
            if self._plan.options.dead_letter_drops:
                self._moved[topic, self._number, offset] = record
            key_object, value_object, headers = decode(record)
            arrival = -1 if place is None else place.arrival
            yield Incoming(topic, self._number, offset, timestamp, key_object, value_object, headers, arrival)

    def _decoder(self, topic: str) -> Decode:
        found = self._decoders.get(topic)
        if found is None:
            if topic == self._plan.clock_topic:
                found = _nothing
            else:
                node, codecs = self._plan.sources[topic], self._plan.ports.codecs
                key = codecs.for_key(topic, codec_type(node.key_type))
                found = record_decoder(key, codecs.for_value(topic, codec_type(node.value_type)))
            self._decoders[topic] = found
        return found

    def _internal_decoder(self, topic: str) -> Decode:
        node, codecs = self._plan.sources[topic], self._plan.ports.codecs
        key = codecs.for_key(self._plan.internal_name(topic), codec_type(node.key_type))
        return record_decoder(key, codecs.for_state(codec_type(node.value_type)))

    def _order_of(self, record: Incoming) -> int:
        if self._plan.options.order == "arrival":
            return record.arrival
        if self._extracted and record.topic != self._plan.clock_topic:
            topic, partition, offset, timestamp, key, value, headers, _ = record
            time = self.task.event_time(SourceRecord(topic, partition, offset, timestamp, key, value, headers))
            return -1 if time is None else time
        return record.timestamp

    # --- through ------------------------------------------------------------------------------------------------------

    def _process(self, queues: Sequence[Queue]) -> Iterator[Row]:
        task, outbox, clock_topic = self.task, self._outbox, self._plan.clock_topic
        process, take_output = task.process, task.take_output
        by_arrival = self._plan.options.order == "arrival"
        step = 1 if by_arrival else 256
        done = 0
        for done, record in enumerate(in_order(queues, self._order_of), 1):
            topic, partition, offset, timestamp, key, value, headers, arrival = record
            if topic == clock_topic:
                task.advance_wall_clock(timestamp)
            else:
                process(topic, key, value, timestamp, headers, partition=partition, offset=offset)
            if done % step == 0:
                self._arrival = arrival
                outbox.take(take_output(), arrival)
                yield from outbox.rows()
        outbox.take(take_output(), self._arrival)
        yield from outbox.rows()
        self._records += done - sum(queue.size for queue in queues if isinstance(queue, ListQueue))
        for queue in queues:
            if isinstance(queue, SourceQueue) and queue.position < queue.range.end:
                self._left[queue.range.topic, queue.range.partition] = queue.position

    # --- out ----------------------------------------------------------------------------------------------------------

    def _dead_letter(self, record: LogRecord, error: Exception) -> None:
        self._dead += 1
        self._drops[self._plan.sources[record.topic].name, DropReason.UNDECODABLE] += 1
        self._bury(record, error)

    def _bury_dropped(self) -> None:
        """Sends the records that were left out to the dead letters, each once; those of topics are read again."""
        for place, dropped in each_once(self.task.take_dropped()).items():
            for record in self._as_it_came(*place):
                self._bury(record, left_out(dropped))

    def _as_it_came(self, topic: str, partition: int, offset: int) -> Iterable[LogRecord]:
        moved = self._moved.get((topic, partition, offset))
        if moved is not None:
            return (moved._replace(topic=self._plan.internal_name(topic), offset=NO_OFFSET),)
        return chain.from_iterable(self._plan.ports.log.read(topic, partition, offset, offset + 1))

    def _bury(self, record: LogRecord, error: Exception) -> None:
        letter = letter_of(record, error, self._plan.options.application_id, self.task.wall_clock_ms)
        self._outbox.put_result(Packed(*letter), -1 if record.arrival is None else record.arrival)

    def _change_rows(self) -> Iterator[Row]:
        stored = [
            Packed(store, key, value, 0, (), self._number) for store, key, value in self._entries.store_changes(self.changes)
        ]
        for body in packed(stored):
            yield self._outbox.row(Kind.CHANGES, body)

    def _report_rows(self) -> Iterator[Row]:
        self._drops.update(self.task.take_drops())
        if self._records or self._dead or self._drops:
            report = {
                "records": self._records,
                "dead_letters": self._dead,
                "drops": [[step, reason, number] for (step, reason), number in self._drops.items()],
            }
            yield self._outbox.row(Kind.REPORT, json.dumps(report).encode())


def _nothing(record: LogRecord) -> tuple[Any, Any, Headers]:
    return None, None, record.headers
