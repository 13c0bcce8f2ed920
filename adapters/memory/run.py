"""Runs a flow in this process, from an event log to an event sink: for small inputs and for trying things out.

Nothing is kept between runs: each one begins with the first record of the log.
"""

import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from heapq import merge
from itertools import chain, islice
from typing import Any, NamedTuple

from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.application.operators.context import DropReason
from eddyline.application.operators.output import Output
from eddyline.application.ports.clock import Clock
from eddyline.application.ports.codec import CodecError
from eddyline.application.ports.event_log import Headers, LogRecord
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.dead_letters import NO_OFFSET, each_once, left_out, letter_of
from eddyline.application.runtime.decoding import UnreadableRecordError, record_decoder
from eddyline.application.runtime.options import RunOptions, RunPorts
from eddyline.application.runtime.report import OnProgress, Progress, RunReport
from eddyline.application.runtime.topic_types import codec_type, topic_types
from eddyline.application.topology import SourceRecord, Topology, wall_clock_time
from eddyline.application.topology.nodes import SinkNode, SourceNode

Encode = Callable[[Any], bytes | None]


class _Incoming(NamedTuple):
    record: LogRecord
    key: Any
    value: Any
    headers: Headers


class MemoryRun:
    """Takes what the log holds through the memory engine, in batches of at most `max_batch_records`.

    The topics must be there when the run begins. Results of a batch are written after it, in one piece.
    """

    def __init__(self, topology: Topology, ports: RunPorts, options: RunOptions, clock: Clock) -> None:
        self.report = RunReport()
        self._topology, self._clock = topology, clock
        self._log, self._sink, codecs = ports.log, ports.sink, ports.codecs
        self._codecs = codecs
        self._application_id, self._order = options.application_id, options.order
        self._max_batch_records, self._trigger_interval_ms = options.max_batch_records, options.trigger_interval_ms
        self._new_topic_partitions, self._buries_dropped = options.new_topic_partitions, options.dead_letter_drops
        self._stopping = threading.Event()
        codecs.check(*topic_types(topology))
        self._sources = {node.topic: node for node in topology.nodes if isinstance(node, SourceNode) and not node.repartition}
        partitions = {topic: self._log.partitions(topic) for topic in self._sources}
        self._engine = MemoryEngine(
            topology, partitions=partitions, emit=options.emit, stores=ports.stores, codecs=codecs, wall_clock_ms=clock.now_ms()
        )
        self._positions = {
            (topic, number): self._log.beginning_offset(topic, number)
            for topic, count in partitions.items()
            for number in range(count)
        }
        self._writer = f"{options.application_id}-{uuid.uuid4()}"
        self._letters: list[SinkRecord] = []
        self._undecodable: Counter[tuple[str, str]] = Counter()
        self._encoders: dict[tuple[str, str], tuple[Encode, Encode]] = {}
        self._made: set[str] = set()
        self._told = 0
        self._done = 0

    def run(self, on_progress: OnProgress | None = None) -> RunReport:
        """Takes what is there and what comes, until `stop()`."""
        while not self._stopping.is_set():
            began = time.monotonic()
            self.run_available_now(on_progress)
            self._stopping.wait(max(0.0, began + self._trigger_interval_ms / 1000 - time.monotonic()))
        return self.report

    def run_available_now(self, on_progress: OnProgress | None = None) -> RunReport:
        """Takes what the log holds now, to the end or until `stop()`."""
        for spec in self._topology.sink_topics:
            self._sink.create_topic(spec.name, self._new_topic_partitions)
        ends = {place: self._log.end_offset(*place) for place in self._positions}
        total = self._done + sum(end - self._positions[place] for place, end in ends.items())
        incoming = self._incoming(ends)
        more = True
        while more and not self._stopping.is_set():
            began = time.monotonic()
            more = self._batch(incoming)
            if self._write():
                self._tell(on_progress, total, time.monotonic() - began)
        if not self._stopping.is_set():
            self._log.commit_offsets(self._application_id, self._positions)
        return self.report

    def stop(self) -> None:
        """Ends the run when the batch in hand is done."""
        self._stopping.set()

    def _tell(self, on_progress: OnProgress | None, total: int, seconds: float) -> None:
        if on_progress is not None:
            on_progress(Progress(self.report.batches - 1, self._done, total, seconds), self.report)

    # --- in -----------------------------------------------------------------------------------------------------------

    def _batch(self, incoming: Iterator[_Incoming]) -> bool:
        """Takes the records of a batch; False when there were fewer than fit."""
        engine = self._engine
        engine.advance_wall_clock(self._clock.now_ms() - engine.wall_clock_ms)
        taken = 0
        for record, key, value, headers in islice(incoming, self._max_batch_records):
            place = {"partition": record.partition, "offset": record.offset}
            engine.pipe(record.topic, key, value, record.timestamp, headers, **place)
            taken += 1
        engine.commit()
        self.report.records += taken
        return taken == self._max_batch_records

    def _incoming(self, ends: Mapping[tuple[str, int], int]) -> Iterator[_Incoming]:
        """What lies before these ends, always the record whose partition's head comes first."""
        places = sorted(ends)
        yield from merge(*(self._of_partition(*place, ends[place]) for place in places), key=self._order_of)
        self._positions.update(ends)

    def _of_partition(self, topic: str, partition: int, end: int) -> Iterator[_Incoming]:
        node = self._sources[topic]
        key = self._codecs.for_key(topic, codec_type(node.key_type))
        decode = record_decoder(key, self._codecs.for_value(topic, codec_type(node.value_type)))
        for batch in self._log.read(topic, partition, self._positions[topic, partition], end):
            for record in batch:
                self._done += 1
                try:
                    incoming = _Incoming(record, *decode(record))
                except (CodecError, UnreadableRecordError) as error:
                    self._bury(record, error)
                else:
                    yield incoming

    def _order_of(self, incoming: _Incoming) -> int:
        record, key, value, headers = incoming
        if self._order == "arrival":
            return -1 if record.arrival is None else record.arrival
        extractor = self._sources[record.topic].timestamp_extractor
        if extractor is None or extractor is wall_clock_time:
            return record.timestamp
        found = extractor(SourceRecord(record.topic, record.partition, record.offset, record.timestamp, key, value, headers))
        return -1 if found is None else found

    def _bury(self, record: LogRecord, error: Exception) -> None:
        self.report.dead_letters += 1
        self._undecodable[self._sources[record.topic].name, DropReason.UNDECODABLE] += 1
        self._letter(record, error)

    def _bury_dropped(self) -> None:
        """Reads the records of topics that were left out again, and writes those of repartition topics anew, each once."""
        for place, dropped in each_once(self._engine.dropped).items():
            moved = self._engine.dropped_moved.get(place)
            for record in self._read(*place) if moved is None else (self._moved(moved, place[1]),):
                self._letter(record, left_out(dropped))

    def _read(self, topic: str, partition: int, offset: int) -> Iterator[LogRecord]:
        return chain.from_iterable(self._log.read(topic, partition, offset, offset + 1))

    def _moved(self, output: Output, partition: int) -> LogRecord:
        """A record that lies in no topic, as it would lie in a repartition topic."""
        topic = f"{self._application_id}-{output.topic}"
        key = self._codecs.for_key(topic, codec_type(output.sink.key_type)).encode(output.key)
        value = self._codecs.for_state(codec_type(output.sink.value_type)).encode(output.value)
        return LogRecord(topic, partition, NO_OFFSET, output.timestamp, key, value, output.headers)

    def _letter(self, record: LogRecord, error: Exception) -> None:
        self._letters.append(letter_of(record, error, self._application_id, self._engine.wall_clock_ms))

    # --- out ----------------------------------------------------------------------------------------------------------

    def _write(self) -> bool:
        """Writes what the batch gave; False when nothing came in and nothing goes out."""
        if self._buries_dropped:
            self._bury_dropped()
        results = [self._encoded(output) for output in self._engine.take_outputs()] + self._letters
        self._letters = []
        self._engine.forget_dropped()
        if self.report.records == self._told and not results:
            return False
        self._told = self.report.records
        written = Counter(record.topic for record in results)
        for topic in written.keys() - self._made:
            self._sink.create_topic(topic, self._new_topic_partitions)
            self._made.add(topic)
        self._sink.write(self._writer, 0, self.report.batches, results)
        self.report.batches += 1
        self.report.written.update(written)
        self.report.drops = Counter(self._engine.drops) + self._undecodable
        return True

    def _encoded(self, output: Output) -> SinkRecord:
        topic, key, value, timestamp, headers, sink = output
        encoders = self._encoders.get((topic, sink.name))
        if encoders is None:
            encode_key = self._codecs.for_key(topic, codec_type(sink.key_type)).encode
            encoders = (encode_key, self._codecs.for_value(topic, codec_type(sink.value_type)).encode)
            self._encoders[topic, sink.name] = encoders
        partition = None
        if isinstance(sink, SinkNode) and sink.partitioner is not None:
            partition = sink.partitioner(key, value, self._log.partitions(topic))
        return SinkRecord(topic, encoders[0](key), encoders[1](value), timestamp, headers, partition)
