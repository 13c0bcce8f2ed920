"""Plain PySpark from files to files: stock statistics in windows, at least once, in the session of `spark_program`.

`python -m benchmarks.peers.spark_files TRADES RESULTS CHECKPOINT`. Its sink for files writes only closed windows, so that
`foreachBatch` writes the updates of each batch.
"""

import sys

from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from benchmarks.peers.spark_session import session as spark_session

_TRADE = "timestamp long, key string, value struct<type string, ticker string, price double, size int>"


def main() -> None:
    """Run to the end of the input."""
    trades, results, checkpoint = sys.argv[1:]
    session = spark_session()

    def write(rows: DataFrame, _batch: int) -> None:
        rows.write.mode("append").json(results)

    rows = session.readStream.schema(_TRADE).option("pathGlobFilter", "*.jsonl").json(trades)
    trade = rows.select(sql.timestamp_millis("timestamp").alias("timestamp"), "value.*")
    windows = trade.withWatermark("timestamp", "5 seconds").groupBy("ticker", sql.window("timestamp", "5 seconds", "1 second"))
    statistics = windows.agg(sql.min("price").alias("min"), sql.count("*").alias("count"), sql.avg("price").alias("avg"))
    found = statistics.select("ticker", sql.unix_millis("window.start").alias("start"), "min", "count", "avg")
    query = found.writeStream.outputMode("update").option("checkpointLocation", checkpoint).foreachBatch(write)
    query.trigger(availableNow=True).start().awaitTermination()
    session.stop()


if __name__ == "__main__":
    main()
