"""What every engine gets of a run: its options, its ports, and how it starts; and what an engine is to those who run it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from eddyline.application.ports.codec import Codecs
from eddyline.application.ports.event_log import EventLog
from eddyline.application.ports.event_sink import EventSink
from eddyline.application.ports.state_stores import StateStores
from eddyline.application.runtime.plan.application_ids import check_application_id
from eddyline.application.runtime.plan.changelogs import StoreChoice
from eddyline.application.runtime.plan.failures import ExceptionHandlers
from eddyline.application.topology.exception_handlers import ExceptionHandler
from eddyline.application.topology.types import Emit

Order: TypeAlias = Literal["timestamp", "arrival"]
"""Which record a task takes next from the heads of its queues: the one with the lowest timestamp, or the first to arrive."""

AutoOffsetReset: TypeAlias = Literal["none", "earliest", "latest"]
"""Where a flow continues if the log no longer has its position: nowhere, at the first record that is left, or at the end.

The names are those of Kafka's consumers, but a flow without a position always starts at the beginning of its topics.
"""

_BATCH_RECORDS: Final = 500_000
INPUT_BUFFER_MAX_BYTES: Final = 64 << 20
"""How many bytes of fetched records, and of results before a commit, the local engine keeps unless told otherwise."""

RecordingLevel: TypeAlias = Literal["info", "debug"]
"""How much is counted, as `metrics.recording.level` of Kafka Streams says."""


@dataclass(frozen=True)
class LogClock:
    """A wall clock driven by the log: it starts at `start_ms`, and each record of `topic` sets it to its timestamp."""

    topic: str
    start_ms: int = 0


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How to run a topology.

    Args:
        application_id: names the state, the consumer group and the internal topics.
        emit: which updates of a table are forwarded; None for what the topology says, or else `every-update`.
        order: which record a task takes next from its queues.
        max_batch_records: the approximate limit of the records in a batch, over all partitions; None if the engine chooses it.
        max_task_idle_ms: how long a task waits for records of an empty partition before it processes those of others, in ms.
            With 0 it waits for records that the log holds already, with -1 for none.
        idle_timeout_ms: the idle timeout of the sources that have none, in ms; None for event time only.
        trigger_interval_ms: the time between the starts of two batches in ms; with 0 the next batch starts at once.
        new_topic_partitions: the number of partitions of topics that the run creates.
        auto_offset_reset: where to continue if the log no longer has the position of the run; `none` ends it.
        dead_letter_drops: whether records that an operator drops (late, without a key, …) become dead letters, too.
        clock: a topic that sets the wall clock, in place of the system clock; needs `order="arrival"`.
        processing_exception_handler: how to respond to exceptions in functions and processors of the user, and in stores.
        production_exception_handler: how to respond to exceptions while results are encoded, in partitioners, and to
            results that their topics do not accept.
        keep_partition: whether each partition is processed separately: repartitioned records stay in their partition, and
            results are written to the partition of their task.
        changelog_stores: the stores whose changes are written to changelog topics: their names, or `all`.
        input_buffer_max_bytes: how many bytes of fetched records, and of results before a commit, the local engine keeps.
        commit_interval_ms: the time between two commits of the local engine in ms; None for its default.
        trace_contexts: whether tasks collect the trace contexts of the records that they read.
        metrics_recording_level: `debug` also counts the records that each node processes, which costs time for each record.

    Raises:
        ApplicationIdError: the application id is invalid.
        ValueError: there is a `clock`, but `order` is not "arrival".
    """

    application_id: str
    emit: Emit | None = None
    order: Order = "timestamp"
    max_batch_records: int | None = None
    max_task_idle_ms: int = 0
    idle_timeout_ms: int | None = None
    trigger_interval_ms: int = 1_000
    new_topic_partitions: int = 4
    auto_offset_reset: AutoOffsetReset = "none"
    dead_letter_drops: bool = False
    clock: LogClock | None = None
    processing_exception_handler: ExceptionHandler = "fail"
    production_exception_handler: ExceptionHandler = "fail"
    keep_partition: bool = False
    changelog_stores: StoreChoice = ()
    metrics_recording_level: RecordingLevel = "info"
    trace_contexts: bool = False
    input_buffer_max_bytes: int = INPUT_BUFFER_MAX_BYTES
    commit_interval_ms: int | None = None

    @property
    def batch_records(self) -> int:
        """The approximate limit of the records in a batch, with which engines begin that choose it."""
        return _BATCH_RECORDS if self.max_batch_records is None else self.max_batch_records

    @property
    def exception_handlers(self) -> ExceptionHandlers:
        """The handlers of exceptions."""
        return ExceptionHandlers(self.processing_exception_handler, self.production_exception_handler)

    def __post_init__(self) -> None:
        check_application_id(self.application_id)
        if self.clock is not None and self.order != "arrival":
            msg = (
                f"the clock topic '{self.clock.topic}' needs order='arrival', not order='{self.order}': only the order of "
                "arrival relates its records to those of other topics"
            )
            raise ValueError(msg)


@dataclass(frozen=True)
class RunPorts:
    """The event log that a run reads, the event sink that it writes, its codecs and its state stores."""

    log: EventLog
    sink: EventSink
    codecs: Codecs
    stores: StateStores


class RunStart(NamedTuple):
    """What a run does before it starts, and what it says then.

    Attributes:
        warn: Receives what an operator should know about a run on a cluster.
        log_file: Receives the output of Spark.
        ensure_topics: Creates topics, or raises an error for those that are missing.
        claim: Gives way to another engine that starts the application at the same time; called once the engine has the tasks.
        only_flows: Whether a session of Spark is for flows alone.
    """

    warn: Callable[[str], None]
    log_file: Path
    ensure_topics: Callable[[], None] = lambda: None
    claim: Callable[[], None] = lambda: None
    only_flows: bool = False


class OpenedEngine(NamedTuple):
    """An engine that is ready to run a flow.

    Attributes:
        runner: Runs the flow: `run(on_progress)` until it is stopped, or `run_available_now(on_progress)` to the end of the log;
            a SparkEngine on Spark.
        request_stop: Lets the run end after the current batch or record; returns at once, and may be called in any thread.
        close: Ends what the engine keeps beside a run; Spark goes on.
    """

    runner: Any
    request_stop: Callable[[], None]
    close: Callable[[], None] = lambda: None
