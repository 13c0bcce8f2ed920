"""The process that Spark forks Python workers from: what they need is imported once, before the fork."""

import gc
import sys

from pyspark import daemon

if sys.argv[1:2] == ["pyspark.worker"]:
    import eddyline.adapters.spark.sink.slot_writer
    import eddyline.adapters.spark.worker.data_frames
    import eddyline.adapters.spark.worker.stage
    import eddyline.adapters.spark.worker.stateless  # noqa: F401 - workers find it loaded

gc.freeze()
gc.set_threshold(100_000, 20, 20)  # a batch makes many values and hardly a cycle: looking often for those costs a fifth of it

if __name__ == "__main__":
    daemon.manager()
