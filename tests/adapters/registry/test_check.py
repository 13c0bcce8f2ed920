from dataclasses import dataclass, make_dataclass

import pytest
from confluent_kafka.schema_registry import SchemaRegistryClient

from eddyline.adapters.avro.format import AvroFormats
from eddyline.adapters.registry.check import check
from eddyline.adapters.registry.client import Registry
from eddyline.adapters.registry.codecs import RegistryCodecs
from eddyline.adapters.registry.errors import IncompatibleSchemasError, RegistryUnavailableError
from eddyline.adapters.registry.places import Finding, Place
from eddyline.adapters.services.registry import Registry as RegistryService
from tests.adapters.avro.models import Node, Trade
from tests.adapters.registry.conftest import registry_at

OLD_TRADE = make_dataclass("Trade", [("type", str), ("price", float)])
OTHER_TRADE = make_dataclass("Trade", [("type", str), ("ticker", int | None), ("price", float)])


@dataclass
class Stats:
    count: int


def test_what_is_written_is_registered_before_the_flow_starts(avro: RegistryCodecs, registry: Registry, topic: str) -> None:
    key, value = avro.for_key(topic, str), avro.for_value(topic, Stats)
    findings = check(reads=[avro.for_value(f"{topic}-in", Trade)], writes=[key, value])
    assert findings[0] == Finding(Place(f"{topic}-in", "value"), f"{topic}-in-value", None)
    assert [finding.schema_id for finding in findings[1:]] == [key.register(), value.register()]
    assert registry.latest(f"{topic}-value") is not None


def test_what_is_only_read_is_not_registered(avro: RegistryCodecs, registry: Registry, topic: str) -> None:
    check(reads=[avro.for_value(topic, Trade)], writes=[])
    assert registry.latest(f"{topic}-value") is None


def test_every_topic_that_does_not_fit_is_told_with_the_registrys_reason(
    avro: RegistryCodecs, schema_registry: RegistryService, topic: str
) -> None:
    avro.for_value(f"{topic}-in", OTHER_TRADE).register()
    avro.for_value(f"{topic}-out", OLD_TRADE).register()
    SchemaRegistryClient({"url": schema_registry.url}).set_compatibility(f"{topic}-out-value", "BACKWARD")
    with pytest.raises(IncompatibleSchemasError) as caught:
        check(
            reads=[avro.for_value(f"{topic}-in", Trade)],
            writes=[avro.for_value(f"{topic}-out", Trade), avro.for_value(f"{topic}-fine", Stats)],
        )
    read, written, fine = caught.value.findings
    assert read.problem == (
        f"the newest schema of {topic}-in-value cannot be read as ours: ticker: expected string, but the writer has null"
    )
    assert written.problem is not None
    assert "does not take our schema" in written.problem
    assert "ticker" in written.problem
    assert fine.problem is None
    assert str(caught.value).splitlines()[0] == f"value of topic {topic}-in: {read.problem}"


def test_data_of_another_kind_or_record_are_told(avro: RegistryCodecs, registry: Registry, topic: str) -> None:
    avro.for_value(topic, Node).register()
    registry.register(f"{topic}-json-value", "JSON", '{"type": "object", "properties": {}}')
    with pytest.raises(IncompatibleSchemasError) as caught:
        check(reads=[avro.for_value(topic, Trade), avro.for_value(f"{topic}-json", Trade)], writes=[])
    first, second = str(caught.value).splitlines()
    assert "expected the record eddyline.Trade, but the writer has record eddyline.Node" in first
    assert "it is of the kind JSON, not AVRO" in second


def test_a_subject_without_a_name_is_a_finding(schema_registry: RegistryService, topic: str) -> None:
    codecs = RegistryCodecs(registry_at(schema_registry.url, **{"key.subject.name.strategy": "record"}), AvroFormats())
    with pytest.raises(IncompatibleSchemasError, match=r"set key\.subject\.name\.strategy to topic"):
        check(reads=[codecs.for_key(topic, str)], writes=[codecs.for_key(topic, str)])


def test_a_registry_that_is_down_is_an_outage_not_a_finding() -> None:
    codecs = RegistryCodecs(registry_at("http://127.0.0.1:1"), AvroFormats())
    with pytest.raises(RegistryUnavailableError):
        check(reads=[codecs.for_value("t", Trade)], writes=[])
