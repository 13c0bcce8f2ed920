"""What is checked before a run on Spark starts, without Java if the checkpoint is a local directory."""

from typing import Final

from eddyline.adapters.spark.driver import checkpoint
from eddyline.adapters.spark.driver.hadoop_path import Location
from eddyline.adapters.spark.driver.preflight import check_picklable
from eddyline.adapters.spark.failures import EngineError
from eddyline.application.ports.event_log import LogIdentity
from eddyline.application.runtime.plan.changelogs import chosen_stores
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.plan.run_plan import RunPlan, log_topics
from eddyline.application.runtime.plan.topic_types import check_codecs
from eddyline.application.topology import Topology

LOCK_TIMEOUT_S: Final = 60.0
"""How long to wait for the lock of a checkpoint whose owner was killed."""
_DELETED: Final = "deleted"


def check_options(topology: Topology, options: RunOptions) -> None:
    """Make sure that Spark can run a topology with these options.

    Raises:
        EngineError: tasks are to wait for records.
        TopologyError: the topology does not have a store whose changelog is to be written.
    """
    if options.max_task_idle_ms > 0:
        raise EngineError(
            f"max.task.idle.ms={options.max_task_idle_ms} needs the engine local or memory, since the batches of Spark end "
            "at known offsets and a task has nothing to wait for; use 0 or -1, or run the flow with --engine local"
        )
    chosen_stores(topology, options.changelog_stores)


class StartChecks:
    """The checks of one application, whose checkpoint is in `folder`."""

    def __init__(self, topology: Topology, ports: RunPorts, options: RunOptions, folder: Location) -> None:
        self._topology, self._ports, self._options, self._folder = topology, ports, options, folder

    def log_identity(self) -> LogIdentity:
        """Return the identity of the log and of the topics that the application reads."""
        return self._ports.log.identity(self._topics_read())

    def before_topics(self) -> None:
        """Make sure that the checkpoint belongs to this flow and this log, before topics are created.

        Raises:
            CheckpointError: the checkpoint belongs to another application or topology.
            LogMismatchError: the checkpoint belongs to another log, or to topics that have been deleted since then.
        """
        existing = set(self._ports.log.topics())
        topics = self._topics_read()
        found = self._ports.log.identity(topic for topic in topics if topic in existing)
        gone = {topic: _DELETED for topic in topics if topic not in existing}
        identity = found._replace(topics={**found.topics, **gone})
        checkpoint.check(self._folder, self._options.application_id, self._topology, identity)

    def before_java(self) -> None:
        """Make sure that a run can start: topics, checkpoint, schemas, and that the flow can be sent to workers.

        Raises:
            UnknownTopicError: a source topic does not exist.
            TopologyError: topics that are joined have different numbers of partitions.
            CheckpointError: the checkpoint is in use, belongs to another application or topology, or is an old copy.
            CodecError: the schemas of the topology and of the topics do not match.
            EngineError: a part of the topology cannot be sent to the workers.
        """
        application_id = self._options.application_id
        found = checkpoint.check_usable(self._folder, application_id, self._topology, self.log_identity(), LOCK_TIMEOUT_S)
        if found is not None:
            checkpoint.check_changelogs(self._folder, found, self._topology, self._options.changelog_stores)
            checkpoint.check_results(self._folder, found, self._ports.sink)
        kept = checkpoint.stored_partitions(self._folder)
        check_picklable(self._topology, RunPlan.of(self._topology, self._ports, self._options, kept))
        check_codecs(self._topology, self._ports.codecs)

    def _topics_read(self) -> list[str]:
        clock = () if self._options.clock is None else (self._options.clock.topic,)
        return list(dict.fromkeys((*log_topics(self._topology, self._ports.log), *clock)))
