# ruff: noqa: S608 - the parts of the statements are constants
"""Runs one NEXMark query in Flink SQL from Kafka to Kafka. Needs apache-flink and nothing else.

It prints marks: `first` when its job begins, `last` when it ends, and those of flink_marks.
"""

import json
import sys

from flink_marks import mark, watched  # type: ignore[import-not-found] # in this folder, where the program is started
from pyflink.table import EnvironmentSettings, TableEnvironment  # type: ignore[import-not-found] # in its own environment

_COLUMNS = {
    "person": "id BIGINT, name STRING",
    "auction": "id BIGINT, seller BIGINT, category BIGINT, expires BIGINT",
    "bid": "auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, extra STRING",
}
_MILLISECONDS = "1000 * UNIX_TIMESTAMP(CAST({0} AS STRING)) + EXTRACT(MILLISECOND FROM {0})"
_START, _END = (_MILLISECONDS.format(name) for name in ("window_start", "window_end"))
_TUMBLE = "TUMBLE(TABLE {}, DESCRIPTOR(event_time), INTERVAL '10' SECOND)"

QUERIES = {
    "q0": (
        "auction BIGINT, bidder BIGINT, price BIGINT, `dateTime` BIGINT, extra STRING",
        "SELECT auction, bidder, price, `dateTime`, extra FROM bid",
    ),
    "q1": (
        "auction BIGINT, bidder BIGINT, price DECIMAL(20, 3), `dateTime` BIGINT, extra STRING",
        "SELECT auction, bidder, 0.908 * price, `dateTime`, extra FROM bid",
    ),
    "q2": ("auction BIGINT, price BIGINT", "SELECT auction, price FROM bid WHERE MOD(auction, 123) = 0"),
    "q4": (
        "id BIGINT, final BIGINT, PRIMARY KEY (id) NOT ENFORCED",
        """SELECT category, AVG(winning) FROM (
             SELECT a.id, a.category, MAX(b.price) AS winning FROM auction a
             JOIN bid b ON b.auction = a.id AND b.`dateTime` BETWEEN a.`dateTime` AND a.expires
             GROUP BY a.id, a.category
           ) GROUP BY category""",
    ),
    "q5": (
        "auction BIGINT, num BIGINT, starttime BIGINT, endtime BIGINT",
        f"""WITH counted AS (
              SELECT auction, COUNT(*) AS num, window_start, window_end
              FROM TABLE(HOP(TABLE bid, DESCRIPTOR(event_time), INTERVAL '2' SECOND, INTERVAL '10' SECOND))
              GROUP BY auction, window_start, window_end
            )
            SELECT
              c.auction, c.num,
              {_START.replace("window_start", "c.window_start")}, {_END.replace("window_end", "c.window_end")}
            FROM counted c JOIN (
              SELECT MAX(num) AS most, window_start, window_end FROM counted GROUP BY window_start, window_end
            ) m ON c.window_start = m.window_start AND c.window_end = m.window_end AND c.num >= m.most""",
    ),
    "q7": (
        "auction BIGINT, bidder BIGINT, price BIGINT, `dateTime` BIGINT, extra STRING",
        f"""SELECT b.auction, b.bidder, b.price, b.`dateTime`, b.extra FROM bid b JOIN (
              SELECT MAX(price) AS highest, window_end FROM TABLE({_TUMBLE.format("bid")}) GROUP BY window_start, window_end
            ) w
            ON b.price = w.highest AND b.event_time BETWEEN w.window_end - INTERVAL '10' SECOND AND w.window_end""",
    ),
    "q8": (
        "id BIGINT, name STRING, starttime BIGINT",
        f"""SELECT p.id, p.name, {_START.replace("window_start", "p.window_start")} FROM (
              SELECT id, name, window_start, window_end FROM TABLE({_TUMBLE.format("person")})
              GROUP BY id, name, window_start, window_end
            ) p JOIN (
              SELECT seller, window_start, window_end FROM TABLE({_TUMBLE.format("auction")})
              GROUP BY seller, window_start, window_end
            ) a ON p.id = a.seller AND p.window_start = a.window_start AND p.window_end = a.window_end""",
    ),
    "q11": (
        "bidder BIGINT, num BIGINT, starttime BIGINT, endtime BIGINT",
        f"""SELECT bidder, COUNT(*), {_START}, {_END}
            FROM TABLE(SESSION(TABLE bid PARTITION BY bidder, DESCRIPTOR(event_time), INTERVAL '10' SECOND))
            GROUP BY bidder, window_start, window_end""",
    ),
}
"""The columns of the results and the query, by name."""


def main() -> None:
    """Run the query that the argument, a JSON object, describes."""
    given = json.loads(sys.argv[1])
    tables = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    configuration = {
        "pipeline.jars": ";".join(given["jars"]),
        "parallelism.default": "2",
        "table.local-time-zone": "UTC",
        "execution.checkpointing.interval": "5 s",
        "execution.checkpointing.storage": "filesystem",  # in memory, a state of more than 5 MB ends the job
        "execution.checkpointing.dir": given["checkpoints"],
        "restart-strategy.type": "none",
        **watched(given["records"]),
        "taskmanager.memory.managed.size": "512m",
        "taskmanager.memory.network.min": "256m",
        "taskmanager.memory.network.max": "256m",
    }
    for name, value in configuration.items():
        tables.get_config().set(name, value)
    brokers = f"'properties.bootstrap.servers' = '{given['bootstrap.servers']}'"
    for table, columns in _COLUMNS.items():
        tables.execute_sql(f"""CREATE TABLE {table} ({columns}, `dateTime` BIGINT,
            event_time AS CAST(TO_TIMESTAMP_LTZ(`dateTime`, 3) AS TIMESTAMP(3)),
            WATERMARK FOR event_time AS event_time - INTERVAL '4' SECOND) WITH ('connector' = 'kafka', {brokers},
            'topic' = '{given["topics"][table]}', 'properties.group.id' = '{given["out"]}', 'format' = 'json',
            'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset')""")
    columns, query = QUERIES[given["query"]]
    if "PRIMARY KEY" in columns:
        sink = "'connector' = 'upsert-kafka', 'key.format' = 'json', 'value.format' = 'json'"
    else:
        sink = "'connector' = 'kafka', 'format' = 'json'"
    tables.execute_sql(f"""CREATE TABLE results ({columns}) WITH ({sink}, {brokers}, 'topic' = '{given["out"]}',
        'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = '{given["out"]}',
        'properties.transaction.timeout.ms' = '600000')""")
    mark("first")
    tables.execute_sql(f"INSERT INTO results {query}").wait()
    mark("last")


if __name__ == "__main__":
    main()
