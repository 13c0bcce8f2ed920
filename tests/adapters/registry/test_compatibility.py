import json
from dataclasses import dataclass, field, make_dataclass

import pytest
from confluent_kafka.schema_registry import SchemaRegistryClient

from eddyline.adapters.avro.format import AvroFormats
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.json.schema import json_schema_of
from eddyline.adapters.registry.client import SchemaRegistry
from eddyline.adapters.registry.codecs import RegistryCodecs
from eddyline.adapters.registry.compatibility import CheckResult, IncompatibleSchemasError, check_compatibility
from eddyline.adapters.registry.errors import RegistryUnavailableError
from eddyline.adapters.registry.format import FormatFactory
from eddyline.adapters.registry.json_schema import JsonSchemaFormats
from eddyline.adapters.registry.serialization_context import SerializationContext
from eddyline.adapters.services.registry import Registry as RegistryService
from eddyline.application.ports.codec import TopicTypes
from tests.adapters.avro.models import Node, Trade
from tests.adapters.registry.conftest import FakeRegistry, registry_at

OLD_TRADE = make_dataclass("Trade", [("type", str), ("price", float)])
OTHER_TRADE = make_dataclass("Trade", [("type", str), ("ticker", int | None), ("price", float)])


@dataclass
class Stats:
    count: int


def test_the_schemas_of_topics_to_write_are_registered(avro: RegistryCodecs, registry: SchemaRegistry, topic: str) -> None:
    key, value = avro.for_key(topic, str), avro.for_value(topic, Stats)
    results = check_compatibility(reads=[avro.for_value(f"{topic}-in", Trade)], writes=[key, value])
    assert results[0] == CheckResult(SerializationContext(f"{topic}-in", "value"), f"{topic}-in-value", None)
    assert [result.schema_id for result in results[1:]] == [key.register_schema(), value.register_schema()]
    assert registry.get_latest_schema(f"{topic}-value") is not None


def test_the_schemas_of_topics_to_read_are_not_registered(avro: RegistryCodecs, registry: SchemaRegistry, topic: str) -> None:
    check_compatibility(reads=[avro.for_value(topic, Trade)], writes=[])
    assert registry.get_latest_schema(f"{topic}-value") is None


def test_the_error_has_every_incompatible_topic_and_the_reason(
    avro: RegistryCodecs, schema_registry: RegistryService, topic: str
) -> None:
    avro.for_value(f"{topic}-in", OTHER_TRADE).register_schema()
    avro.for_value(f"{topic}-out", OLD_TRADE).register_schema()
    SchemaRegistryClient({"url": schema_registry.url}).set_compatibility(f"{topic}-out-value", "BACKWARD")
    with pytest.raises(IncompatibleSchemasError) as caught:
        check_compatibility(
            reads=[avro.for_value(f"{topic}-in", Trade)],
            writes=[avro.for_value(f"{topic}-out", Trade), avro.for_value(f"{topic}-new", Stats)],
        )
    read, written, compatible = caught.value.results
    assert read.problem == (
        f"the latest schema of subject '{topic}-in-value' is incompatible with the type of the flow: "
        "ticker: expected string, found null in the writer's schema"
    )
    assert written.problem is not None
    assert f"subject '{topic}-out-value' refuses the schema" in written.problem
    assert "ticker" in written.problem
    assert compatible.problem is None
    assert str(caught.value).splitlines()[0] == f"value of topic '{topic}-in': {read.problem}"


def test_schemas_of_another_type_or_record_are_incompatible(avro: RegistryCodecs, registry: SchemaRegistry, topic: str) -> None:
    avro.for_value(topic, Node).register_schema()
    registry.register_schema(f"{topic}-json-value", "JSON", '{"type": "object", "properties": {}}')
    with pytest.raises(IncompatibleSchemasError) as caught:
        check_compatibility(reads=[avro.for_value(topic, Trade), avro.for_value(f"{topic}-json", Trade)], writes=[])
    first, second = str(caught.value).splitlines()
    assert "type: the field has no default and is not in the writer's schema, which is record eddyline.Node" in first
    assert "expected a schema of type AVRO, found JSON" in second


def test_a_schema_without_the_name_that_its_subject_needs_is_reported(schema_registry: RegistryService, topic: str) -> None:
    codecs = RegistryCodecs(registry_at(schema_registry.url, **{"key.subject.name.strategy": "record"}), AvroFormats())
    with pytest.raises(IncompatibleSchemasError, match=r"set schema\.registry\.key\.subject\.name\.strategy to topic"):
        check_compatibility(reads=[codecs.for_key(topic, str)], writes=[codecs.for_key(topic, str)])


def test_a_registry_that_is_down_is_unavailable() -> None:
    codecs = RegistryCodecs(registry_at("http://127.0.0.1:1"), AvroFormats())
    with pytest.raises(RegistryUnavailableError):
        check_compatibility(reads=[codecs.for_value("t", Trade)], writes=[])


def test_a_schema_that_refers_to_an_unknown_one_is_logged(fake: FakeRegistry, caplog: pytest.LogCaptureFixture) -> None:
    reference = {"name": "Leg", "subject": "legs", "version": 3}
    fake.answers["/subjects/t-value/versions/latest"] = (
        200,
        {"subject": "t-value", "version": 1, "id": 7, "schema": '"string"', "references": [reference]},
    )
    fake.answers["*"] = (404, {"error_code": 40402, "message": "Version 3 not found"})
    codecs = RegistryCodecs(registry_at(fake.url), AvroFormats())
    check_compatibility(reads=[codecs.for_value("t", str)], writes=[])
    assert "become dead letters: version 3 of subject 'legs', which a schema refers to, is unknown" in caplog.text


@dataclass
class Customer:
    customer_id: int = 0
    first_name: str = ""


@pytest.fixture(params=["avro", "json-schema"])
def formats(request: pytest.FixtureRequest, fake: FakeRegistry) -> FormatFactory:
    """Formats for a subject whose latest schema has the fields customer_id and firstName."""
    fake.answers["*"] = (200, {"id": 8})
    if request.param == "avro":
        fields = [{"name": "customer_id", "type": "long"}, {"name": "firstName", "type": "string"}]
        schema = {"schema": json.dumps({"type": "record", "name": "Customer", "fields": fields})}
    else:
        properties = {"customer_id": {"type": "integer"}, "firstName": {"type": "string"}}
        schema = {"schema": json.dumps({"title": "Customer", "properties": properties}), "schemaType": "JSON"}
    fake.answers["/subjects/t-value/versions/latest"] = (200, {"subject": "t-value", "version": 1, "id": 7, **schema})
    return AvroFormats() if request.param == "avro" else JsonSchemaFormats(JsonCodecs(quoted=True), json_schema_of)


def test_fields_that_no_field_of_the_writer_matches_are_logged_at_the_start(
    fake: FakeRegistry, formats: FormatFactory, caplog: pytest.LogCaptureFixture
) -> None:
    wider = make_dataclass("Customer", [("customer_id", int), ("first_name", str, ""), ("city", str, ""), ("zip", str, "")])
    codecs = RegistryCodecs(registry_at(fake.url), formats)
    codecs.check([TopicTypes("t", None, Customer)], [])
    assert caplog.text == ""
    codecs.check([TopicTypes("t", None, wider)], [])
    assert (
        "value of topic 't': the latest schema of subject 't-value' has no field for 'city', 'zip'; they take their defaults"
        in caplog.text
    )


@pytest.mark.parametrize(
    ("names", "there", "here"), [("as-declared", "firstName", "first_name"), ("camelCase", "customer_id", "customerId")]
)
def test_a_subject_that_spells_a_field_otherwise_is_not_written(
    fake: FakeRegistry, formats: FormatFactory, names: str, there: str, here: str
) -> None:
    codecs = RegistryCodecs(registry_at(fake.url), formats).configured({"names": names})
    message = f"subject 't-value' has '{there}' where the flow would write '{here}'.* choose names.t, or give the field an alias"
    with pytest.raises(IncompatibleSchemasError, match=message):
        codecs.check([], [TopicTypes("t", None, Customer)])
    assert not any(path.endswith("/versions") for path in fake.requests)
    aliased = make_dataclass(
        "Customer",
        [
            ("customer_id", int, field(metadata={"alias": "customer_id"})),
            ("first_name", str, field(metadata={"alias": "firstName"})),
        ],
    )
    codecs.check([], [TopicTypes("t", None, aliased)])
