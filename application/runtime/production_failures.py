"""What is known of an output that could not be sent."""

from eddyline.application.operators.output import Output
from eddyline.application.runtime.failures import note_failure
from eddyline.application.runtime.record_queue import IncomingRecord
from eddyline.application.topology.exception_handlers import PRODUCTION, ErrorContext


def note_production_failure(error: Exception, output: Output, task_id: str, cause: IncomingRecord | None) -> None:
    """Note in an exception which output could not be sent, and the record that caused it, if that is known."""
    context = ErrorContext(output.sink.name, task_id, timestamp=output.timestamp, key=output.key)
    if cause is not None:
        topic, partition, offset, _, key, _, headers, _ = cause
        context = context._replace(topic=topic, partition=partition, offset=offset, key=key, headers=headers)
    note_failure(error, context, PRODUCTION)
