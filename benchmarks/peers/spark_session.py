"""The session of the programs in plain PySpark."""

from collections.abc import Mapping

from pyspark.sql import SparkSession

_ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def session(settings: Mapping[str, str] | None = None) -> SparkSession:
    """Return a session on two cores with four partitions, and with further settings."""
    builder = SparkSession.Builder().master("local[2]")
    for name, value in {
        **(settings or {}),
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.driver.memory": "2g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.streaming.stateStore.providerClass": _ROCKSDB,
        "spark.sql.session.timeZone": "UTC",
    }.items():
        builder = builder.config(name, value)
    found = builder.getOrCreate()
    found.sparkContext.setLogLevel("ERROR")
    return found
