"""A long test of queries: `python -m tests.adapters.spark.kills.query_chaos [--kills N] [--clients N] [--seed N]`.

Words are counted from Kafka to Kafka while clients read the counts over HTTP, from the server of the run and from one beside it.
The run is killed many times. Each answer is compared with a model of the input, and none may be older than what its client has
seen. In the end both servers must have exactly the expected counts. If an answer is wrong, the exit code is 1 and the folder is
kept.
"""

import sys
import time
from pathlib import Path

from eddyline.adapters.kafka.event_sink import Guarantee, KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.services.broker import Broker
from tests.adapters.spark.kills.chaos_command import chaos_command
from tests.adapters.spark.kills.readers import Input
from tests.adapters.spark.kills.served_words import ServedWords, read_during_kills
from tests.fixtures.commands import Commands


def run(broker: Broker, folder: Path, *, kills: int, clients: int, seed: int) -> bool:
    """Run the test and print its verdict; return whether it has passed."""
    began = time.monotonic()
    commands = Commands(folder)
    settings = KafkaSettings({"bootstrap.servers": broker.bootstrap_servers})
    given = Input(KafkaEventSink(settings, guarantee=Guarantee.AT_LEAST_ONCE), "lines", seed)  # no offsets of transactions
    served = ServedWords(commands, folder, "--log", "kafka", "--bootstrap-servers", broker.bootstrap_servers)
    try:
        readers = read_during_kills(served, given, kills=kills, clients=clients, seed=seed)
        problems = list(readers.wrong)
        for url in served.urls:
            if not problems and served.counts(url, given.lines) != given.counts():
                problems.append(f"{url} does not have the expected counts")
    finally:
        commands.kill_all()
    sys.stdout.writelines(f"    {problem}\n" for problem in problems[:10])
    verdict = "some are wrong" if problems else "none wrong, none older than what its client has seen"
    sys.stdout.write(
        f"{time.monotonic() - began:7.1f} s  {given.lines:,} lines, {kills} kills, {clients} clients, "
        f"{readers.answers:,} answers, {readers.refused:,} requests without one: {verdict}\n"
    )
    return not problems


if __name__ == "__main__":
    chaos_command(
        __doc__,
        "eddyline-query-chaos-",
        run,
        Broker,
        kills=10,
        clients=50,
    )
