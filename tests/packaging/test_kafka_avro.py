"""The example project examples/kafka_avro runs from Kafka to Kafka as installed from the wheel."""

import re

import pytest

from eddyline.adapters.services.broker import Broker
from eddyline.adapters.services.registry import Registry
from tests.packaging.conftest import ROOT, Distributions, Environment, new_environment

pytestmark = pytest.mark.environments


@pytest.fixture(scope="session")
def cold_chain(distributions: Distributions, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    folder = tmp_path_factory.mktemp("cold-chain")
    made = new_environment(folder, ROOT / "examples/kafka_avro", distributions.wheel, "[avro]", "mypy", "pytest")
    made.install_project()
    return made


def test_its_tests_pass_without_a_broker(cold_chain: Environment) -> None:
    done = cold_chain.python("-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"3 passed, 1 skipped", done.stdout)


@pytest.mark.slow
def test_the_strict_type_checker_accepts_it(cold_chain: Environment) -> None:
    done = cold_chain.mypy(".")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("engine", ["memory", pytest.param("spark", marks=[pytest.mark.spark, pytest.mark.slow])])
def test_it_runs_from_kafka_to_kafka(
    cold_chain: Environment, distributions: Distributions, kafka_broker: Broker, schema_registry: Registry, engine: str
) -> None:
    if engine == "spark":
        cold_chain.install(f"{distributions.wheel}[avro,spark]")
    cold_chain.variables = {
        "EDDYLINE_BOOTSTRAP_SERVERS": kafka_broker.bootstrap_servers,
        "EDDYLINE_SCHEMA_REGISTRY_URL": schema_registry.url,
        "EDDYLINE_ENGINE": engine,
    }
    done = cold_chain.python("-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "kafka")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"1 passed", done.stdout)
