"""The process from which Spark forks Python workers; it imports once what they all need."""

import gc
import sys

from pyspark import daemon

if sys.argv[1:2] == ["pyspark.worker"]:
    import eddyline.adapters.spark.sink.slot_writer
    import eddyline.adapters.spark.worker.data_frames
    import eddyline.adapters.spark.worker.stage
    import eddyline.adapters.spark.worker.stateless  # noqa: F401 - for the workers

gc.freeze()
gc.set_threshold(100_000, 20, 20)  # a batch makes many objects and few cycles; frequent collections take a fifth of its time

if __name__ == "__main__":
    daemon.manager()
