"""A flow from Kafka to Kafka on a cluster, whose executors have nothing but what travels with the application."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.services.broker import Broker
from eddyline.adapters.spark.package.settings import FOLDER
from tests.adapters.spark.cluster.guide import Shops
from tests.adapters.spark.cluster.standalone import SPARK, Cluster, kill_executor_of
from tests.adapters.spark.cluster.user_flow import PARTITIONS, ROOT, TIMEOUT_S, Drivers, Topics
from tests.adapters.spark.running import latest_counts
from tests.fixtures.brokers import TRANSACTIONS, Brokers

if TYPE_CHECKING:
    from tests.fixtures.s3 import S3

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    created = Cluster(tmp_path_factory.mktemp("cluster") / "nodes")
    created.start(workers=2)
    yield created
    created.stop()


@pytest.fixture(scope="module")
def drivers(cluster: Cluster, three_brokers: Brokers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Drivers]:
    created = Drivers(tmp_path_factory.mktemp("drivers"), cluster.url, three_brokers.bootstrap_servers)
    yield created
    created.kill_all()


@pytest.fixture(scope="module")
def brokers(three_brokers: Brokers) -> KafkaSettings:
    return KafkaSettings({"bootstrap.servers": three_brokers.bootstrap_servers})


@pytest.fixture(scope="module")
def topics(brokers: KafkaSettings) -> Topics:
    return Topics(brokers)


def test_what_executors_miss_without_a_package_is_the_error_of_the_command(drivers: Drivers, topics: Topics) -> None:
    topics.write(20)
    python = f"spark.pyspark.python=python{sys.version_info.major}.{sys.version_info.minor}"
    bare = ("--application-id", "bare", "--set", python, "--set", "spark.cores.max=1", "--available-now")
    assert drivers.start("bare", "totals", *bare, package=False).wait(TIMEOUT_S) == 1
    assert drivers.output("bare").splitlines()[-1] == (
        "error: executors do not have module 'eddyline'; bring it to them in a package: eddyline package FILE --flows …, "
        "then run the flow with --package FILE"
    )


def test_a_flow_runs_under_spark_submit_as_the_guide_says(
    cluster: Cluster, own_broker: Callable[..., Broker], tmp_path: Path
) -> None:
    broker = own_broker()
    broker.start()
    drivers = Drivers(tmp_path, cluster.url, broker.bootstrap_servers)
    shops = Shops(KafkaSettings({"bootstrap.servers": broker.bootstrap_servers}), PARTITIONS)
    shops.pay(60)
    assert drivers.submit("submitted").wait(TIMEOUT_S) == 0, drivers.output("submitted")
    assert shops.takings() == shops.expected
    assert max(drivers.events("submitted").tasks_of_stages()) == PARTITIONS
    modules = drivers.modules_of_executors(cluster)
    assert {"eddyline", "flows.py"} <= {file.parts[file.parts.index(FOLDER) + 1] for file in modules if FOLDER in file.parts}
    of_driver = {file for file in modules if file.is_relative_to(ROOT) or file.is_relative_to(sys.prefix)}
    assert {file for file in of_driver if not file.is_relative_to(SPARK)} == set()


def test_results_are_exactly_once_while_the_input_grows_and_parts_of_the_cluster_the_driver_and_a_broker_are_killed(
    cluster: Cluster, drivers: Drivers, topics: Topics, three_brokers: Brokers
) -> None:
    topics.write(200)
    drivers.start("first", "totals")
    topics.wait_until_processed(drivers, "first")
    assert drivers.events("first").executors_with_tasks() == {"0", "1"}

    holding = drivers.open_transaction(topics, 200)
    topics.grow(2 * PARTITIONS)
    before = drivers.hold_one_of_next_batch(topics, 200)
    kill_executor_of(int(holding.name))
    holding.unlink()

    holding = drivers.last_of_stage(topics, before)
    cluster.kill_worker_of(int(holding.name))  # with rows of the stage before, whose tasks are repeated
    holding.unlink()
    topics.wait_until_processed(drivers, "first")

    holding = drivers.open_transaction(topics, 200)
    coordinator = three_brokers.leader(TRANSACTIONS)
    three_brokers.kill_one(coordinator)
    holding.unlink()
    topics.wait_until_processed(drivers, "first")
    assert three_brokers.leader(TRANSACTIONS) not in {coordinator, -1}

    topics.write(200)
    drivers.kill("first")
    assert drivers.start("second", "totals", "--available-now").wait(TIMEOUT_S) == 0, drivers.output("second")
    for name in ("first", "second"):
        assert max(drivers.events(name).tasks_of_stages()) == PARTITIONS, (
            "as many as there were tasks, and not as there are cores"
        )
    assert topics.totals() == topics.expected, "behind a repartition topic, keys stay in their tasks"
    assert topics.counts() == topics.expected_counts(), "the tasks of added partitions begin without state"
    assert any(counts.count(1) == 2 for counts in topics.counts().values()), "a key has moved to an added partition"


def test_results_are_exactly_once_with_the_checkpoint_in_s3_when_drivers_are_killed(
    drivers: Drivers, brokers: KafkaSettings, s3: "S3"
) -> None:
    topics = Topics(brokers, "s3-")
    settings = {**s3.settings(), "prefix": "s3-"}
    options = ["--application-id", "s3", *(word for item in settings.items() for word in ("--set", "=".join(item)))]
    options += ["--checkpoint-dir", "s3a://state/kafka"]
    topics.write(200)
    drivers.start("s3-1", "totals", *options)
    topics.wait_until_processed(drivers, "s3-1")

    holding = drivers.open_transaction(topics, 200)
    drivers.kill("s3-1")
    drivers.start("s3-2", "totals", *options)
    topics.wait_until_processed(drivers, "s3-2")
    holding.unlink()  # a task of the killed driver, if it is still alive, goes on to commit results that have been written since

    topics.write(400)
    time.sleep(1)  # in the middle of a batch, or before it
    drivers.kill("s3-2")
    topics.write(200)
    assert drivers.start("s3-3", "totals", *options, "--available-now").wait(TIMEOUT_S) == 0, drivers.output("s3-3")
    assert topics.totals() == topics.expected
    assert topics.counts() == topics.expected_counts()
    assert not (drivers.folder / "shared" / "s3").exists(), "the checkpoint is in S3 alone"


def test_state_moves_between_checkpoints_in_s3(drivers: Drivers, s3: "S3") -> None:
    data = drivers.folder / "s3" / "data"
    topic = data / "topics" / "text-lines"
    topic.mkdir(parents=True)
    session = drivers.one_session("s3", {**s3.settings(), "data.dir": str(data)})

    def command(*words: str, checkpoint: str, code: int = 0) -> str:
        return session.run(*words, "--checkpoint-dir", f"s3a://state/{checkpoint}", code=code)

    def run(line: str, checkpoint: str, *options: str, code: int = 0) -> str:
        with (topic / "partition-0.jsonl").open("a") as lines:
            lines.write(json.dumps({"value": line, "timestamp": 1_000}) + "\n")
        return command("run", "word-count", "--available-now", *options, checkpoint=checkpoint, code=code)

    run("to be or not to be", "first")
    command("state", "export", "word-count", "state.gz", checkpoint="first")
    command("state", "import", "word-count", "state.gz", "--execute", checkpoint="second")
    run("to be", "second")
    assert latest_counts(data) == {"to": 3, "be": 3, "or": 1, "not": 1}
    command("rescale", "word-count", "--tasks", "3", "--execute", checkpoint="second")
    run("be", "second")
    assert latest_counts(data) == {"to": 3, "be": 4, "or": 1, "not": 1}

    run("or", "second", "--engine", "local", "--restore-from", "checkpoint")
    assert latest_counts(data) == {"to": 3, "be": 4, "or": 2, "not": 1}
    assert "was moved to the engine local" in run("not", "second", code=1)
    assert "s3a://state/second/word-count" in command("reset", "word-count", "--execute", checkpoint="second")
    assert "there is nothing to reset" in command("reset", "word-count", "--execute", checkpoint="second")
