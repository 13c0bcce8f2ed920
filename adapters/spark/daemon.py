"""The process that Spark forks Python workers from: what they need is imported once, before the fork."""

import gc
import sys

from pyspark import daemon

if sys.argv[1:2] == ["pyspark.worker"]:
    import adapters.spark.data_frames
    import adapters.spark.sink
    import adapters.spark.stage
    import adapters.spark.stateless  # noqa: F401 - workers find it loaded

gc.freeze()
gc.set_threshold(100_000, 20, 20)  # a batch makes many values and hardly a circle: looking often for those costs a fifth of it

if __name__ == "__main__":
    daemon.manager()
