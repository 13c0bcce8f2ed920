"""Flink SQL on stock statistics; it emits each window once, when it closes. Runs in an environment of its own.

With `GUARANTEE=exactly-once` it writes with transactions, and has a checkpoint every second, which commits them.
"""

import os
from pathlib import Path

from flink_marks import mark, watched  # type: ignore[import-not-found] # in this folder, where the program is started
from pyflink.table import EnvironmentSettings, TableEnvironment  # type: ignore[import-not-found] # in its own environment


def _checkpoints(folder: Path) -> dict[str, str]:
    return {
        "execution.checkpointing.interval": "1 s",
        "execution.checkpointing.storage": "filesystem",
        "execution.checkpointing.dir": folder.as_uri(),
        "restart-strategy.type": "none",
    }


def main() -> None:
    """Run to the end of the input."""
    environment = os.environ
    guarantee = environment.get("GUARANTEE", "none")
    tables = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    for name, value in {
        "pipeline.jars": ";".join(f"file://{jar}" for jar in environment["JARS"].split(",")),
        "parallelism.default": "2",
        "table.local-time-zone": "UTC",
        **watched(int(environment["RECORDS"])),
        **(_checkpoints(Path(environment["FOLDER"])) if guarantee == "exactly-once" else {}),
    }.items():
        tables.get_config().set(name, value)
    servers = environment["BOOTSTRAP_SERVERS"]
    tables.execute_sql(
        "CREATE TABLE trades (ticker STRING, price DOUBLE, ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', "
        "WATERMARK FOR ts AS ts) "
        f"WITH ('connector' = 'kafka', 'topic' = '{environment['SOURCE']}', 'properties.bootstrap.servers' = '{servers}', "
        f"'properties.group.id' = '{environment['NAME']}', 'scan.startup.mode' = 'earliest-offset', "
        "'scan.bounded.mode' = 'latest-offset', 'format' = 'json')"
    )
    tables.execute_sql(
        "CREATE TABLE stats (ticker STRING, `start` BIGINT, `min` DOUBLE, `count` BIGINT, `avg` DOUBLE) "
        f"WITH ('connector' = 'kafka', 'topic' = '{environment['SINK']}', 'properties.bootstrap.servers' = '{servers}', "
        f"'sink.delivery-guarantee' = '{guarantee}', 'sink.transactional-id-prefix' = '{environment['NAME']}', "
        "'properties.transaction.timeout.ms' = '600000', 'key.format' = 'raw', 'key.fields' = 'ticker', 'format' = 'json')"
    )
    mark("first")
    tables.execute_sql(
        "INSERT INTO stats SELECT ticker, "
        "CAST(TIMESTAMPDIFF(SECOND, TIMESTAMP '1970-01-01 00:00:00', window_start) AS BIGINT) * 1000, "
        "MIN(price), COUNT(*), AVG(price) "
        "FROM TABLE(HOP(TABLE trades, DESCRIPTOR(ts), INTERVAL '1' SECOND, INTERVAL '5' SECOND)) "
        "GROUP BY ticker, window_start, window_end"
    ).wait()
    mark("last")


if __name__ == "__main__":
    main()
