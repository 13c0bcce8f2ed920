"""Flink SQL on stock statistics: `flink_program.py WORKLOAD`. Runs in an environment of its own.

It emits each window of `stock-stats` once, when it closes, and each update of `trade-stats`, which has no windows.

With `GUARANTEE=exactly-once` it writes with transactions, and has a checkpoint every second, which commits them.
"""

import os
import sys
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


_WINDOWS = (
    "SELECT ticker, CAST(TIMESTAMPDIFF(SECOND, TIMESTAMP '1970-01-01 00:00:00', window_start) AS BIGINT) * 1000, "
    "MIN(price), COUNT(*), AVG(price) "
    "FROM TABLE(HOP(TABLE trades, DESCRIPTOR(ts), INTERVAL '1' SECOND, INTERVAL '5' SECOND)) "
    "GROUP BY ticker, window_start, window_end"
)
_TOTALS = "SELECT ticker, CAST(0 AS BIGINT), MIN(price), COUNT(*), AVG(price) FROM trades GROUP BY ticker"


def main() -> None:
    """Run to the end of the input."""
    environment, totals = os.environ, sys.argv[1] == "trade-stats"
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
    connector, key = ("upsert-kafka", ", PRIMARY KEY (ticker) NOT ENFORCED") if totals else ("kafka", "")
    formats = "'value.format' = 'json'" if totals else "'key.fields' = 'ticker', 'format' = 'json'"
    tables.execute_sql(
        f"CREATE TABLE stats (ticker STRING, `start` BIGINT, `min` DOUBLE, `count` BIGINT, `avg` DOUBLE{key}) "
        f"WITH ('connector' = '{connector}', 'topic' = '{environment['SINK']}', 'properties.bootstrap.servers' = '{servers}', "
        f"'sink.delivery-guarantee' = '{guarantee}', 'sink.transactional-id-prefix' = '{environment['NAME']}', "
        f"'properties.transaction.timeout.ms' = '600000', 'key.format' = 'raw', {formats})"
    )
    mark("first")
    tables.execute_sql(f"INSERT INTO stats {_TOTALS if totals else _WINDOWS}").wait()
    mark("last")


if __name__ == "__main__":
    main()
