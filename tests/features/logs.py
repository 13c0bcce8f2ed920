"""The logs that a story is read from and that its results are read back from; the partition is the story's number."""

from collections.abc import Iterator, Sequence

from eddyline.adapters.cli.replay.case import ClockStep, RecordStep
from eddyline.adapters.cli.replay.decoding import Decoder
from eddyline.adapters.cli.replay.result import Emitted
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.ports.event_log import EventLog, LogRecord
from eddyline.application.topology import Topology
from eddyline.application.topology.types import UNKNOWN
from tests.features.running import BytesStep, Step, Story

APPLICATION_ID = "scenario"
CLOCK = "scenario-wall-clock"
DEAD_LETTERS = f"{APPLICATION_ID}-dead-letters"


class Feed:
    """Puts the steps of stories into a log, a story a partition."""

    def __init__(self, log: MemoryEventLog, stories: Sequence[Story], topology: Topology, codecs: JsonCodecs) -> None:
        self._log = log
        self._decoders = [Decoder(story.case(), topology, codecs) for story in stories]
        self._now = [0] * len(stories)
        for topic in (*(spec.name for spec in topology.source_topics), CLOCK):
            log.create_topic(topic, len(stories))

    def add(self, number: int, index: int, step: Step) -> None:
        """Appends what the step of this index says; a step of the clock goes to the topic CLOCK."""
        if isinstance(step, RecordStep):
            decoder = self._decoders[number]
            sent = decoder.sent(index, step)
            decoder.decoded(index, sent)
            self._log.append(*sent, partition=number, arrival=index)
        elif isinstance(step, BytesStep):
            self._log.append(*step, partition=number, arrival=index)
        elif isinstance(step, ClockStep):
            self._now[number] += step.advance_ms
            self._log.append(CLOCK, None, None, self._now[number], partition=number, arrival=index)


def emitted(results: EventLog, number: int, topology: Topology, codecs: JsonCodecs) -> Iterator[Emitted]:
    """What left in a story, topic by topic, dead letters apart."""
    types = {spec.name: (spec.key_type, spec.value_type) for spec in topology.sink_topics}
    for topic in results.topics():
        if topic == DEAD_LETTERS:
            continue
        key_type, value_type = types.get(topic, (UNKNOWN, UNKNOWN))
        decode_key, decode_value = codecs.for_key(topic, key_type).decode, codecs.for_value(topic, value_type).decode
        for record in _records(results, topic, number):
            key, value = decode_key(record.key), decode_value(record.value)
            yield Emitted(topic, key, value, record.timestamp, record.headers, None)


def dead_letters(results: EventLog, number: int) -> list[dict[str, str]]:
    """The dead letters of a story in the order of their topics and offsets."""
    if DEAD_LETTERS not in results.topics():
        return []
    found = []
    for place in range(results.partitions(DEAD_LETTERS)):
        for record in _records(results, DEAD_LETTERS, place):
            reasons = {name.removeprefix("__streams.errors."): (value or b"").decode() for name, value in record.headers}
            if int(reasons["partition"]) == number:
                letter = {
                    "topic": reasons["topic"],
                    "value": (record.value or b"").decode(errors="backslashreplace"),
                    "reason": reasons["message"],
                }
                found.append((reasons["topic"], int(reasons["offset"]), letter))
    return [letter for _, _, letter in sorted(found, key=lambda one: one[:2])]


def _records(results: EventLog, topic: str, partition: int) -> Iterator[LogRecord]:
    for batch in results.read(topic, partition, 0, results.end_offset(topic, partition)):
        yield from batch
