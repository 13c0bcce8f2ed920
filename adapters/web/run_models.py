"""The status of a run as pydantic models."""

from collections.abc import Sequence
from dataclasses import asdict

from pydantic import BaseModel, Field

from eddyline.adapters.web.models import JSON
from eddyline.application.monitoring.run_status import BatchStatus, NodeStatus, PartitionStatus, RunState, RunStatus, Totals
from eddyline.application.runtime.plan.options import RecordingLevel
from eddyline.application.topology.metrics import MetricKind


class DroppedModel(BaseModel):
    """Records that a node has dropped for one reason."""

    node: str
    reason: str
    records: int


class SkippedModel(BaseModel):
    """Offsets of a partition that the log has lost."""

    topic: str
    partition: int
    offsets: int


class TotalsModel(BaseModel):
    """The counts since the run started."""

    model_config = JSON

    batches: int
    records_in: dict[str, int] = Field(description="Records processed by source topic.")
    records_out: dict[str, int] = Field(description="Records written by topic, dead letters included.")
    undecodable: dict[str, int] = Field(description="Records that could not be decoded by source topic.")
    dropped: list[DroppedModel]
    handled_exceptions: dict[str, int] = Field(description="Exceptions after which the run went on, by node.")
    late: int = Field(description="Late records, however many of their windows are closed.")
    late_windows: int = Field(description="Closed windows for which records were late; a record may be late for several.")
    dead_letters: int
    skipped: list[SkippedModel]
    transactions: dict[str, int] = Field(description="Writes to the event sink by outcome.")


class NodeModel(BaseModel):
    """A node of the topology."""

    model_config = JSON

    name: str
    kind: str
    parents: list[str]
    sub_topology: int | None = Field(description="Null for the nodes of global tables.")
    processed: int | None = Field(
        description="Records processed. Null if they are not counted: those of sources always are, the others if the setting "
        "metrics.recording.level is debug."
    )
    dropped: dict[str, int] = Field(description="Dropped records by reason.")


class TaskModel(BaseModel):
    """A task after its last batch."""

    model_config = JSON

    task: str = Field(description="The index of the sub-topology and the partition, such as 0_2.")
    sub_topology: int
    partition: int
    stream_time: int | None = Field(description="Null before the first record.")
    entries: int | None = Field(description="The entries of its stores; null if they are not counted.")
    size_bytes: int | None = Field(description="The size of the stored state; null if it is not known.")
    time: int = Field(description="The wall-clock time of its last batch.")


class PartitionModel(BaseModel):
    """The position of the run in a partition of a source topic."""

    model_config = JSON

    topic: str
    partition: int
    offset: int = Field(description="The next offset to read.")
    end: int | None = Field(description="The end offset of the log; null if the log does not answer.")
    lag: int | None
    last_advanced: int | None = Field(description="The wall-clock time at which the position was seen to advance.")


class BatchModel(BaseModel):
    """A batch."""

    model_config = JSON

    batch: int
    time: int = Field(description="The wall-clock time of its end.")
    seconds: float
    records: int
    written: int
    dropped: int
    lag: int | None
    stream_time: int | None
    state_entries: int | None
    state_bytes: int | None


class MetricModel(BaseModel):
    """What a metric of a processor has counted in one task since the run started."""

    model_config = JSON

    node: str
    name: str
    task: str
    kind: MetricKind
    value: float = Field(description="The sum of what was added or recorded; of a gauge the value that was set last.")
    number: int = Field(description="How often it was added to, set or recorded.")
    most: float | None = Field(description="The greatest value that a sensor has recorded.")


class RunModel(BaseModel):
    """A run; times are milliseconds since the epoch."""

    model_config = JSON

    application_id: str
    flow: str
    engine: str
    state: RunState
    failure: str | None = Field(description="Why the run has failed.")
    problem: str | None = Field(description="What is wrong with the run, such as when it restarts, and why.")
    failures: int = Field(description="How often it has failed one time after the other.")
    restarts: int = Field(description="How often it was restarted.")
    restart_at: int | None = Field(description="When it restarts next, if it waits for that.")
    recording_level: RecordingLevel
    started: int
    time: int = Field(description="When this status was taken.")
    records_per_second: float = Field(description="Records processed per second over the last 30 seconds.")
    written_per_second: float = Field(description="Records written per second over the last 30 seconds.")
    lag: int | None = Field(description="Records in the source topics that are not processed yet; null if that is not known.")
    stream_time: int | None = Field(description="The greatest stream time of the tasks.")
    state_entries: int | None
    state_bytes: int | None
    totals: TotalsModel
    nodes: list[NodeModel] = Field(description="The nodes of the topology, parents before children.")
    tasks: list[TaskModel]
    partitions: list[PartitionModel]
    metrics: list[MetricModel] = Field(description="The metrics of processors.")
    history: list[BatchModel] = Field(description="The last batches, the oldest first.")


class ServiceModel(BaseModel):
    """The flows of a service; times are milliseconds since the epoch."""

    model_config = JSON

    service: str
    healthy: bool = Field(description="Whether no flow has failed, or fails again and again.")
    flows: list[RunModel]


def service_model(service: str, statuses: Sequence[RunStatus], batches: int) -> ServiceModel:
    """Return the model of the flows of a service, each with at most this many of the last batches."""
    healthy = all(status.is_healthy for status in statuses)
    return ServiceModel(service=service, healthy=healthy, flows=[run_model(status, batches) for status in statuses])


def run_model(status: RunStatus, batches: int) -> RunModel:
    """Return the model of a run's status with at most this many of the last batches."""
    of_run = {
        name: getattr(status, name)
        for name in (
            "application_id", "flow", "engine", "state", "failure", "problem", "failures", "restarts", "restart_at",
            "recording_level", "started", "time", "records_per_second",
            "written_per_second", "lag", "stream_time", "state_entries", "state_bytes",
        )
    }  # fmt: skip
    return RunModel(
        **of_run,
        totals=_totals(status.totals),
        nodes=[_node(node) for node in status.nodes],
        tasks=[TaskModel(**asdict(task)) for task in status.tasks],
        partitions=[_partition(partition) for partition in status.partitions],
        metrics=[
            MetricModel(node=node, name=name, task=task, **value._asdict())
            for (node, name, task), value in status.metrics.items()
        ],
        history=[_batch(batch) for batch in status.history[len(status.history) - batches :]] if batches else [],
    )


def _totals(totals: Totals) -> TotalsModel:
    return TotalsModel(
        **{
            **vars(totals),
            "dropped": [
                DroppedModel(node=node, reason=reason, records=number)
                for (node, reason), number in sorted(totals.dropped.items())
            ],
            "skipped": [
                SkippedModel(topic=topic, partition=partition, offsets=number)
                for (topic, partition), number in sorted(totals.skipped.items())
            ],
        }
    )


def _node(node: NodeStatus) -> NodeModel:
    return NodeModel(**vars(node))


def _partition(partition: PartitionStatus) -> PartitionModel:
    return PartitionModel(**vars(partition), lag=partition.lag)


def _batch(batch: BatchStatus) -> BatchModel:
    return BatchModel(**vars(batch))
