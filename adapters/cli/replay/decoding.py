"""The records of a case as a producer would send them, and as a topology receives them."""

import json
from typing import Any, NamedTuple

from eddyline.adapters.cli.replay.case import Case, CaseError, RecordStep
from eddyline.application.ports.codec import CodecError, Codecs
from eddyline.application.ports.event_log import Headers
from eddyline.application.topology import Topology


class Sent(NamedTuple):
    """A record of a case as bytes; `timestamp` is in ms since the epoch."""

    topic: str
    key: bytes | None
    value: bytes | None
    timestamp: int
    headers: Headers


class Decoder:
    """Encodes and decodes the records of a case; raises CaseError for a record that the topology cannot receive."""

    def __init__(self, case: Case, topology: Topology, codecs: Codecs) -> None:
        self._case = case
        self._codecs = codecs.configured(topology.type_choices)
        self._topology = topology

    def sent(self, index: int, step: RecordStep) -> Sent:
        """Return the record as a producer would send it: plain text if the topic has strings, else JSON."""
        spec = self._topology.source_topic(step.topic)
        if spec is None:
            topics = ", ".join([*(spec.name for spec in self._topology.source_topics), *self._topology.source_patterns])
            raise self._error(index, f"'{self._case.topology}' does not read topic '{step.topic}'; it reads {topics}")
        is_plain = isinstance(step.value, str) and spec.value_type is str
        text = step.value if is_plain else json.dumps(step.value)
        headers = tuple((name, value.encode()) for name, value in step.headers.items())
        return Sent(
            step.topic,
            None if step.key is None else step.key.encode(),
            None if step.value is None else text.encode(),
            step.timestamp,
            headers,
        )

    def decoded(self, index: int, sent: Sent) -> tuple[Any, Any]:
        """Return the key and the value as the topology receives them."""
        spec = self._topology.source_topic(sent.topic)
        if spec is None:
            raise self._error(index, f"'{self._case.topology}' does not read topic '{sent.topic}'")
        try:
            return (
                self._codecs.for_key(sent.topic, spec.key_type).decode(sent.key, sent.headers),
                self._codecs.for_value(sent.topic, spec.value_type).decode(sent.value, sent.headers),
            )
        except CodecError as invalid:
            raise self._error(index, str(invalid)) from invalid

    def _error(self, index: int, reason: str) -> CaseError:
        return CaseError(f"case '{self._case.name}', input {index}: {reason}")


def check_steps(case: Case, topology: Topology, codecs: Codecs) -> None:
    """Make sure that the topology can receive all records of a case.

    Raises:
        CaseError: it cannot receive one of them.
    """
    decoder = Decoder(case, topology, codecs)
    for index, step in enumerate(case.steps):
        if isinstance(step, RecordStep):
            decoder.decoded(index, decoder.sent(index, step))
