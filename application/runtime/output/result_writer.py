"""Writes the results of a batch; the production exception handler decides about those that the event sink rejects (KIP-210)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from eddyline.application.operators.context import DropReason
from eddyline.application.ports.event_sink import RejectedRecordsError, SinkRecord
from eddyline.application.runtime.output.topics import TopicCreator
from eddyline.application.runtime.plan.dead_letters import dead_letter_topic, result_letter
from eddyline.application.runtime.plan.failures import note_failure
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.runtime.progress.report import TaskReport
from eddyline.application.topology.exception_handlers import PRODUCTION, ErrorContext, response_of
from eddyline.application.topology.nodes import SinkNode


class BatchId(NamedTuple):
    """The writer, the slot and the number of a batch."""

    writer: str
    slot: int
    batch: int


class Written(NamedTuple):
    """How a slot was written: the counts for the report of the run, and how the numbers of written records by topic differ."""

    report: TaskReport
    difference: Counter[str]


def write_results(plan: RunPlan, topics: TopicCreator, batch: BatchId, records: Sequence[SinkRecord]) -> Written:
    """Write a slot of a batch, and again without the records that the sink rejects, as the production exception handler says.

    The record that caused a rejected result is not undone: its task has been committed. The dead letter is the result itself.

    Raises:
        RejectedRecordsError: the handler ends the run, or a dead letter was rejected. Errors of the sink are raised too.
    """
    rejections: _Rejections | None = None
    while True:
        try:
            committed = plan.ports.sink.write(*batch, records)
        except RejectedRecordsError as error:
            rejections = rejections or _Rejections(plan, topics)
            records = list(rejections.replaced(records, error))
        else:
            outcome = {"committed" if committed else "repeated": 1, **plan.ports.sink.take_retries()}
            return (rejections or _Rejections(plan, topics)).counts(outcome)


class _Rejections:
    def __init__(self, plan: RunPlan, topics: TopicCreator) -> None:
        self._plan, self._topics = plan, topics
        self._letters = 0
        self._drops: Counter[tuple[str, str]] = Counter()
        self._written: Counter[str] = Counter()

    def counts(self, transactions: Mapping[str, int]) -> Written:
        return Written(TaskReport(0, self._letters, self._drops, transactions=transactions), self._written)

    def replaced(self, records: Sequence[SinkRecord], error: RejectedRecordsError) -> Iterator[SinkRecord]:
        """Yield the records, with dead letters for those that were rejected, or without these. Raises RejectedRecordsError."""
        found = False
        for record in records:
            reason = error.rejected.get(record[:3])
            if reason is None:
                yield record
            else:
                found = True
                yield from self._replacement(record, reason, error)
        if not found:
            raise error

    def _replacement(self, record: SinkRecord, reason: Exception, error: RejectedRecordsError) -> Iterator[SinkRecord]:
        options = self._plan.options
        letters = dead_letter_topic(options.application_id)
        if record.topic == letters:
            error.add_note(f"topic '{letters}' must accept dead letters, which are larger than their records")
            raise error
        if record.topic in self._plan.changelog_partitions:
            error.add_note(f"changelog topic '{record.topic}' must accept every entry of its store")
            raise error
        operator = self._operator(record.topic)
        context = ErrorContext(operator, "", timestamp=record.timestamp, key=record.key, headers=record.headers)
        response = response_of(options.production_exception_handler, context, reason)
        if response == "fail":
            note_failure(error, context, PRODUCTION)
            raise error
        self._drops[operator, DropReason.PRODUCTION_ERROR] += 1
        self._written[record.topic] -= 1
        if response == "dead-letter":
            self._topics.ensure([letters])
            self._letters += 1
            self._written[letters] += 1
            yield result_letter(record, reason, options.application_id, context)

    def _operator(self, topic: str) -> str:
        """Return the name of the sink node of a topic, or the topic if several nodes may have written the record."""
        nodes = [node for node in self._plan.topology.nodes if isinstance(node, SinkNode)]
        names = [node.name for node in nodes if node.topic == topic or not isinstance(node.topic, str)]
        return names[0] if len(names) == 1 else topic
