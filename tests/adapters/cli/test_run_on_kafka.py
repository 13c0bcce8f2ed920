"""`eddyline run --log kafka`, from simulated input to the output of `consume`."""

import json
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
from confluent_kafka import Producer
from confluent_kafka.schema_registry import SchemaRegistryClient, record_subject_name_strategy
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

from eddyline.adapters.services.broker import Broker
from eddyline.adapters.services.registry import Registry
from tests.adapters.cli.conftest import Eddyline

FLOW = """
from eddyline.application.flows.flow import Flow


def lines(builder):
    builder.stream("{topic}", key=str, value=str).map_values(str.upper).to("{topic}-loud")


FLOWS = (Flow("loud", "Converts lines to upper case.", lines),)
"""


def test_a_flow_runs_on_kafka_with_avro_when_its_topics_exist(
    eddyline: Eddyline, tmp_path: Path, kafka_broker: Broker, schema_registry: Registry
) -> None:
    topic = f"lines-{uuid.uuid4().hex[:12]}"
    (tmp_path / "loud.py").write_text(FLOW.replace("{topic}", topic))
    (tmp_path / "eddyline.toml").write_text(f"""
        log = "kafka"
        engine = "memory"
        "bootstrap.servers" = "{kafka_broker.bootstrap_servers}"
        "schema.registry.url" = "{schema_registry.url}"
        "value.codecs.{topic}-loud" = "avro"
        "num.partitions" = 1
        "producer.linger.ms" = 1
    """)
    asked = ("run", "loud", "--flows", "loud", "--available-now", "--application-id", topic)

    refused = eddyline(*asked)
    assert refused.code == 1
    assert refused.err.endswith(
        f"error: flow 'loud' needs topics that do not exist in Kafka: '{topic}', '{topic}-loud'; create them with "
        "--create-topics (1 partition each; setting num.partitions)\n"
    )

    (tmp_path / "lines.txt").write_text("to be\nor not\n")
    brokers = ("--bootstrap-servers", kafka_broker.bootstrap_servers)
    assert eddyline("produce", topic, "--file", "lines.txt", "--create-topics", "--partitions", "1", *brokers).code == 0
    outcome = eddyline(*asked, "--create-topics")
    assert outcome.code == 0, outcome.err
    assert f"written to '{topic}-loud': 2" in outcome.err

    shown = eddyline(
        *("consume", f"{topic}-loud", "--until-end", "--format", "json", *brokers),
        *("--value-codec", "avro", "--schema-registry", schema_registry.url),
    )
    assert [json.loads(line)["value"] for line in shown.out.splitlines()] == ["TO BE", "OR NOT"]
    lag = eddyline("groups", "describe", topic, *brokers)
    assert "total lag 0" in lag.err


def test_a_flow_with_incompatible_schemas_does_not_start(
    eddyline: Eddyline, tmp_path: Path, kafka_broker: Broker, schema_registry: Registry
) -> None:
    topic = f"lines-{uuid.uuid4().hex[:12]}"
    right = FLOW.replace(".map_values(str.upper)", "")
    (tmp_path / "plain_lines.py").write_text(right.replace("{topic}", topic))
    wrong = right.replace("value=str", "value=int").replace('"loud"', '"count"')
    (tmp_path / "wrong.py").write_text(wrong.replace("{topic}", f"{topic}-loud"))
    kafka = ("--log", "kafka", "--bootstrap-servers", kafka_broker.bootstrap_servers, "--schema-registry", schema_registry.url)
    both = ("--engine", "memory", "--available-now", "--create-topics", "--set", "default.value.codec=avro", *kafka)
    first = eddyline("run", "loud", "--flows", "plain_lines", *both)
    assert first.code == 0, first.err
    second = eddyline("run", "count", "--flows", "wrong", *both)
    assert second.code == 1
    assert f"value of topic '{topic}-loud': the latest schema of subject '{topic}-loud-value' is incompatible" in second.err
    assert len(second.err.splitlines()) == 1


@pytest.mark.spark
@pytest.mark.slow
def test_state_of_a_run_on_files_is_not_used_for_a_run_on_kafka(eddyline: Eddyline, tmp_path: Path, kafka_broker: Broker) -> None:
    topic = f"lines-{uuid.uuid4().hex[:12]}"
    (tmp_path / "two_logs.py").write_text(FLOW.replace("{topic}", topic))
    (tmp_path / "data/topics" / topic).mkdir(parents=True)
    line = '{"timestamp": 5, "value": "to be"}'
    (tmp_path / "data/topics" / topic / "partition-0.jsonl").write_text(f"{line}\n" * 3)
    asked = ("run", "loud", "--flows", "two_logs", "--available-now")
    on_files = eddyline(*asked)
    assert on_files.code == 0, on_files.err
    assert f"written to '{topic}-loud': 3" in on_files.err

    (tmp_path / "lines.txt").write_text("to be\n" * 5)
    brokers = ("--bootstrap-servers", kafka_broker.bootstrap_servers)
    assert eddyline("produce", topic, "--file", "lines.txt", "--create-topics", "--partitions", "1", *brokers).code == 0
    on_kafka = eddyline(*asked, "--log", "kafka", "--create-topics", *brokers)
    assert on_kafka.code == 1
    assert on_kafka.err.splitlines()[-1].startswith(
        "error: the positions of application 'loud' belong to 'files', but the event log is now 'kafka', cluster '"
    )
    assert "run 'eddyline reset'" in on_kafka.err
    assert "another application.id, version or state.dir" in on_kafka.err

    apart = eddyline(*asked, "--log", "kafka", "--version", "kafka", "--create-topics", *brokers)
    assert apart.code == 0, apart.err
    assert f"written to '{topic}-loud-kafka': 5" in apart.err


PROTOBUF_FLOW = """
from dataclasses import dataclass

from eddyline import Flow


@dataclass(frozen=True)
class Sale:
    shop: str
    amount: float
    note: str = ""


@dataclass(frozen=True)
class Total:
    amount: float = 0.0


def totals(builder):
    sales = builder.stream("{topic}", key=str, value=Sale)
    added = sales.group_by_key().aggregate(Total, lambda total, sale: Total(total.amount + sale.amount), value=Total)
    added.to_stream().to("{topic}-totals")


FLOWS = (Flow("totals", "Adds sales.", totals),)
"""


@pytest.mark.parametrize("engine", ["memory", "local", pytest.param("spark", marks=[pytest.mark.spark, pytest.mark.slow])])
def test_a_flow_reads_and_writes_protobuf(
    eddyline: Eddyline, tmp_path: Path, kafka_broker: Broker, schema_registry: Registry, engine: str
) -> None:
    topic = f"sales-{uuid.uuid4().hex[:12]}"
    (tmp_path / f"protobuf_{engine}.py").write_text(PROTOBUF_FLOW.replace("{topic}", topic))
    (tmp_path / "sale.proto").write_text('syntax = "proto3"; message Sale { double amount = 4; string shop = 9; }')
    (tmp_path / "sales.txt").write_text('a={"shop":"x","amount":1.5}\na={"shop":"y","amount":2}\n')
    kafka = ("--bootstrap-servers", kafka_broker.bootstrap_servers, "--schema-registry", schema_registry.url)
    schema = ("--value-codec", "protobuf", "--value-schema", "sale.proto", "--key-separator", "=")
    wrote = eddyline("produce", topic, "--file", "sales.txt", "--create-topics", "--partitions", "1", *schema, *kafka)
    assert wrote.code == 0, wrote.err
    run = ("run", "totals", "--flows", f"protobuf_{engine}", "--engine", engine, "--log", "kafka", "--available-now")
    codecs = ("--set", "default.value.codec=protobuf", "--set", f"state.dir={tmp_path}")
    code, err = _run(eddyline, tmp_path, engine, *run, "--create-topics", "--application-id", topic, *codecs, *kafka)
    assert code == 0, err
    shown = eddyline("consume", f"{topic}-totals", "--until-end", "--format", "json", "--value-codec", "protobuf", *kafka)
    assert json.loads(shown.out.splitlines()[-1])["value"] == {"amount": 3.5}, err


EVENTS_FLOW = """
from dataclasses import dataclass

from eddyline import Flow


@dataclass(frozen=True)
class OrderPlaced:
    order: str


@dataclass(frozen=True)
class OrderDelivered:
    order: str
    carrier: str = "post"


def event_in(text: str) -> OrderPlaced | OrderDelivered:
    what, order = text.split()
    return OrderPlaced(order) if what == "place" else OrderDelivered(order)


def name_of(event: OrderPlaced | OrderDelivered) -> str:
    return f"{type(event).__name__} {event.order}"


def follow(builder):
    builder.stream("{topic}", key=str, value=str).map_values(event_in).to("{topic}-events")
    events = builder.stream("{topic}-events", key=str, value=OrderPlaced | OrderDelivered)
    by_order = events.select_key(lambda _key, event: event.order, key=str).repartition(name="by-order")
    by_order.map_values(name_of).to("{topic}-names")


FLOWS = (Flow("follow", "Follows orders.", follow),)
"""


@pytest.mark.parametrize("engine", ["memory", "local", pytest.param("spark", marks=[pytest.mark.spark, pytest.mark.slow])])
def test_a_flow_reads_and_writes_several_event_types_in_a_topic(
    eddyline: Eddyline, tmp_path: Path, kafka_broker: Broker, schema_registry: Registry, engine: str
) -> None:
    topic = f"orders-{uuid.uuid4().hex[:12]}"
    (tmp_path / f"events_{engine}.py").write_text(EVENTS_FLOW.replace("{topic}", topic))
    (tmp_path / "orders.txt").write_text("place a\ndeliver a\n")
    kafka = ("--bootstrap-servers", kafka_broker.bootstrap_servers, "--schema-registry", schema_registry.url)
    for name in (topic, f"{topic}-events"):
        file = "orders.txt" if name == topic else "/dev/null"
        wrote = eddyline("produce", name, "--file", file, "--create-topics", "--partitions", "1", *kafka)
        assert wrote.code == 0, wrote.err
    client = SchemaRegistryClient({"url": schema_registry.url})
    others = {"auto.register.schemas": True, "subject.name.strategy": record_subject_name_strategy}
    schema = {"type": "record", "name": "OrderDelivered", "fields": [{"name": "order", "type": "string"}]}
    serialize = AvroSerializer(client, json.dumps(schema), conf=others)
    producer = Producer({"bootstrap.servers": kafka_broker.bootstrap_servers})
    context = SerializationContext(f"{topic}-events", MessageField.VALUE)
    producer.produce(f"{topic}-events", serialize({"order": "b"}, context), "b")
    assert producer.flush(10) == 0
    run = ("run", "follow", "--flows", f"events_{engine}", "--engine", engine, "--log", "kafka", "--available-now")
    settings = (f"value.codecs.{topic}-events=avro", f"schema.registry.value.subject.name.strategy.{topic}-events=record")
    chosen = [word for setting in (*settings, f"state.dir={tmp_path}") for word in ("--set", setting)]
    for _ in range(2):  # the second run reads what the first has written
        code, err = _run(eddyline, tmp_path, engine, *run, "--create-topics", "--application-id", topic, *chosen, *kafka)
        assert code == 0, err
    shown = eddyline("consume", f"{topic}-names", "--until-end", "--format", "json", *kafka)
    found = {json.loads(line)["value"] for line in shown.out.splitlines()}
    assert found == {"OrderPlaced a", "OrderDelivered a", "OrderDelivered b"}


def _run(eddyline: Eddyline, folder: Path, engine: str, *words: str) -> tuple[int, str]:
    """Return the exit code and the errors of a run; workers of a session that other tests have started do not know its module."""
    if engine == "spark":
        command = [str(Path(sys.executable).with_name("eddyline")), *words]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr
    outcome = eddyline(*words)
    return outcome.code, outcome.err
