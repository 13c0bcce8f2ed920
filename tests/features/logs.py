"""The log that recordings are read from, and the results in the log that they are written to: one partition a recording."""

from collections.abc import Iterator, Sequence

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.ports.event_log import EventLog, LogRecord
from eddyline.application.topology import Topology
from eddyline.application.topology.types import UNKNOWN
from tests.features.recording import BytesStep, ClockStep, RecordStep, Step, TopicRecord

APPLICATION_ID = "scenario"
CLOCK = "scenario-wall-clock"
DEAD_LETTERS = f"{APPLICATION_ID}-dead-letters"


class InputLog:
    """A log with the source topics of a topology, each of them with one partition for every recording."""

    def __init__(self, topology: Topology, codecs: JsonCodecs, recordings: int) -> None:
        self.log = MemoryEventLog()
        self._types = {spec.name: (spec.key_type, spec.value_type) for spec in topology.source_topics}
        self._codecs = codecs
        self._wall_clocks_ms = [0] * recordings
        for topic in (*self._types, CLOCK):
            self.log.create_topic(topic, recordings)

    def append(self, number: int, index: int, step: Step) -> None:
        """Append the record of a recording's step at this index; a step of the clock goes to the topic CLOCK."""
        if isinstance(step, RecordStep):
            key_type, value_type = self._types[step.topic]
            key = self._codecs.for_key(step.topic, key_type).encode(step.key)
            value = self._codecs.for_value(step.topic, value_type).encode(step.value)
            self.log.append(step.topic, key, value, step.timestamp, step.headers, partition=number, arrival=index)
        elif isinstance(step, BytesStep):
            self.log.append(step.topic, step.key, step.value, 0, partition=number, arrival=index)
        elif isinstance(step, ClockStep):
            self._wall_clocks_ms[number] += step.by_ms
            self.log.append(CLOCK, None, None, self._wall_clocks_ms[number], partition=number, arrival=index)


def outputs(results: EventLog, number: int, topology: Topology, codecs: JsonCodecs) -> list[TopicRecord]:
    """Return the records that a recording led to, topic by topic, without dead letters."""
    types = {spec.name: (spec.key_type, spec.value_type) for spec in topology.sink_topics}
    found = []
    for topic in results.topics():
        if topic == DEAD_LETTERS:
            continue
        key_type, value_type = types.get(topic, (UNKNOWN, UNKNOWN))
        decode_key, decode_value = codecs.for_key(topic, key_type).decode, codecs.for_value(topic, value_type).decode
        found += [
            TopicRecord(topic, decode_key(record.key), decode_value(record.value), record.timestamp, record.headers)
            for record in _records(results, topic, [number])
        ]
    return found


def dead_letters(results: EventLog, number: int) -> list[dict[str, str]]:
    """Return the dead letters of a recording in the order of their topics and offsets."""
    if DEAD_LETTERS not in results.topics():
        return []
    found = []
    for record in _records(results, DEAD_LETTERS, range(results.partitions(DEAD_LETTERS))):
        origin = {name.removeprefix("__streams.errors."): (value or b"").decode() for name, value in record.headers}
        if int(origin["partition"]) == number:
            value = (record.value or b"").decode(errors="backslashreplace")
            letter = {"topic": origin["topic"], "value": value, "reason": origin["message"]}
            found.append((origin["topic"], int(origin["offset"]), letter))
    return [letter for _, _, letter in sorted(found, key=lambda one: one[:2])]


def _records(results: EventLog, topic: str, partitions: Sequence[int]) -> Iterator[LogRecord]:
    for partition in partitions:
        for batch in results.read(topic, partition, 0, results.end_offset(topic, partition)):
            yield from batch
