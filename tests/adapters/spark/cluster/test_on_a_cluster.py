"""A flow from Kafka to Kafka on a cluster, whose executors have nothing but what travels with the application."""

from collections.abc import Iterator

import pytest

from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.services.broker import Broker
from tests.adapters.kafka.conftest import eventually
from tests.adapters.spark.cluster.standalone import Cluster, kill_executor_of
from tests.adapters.spark.cluster.user_flow import TIMEOUT_S, Drivers, Topics

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    created = Cluster(tmp_path_factory.mktemp("cluster") / "nodes")
    created.start(workers=2)
    yield created
    created.stop()


@pytest.fixture(scope="module")
def drivers(cluster: Cluster, kafka_broker: Broker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Drivers]:
    created = Drivers(tmp_path_factory.mktemp("drivers"), cluster.url, kafka_broker.bootstrap_servers)
    yield created
    created.kill_all()


@pytest.fixture(scope="module")
def topics(kafka_broker: Broker) -> Topics:
    return Topics(KafkaSettings({"bootstrap.servers": kafka_broker.bootstrap_servers}))


def test_an_exception_on_an_executor_is_the_error_of_the_command(drivers: Drivers, topics: Topics) -> None:
    topics.write(20)
    failed = drivers.start("failing", "divided", "--available-now", "--set", "spark.cores.max=1")
    assert failed.wait(TIMEOUT_S) == 1
    last = drivers.output("failing").splitlines()[-1]
    assert last.startswith("error: ZeroDivisionError: integer division or modulo by zero; operator 'divide' of task 0_")


def test_results_are_exactly_once_while_an_executor_a_worker_and_the_driver_are_killed(
    cluster: Cluster, drivers: Drivers, topics: Topics
) -> None:
    topics.write(200)
    first = drivers.start("first", "totals")
    topics.wait_until_processed(first)

    drivers.hold.touch()
    topics.write(200)
    eventually(lambda: not drivers.hold.exists(), TIMEOUT_S)
    (holding,) = drivers.hold.parent.iterdir()
    kill_executor_of(int(holding.name))  # in the sink's transaction
    topics.wait_until_processed(first)

    cluster.kill_worker(0)
    topics.write(200)
    topics.wait_until_processed(first)

    topics.write(200)
    drivers.kill(first)
    assert drivers.start("second", "totals", "--available-now").wait(TIMEOUT_S) == 0, drivers.output("second")
    assert topics.totals() == topics.expected
