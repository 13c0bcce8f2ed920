"""Plain PySpark: its own aggregations with its connector for Kafka, at least once."""

import os
import sys
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sql

from benchmarks.suite.marks import mark

_TRADE = "type string, ticker string, price double, size int"
_ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def _session() -> SparkSession:
    builder = SparkSession.Builder().master("local[2]")
    for name, value in {
        "spark.jars": os.environ["JARS"],
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.driver.memory": "2g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.streaming.stateStore.providerClass": _ROCKSDB,
        "spark.sql.session.timeZone": "UTC",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def _results(workload: str, source: DataFrame) -> DataFrame:
    text = sql.col("value").cast("string")
    if workload == "word-count":
        counts = source.select(sql.explode(sql.split(text, " ")).alias("ticker")).groupBy("ticker").count()
        return _as_json(counts, sql.col("ticker"))
    trades = source.select("timestamp", sql.from_json(text, _TRADE).alias("trade")).select("timestamp", "trade.*")
    statistics = (sql.min("price").alias("min"), sql.count("*").alias("count"), sql.avg("price").alias("avg"))
    if workload == "latency":
        return _as_json(trades.groupBy("ticker").agg(*statistics), sql.col("ticker"))
    windows = trades.withWatermark("timestamp", "5 seconds").groupBy("ticker", sql.window("timestamp", "5 seconds", "1 second"))
    start = sql.unix_millis("window.start").alias("start")
    rows = windows.agg(*statistics).select("ticker", start, "min", "count", "avg")
    return _as_json(rows, sql.concat_ws("@", "ticker", "start"))


def _as_json(rows: DataFrame, key: Column) -> DataFrame:
    return rows.select(key.alias("key"), sql.to_json(sql.struct(*rows.columns)).alias("value"))


def main() -> None:
    """Run a workload: to the end of the input, or until it is killed if its latency is measured."""
    workload, environment = sys.argv[1], os.environ
    session = _session()
    servers = environment["BOOTSTRAP_SERVERS"]
    reader = session.readStream.format("kafka").option("kafka.bootstrap.servers", servers)
    reader = reader.option("subscribe", environment["SOURCE"]).option("startingOffsets", "earliest")
    if workload != "latency":
        reader = reader.option("maxOffsetsPerTrigger", environment.get("BATCH_RECORDS", "500000"))
    writer = _results(workload, reader.load()).writeStream.format("kafka").outputMode("update")
    writer = writer.option("kafka.bootstrap.servers", servers).option("topic", environment["SINK"])
    writer = writer.option("checkpointLocation", str(Path(environment["FOLDER"], "checkpoint")))
    if workload == "latency":
        writer.start().awaitTermination()
        return
    records, done = int(environment["RECORDS"]), 0
    mark("first")
    query = writer.trigger(availableNow=True).start()
    last_batch, quarter = -1, False
    while True:
        ended = query.awaitTermination(0.05)  # type: ignore[arg-type] # fractions of a second are accepted
        for progress in query.recentProgress:
            if progress["batchId"] > last_batch:
                last_batch, done = progress["batchId"], done + progress["numInputRows"]
                if done >= records // 4 and not quarter:
                    quarter = True
                    mark("quarter", done=done)
        if ended:
            break
    mark("last")
    session.stop()


if __name__ == "__main__":
    main()
