"""The process from which Spark forks Python workers, whose forks write their moments: `python -m benchmarks.traced.daemon`."""

import os
import runpy
import sys

from benchmarks.traced.moments import traced, traced_iterator, write
from eddyline.application.ports.event_sink import EventSink

_DAEMON = "eddyline.adapters.spark.process.daemon"


def main() -> None:
    """Trace what workers run, and be the daemon."""
    if sys.argv[1:2] == ["pyspark.worker"]:
        write("daemon")
        from eddyline.adapters.spark.source.datasource import EventReader  # noqa: PLC0415 - for workers alone
        from eddyline.adapters.spark.worker import preparation, task_server  # noqa: PLC0415
        from eddyline.adapters.spark.worker.stage import Stage  # noqa: PLC0415

        traced(_sink(), "write", "sink")
        traced(EventReader, "latestOffset", "offsets")
        traced(EventReader, "partitions", "ranges")
        traced_iterator(EventReader, "read", "source")
        traced_iterator(preparation, "handle", "prepare")
        traced_iterator(task_server, "process", "task")
        traced(Stage, "init", "worker")
        traced_iterator(Stage, "handleInputRows", "stage")
    runpy.run_module(_DAEMON, run_name="__main__", alter_sys=True)


def _sink() -> type[EventSink]:
    """Return the sink of this run; the client of Kafka takes long to import."""
    if "BOOTSTRAP_SERVERS" in os.environ:
        from eddyline.adapters.kafka.event_sink import KafkaEventSink  # noqa: PLC0415 - see above

        return KafkaEventSink
    from eddyline.adapters.files.event_sink import FileEventSink  # noqa: PLC0415 - likewise

    return FileEventSink


if __name__ == "__main__":
    main()
