"""Plain PySpark: its own aggregations and joins with its connector for Kafka, at least once.

In the workload `clickstream`, profiles are a static table, which has the last profile of each user when the query starts:
Structured Streaming cannot join a record with the profile that was current at its time. The watermark allows records to be late
by 5 s, since the partitions of a batch do not end at the same time.
"""

import os
import sys
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sql

from benchmarks.peers.spark_session import session as spark_session
from benchmarks.suite.marks import mark

_TRADE = "type string, ticker string, price double, size int"
_PROFILE = "userName string, zipcode string, interests array<string>"
_AROUND = "interval 1 second"
_DELAY = "5 seconds"


def _stream(session: SparkSession, topic: str) -> DataFrame:
    reader = session.readStream.format("kafka").option("kafka.bootstrap.servers", os.environ["BOOTSTRAP_SERVERS"])
    reader = reader.option("subscribe", topic).option("startingOffsets", "earliest")
    if int(os.environ["RECORDS"]):
        reader = reader.option("maxOffsetsPerTrigger", os.environ.get("BATCH_RECORDS", "500000"))
    return reader.load()


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


def _clickstream(session: SparkSession) -> DataFrame:
    clicks, profiles, searches = os.environ["SOURCE"].split(",")
    reader = session.read.format("kafka").option("kafka.bootstrap.servers", os.environ["BOOTSTRAP_SERVERS"])
    versions = _keyed(reader.option("subscribe", profiles).load(), _PROFILE).groupBy("key")
    latest = versions.agg(sql.max_by(sql.struct("userName", "zipcode", "interests"), "timestamp").alias("profile"))
    left = _keyed(_stream(session, clicks), "page string").withWatermark("timestamp", _DELAY).alias("click")
    right = _keyed(_stream(session, searches), "searchTerms string").withWatermark("timestamp", _DELAY).alias("search")
    around = (
        (sql.col("search.key") == sql.col("click.key"))
        & (sql.col("search.timestamp") >= sql.col("click.timestamp") - sql.expr(_AROUND))
        & (sql.col("search.timestamp") <= sql.col("click.timestamp") + sql.expr(_AROUND))
    )
    joined = left.join(right, around, "left_outer").select("click.key", "click.page", "search.searchTerms")
    found = joined.join(latest.cache(), "key", "left_outer").select(
        sql.col("key").alias("userId"),
        _text("profile.userName").alias("userName"),
        _text("profile.zipcode").alias("zipcode"),
        "profile.interests",
        _text("searchTerms").alias("searchTerm"),
        "page",
    )
    return _as_json(found, sql.col("userId"))


def _keyed(records: DataFrame, schema: str) -> DataFrame:
    value = sql.from_json(sql.col("value").cast("string"), schema).alias("value")
    return records.select(sql.col("key").cast("string"), "timestamp", value).select("key", "timestamp", "value.*")


def _text(name: str) -> Column:
    return sql.coalesce(sql.col(name), sql.lit(""))


def _as_json(rows: DataFrame, key: Column) -> DataFrame:
    return rows.select(key.alias("key"), sql.to_json(sql.struct(*rows.columns)).alias("value"))


def main() -> None:
    """Run a workload: to the end of the input, or until it is killed if its latency is measured."""
    workload, environment = sys.argv[1], os.environ
    session = spark_session({"spark.jars": os.environ["JARS"]})
    if workload == "clickstream":
        writer = _clickstream(session).writeStream.outputMode("append").format("kafka")
    else:
        writer = _results(workload, _stream(session, environment["SOURCE"])).writeStream.outputMode("update").format("kafka")
    writer = writer.option("kafka.bootstrap.servers", environment["BOOTSTRAP_SERVERS"]).option("topic", environment["SINK"])
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
