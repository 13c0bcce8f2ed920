"""The process from which Spark forks Python workers; it imports once what they all need."""

import gc
import os
import sys

from pyspark import daemon

_has_workers = sys.argv[1:2] == ["pyspark.worker"]
if _has_workers:
    import eddyline.adapters.spark.sink.arrival_writer
    import eddyline.adapters.spark.source.event_source
    import eddyline.adapters.spark.source.planned_rows
    import eddyline.adapters.spark.worker.data_frames
    import eddyline.adapters.spark.worker.preparation
    import eddyline.adapters.spark.worker.stage
    import eddyline.adapters.spark.worker.stateless  # noqa: F401 - for the workers

gc.freeze()
gc.set_threshold(100_000, 20, 20)  # a batch makes many objects and few cycles; frequent collections take a fifth of its time

if __name__ == "__main__":
    if _has_workers and hasattr(os, "fork"):
        from eddyline.adapters.spark.process.fork_server import start_fork_server

        start_fork_server()
    if _has_workers:
        from eddyline.adapters.spark.worker_logs import log_warnings

        log_warnings()
    if _has_workers and hasattr(os, "fork"):
        from functools import partial

        from eddyline.adapters.spark.process.startup.eddyline_fork_client import folder_for_sockets
        from eddyline.adapters.spark.sink import arrival_server
        from eddyline.adapters.spark.worker import preparation, run_server, stateless, task_server
        from eddyline.adapters.spark.worker.server_process import start_servers

        handlers = {module.HANDLER: module.handle for module in (preparation, arrival_server, stateless, task_server)}
        os.setpgid(0, 0)  # the group that Spark's daemon ends with itself
        start_servers(partial(run_server.handle, handlers), os.cpu_count() or 1, folder_for_sockets())
    daemon.manager()
