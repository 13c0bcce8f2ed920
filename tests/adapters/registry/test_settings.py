from typing import Any

import pytest

from eddyline.adapters.registry.errors import RegistrySettingError
from eddyline.adapters.registry.serialization_context import SerializationContext
from eddyline.adapters.registry.settings import RegistrySettings
from eddyline.adapters.registry.subjects import SubjectNameStrategy, strategy_named

URL = "http://localhost:8081"


def test_names_may_have_the_prefix_of_the_registry() -> None:
    settings = RegistrySettings.from_properties(
        {"schema.registry.url": f"{URL}/", "schema.registry.max.retries": "2", "auto.register.schemas": "false"}
    )
    assert (settings.url, settings.client["max.retries"], settings.auto_register) == (URL, 2, False)


def test_a_subject_name_strategy_is_chosen_per_topic() -> None:
    settings = RegistrySettings.from_properties(
        {
            "url": URL,
            "schema.registry.value.subject.name.strategy.my.orders": "record",
            "value.subject.name.strategy": "TopicRecordNameStrategy",
        }
    )
    found = [
        settings.strategy(SerializationContext(*context)) for context in (("my.orders", "value"), ("x", "value"), ("x", "key"))
    ]
    assert found == [SubjectNameStrategy.RECORD, SubjectNameStrategy.TOPIC_RECORD, SubjectNameStrategy.TOPIC]


def test_requests_have_a_timeout_by_default() -> None:
    assert RegistrySettings.from_properties({"url": URL}).client["timeout"] == 10.0


def test_secrets_are_not_shown() -> None:
    settings = RegistrySettings.from_properties(
        {"url": "https://me:secret@one:1/api,https://two:2", "ssl.key.password": "secret", "bearer.auth.token": "secret"}
    )
    assert settings.client["basic.auth.user.info"] == "me:secret"
    assert settings.url == "https://one:1/api,https://two:2"
    assert "secret" not in repr(settings)


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({}, r"'schema\.registry\.url' is missing; .* as in http://localhost:8081"),
        ({"url": "me:secret@localhost:8081"}, "'schema.registry.url' must begin with http:// or https://"),
        ({"url": URL, "max.retry": 1}, r"unknown setting 'schema\.registry\.max\.retry'; choose one of: .*max\.retries.*url"),
        ({"url": URL, "max.retries": "many"}, r"'schema\.registry\.max\.retries': 'many' is not an integer of 0 or more"),
        ({"url": URL, "timeout": -1}, "timeout': '-1' is not a number of 0 or more"),
        ({"url": URL, "auto.register.schemas": "yes"}, "'yes' is neither true nor false"),
        (
            {"url": URL, "key.subject.name.strategy.t": "latest"},
            "'schema.registry.key.subject.name.strategy.t': unknown subject name strategy 'latest'; choose one of: topic, record",
        ),
        (
            {"url": URL, "value.subject.name.strategy": "latest"},
            "unknown subject name strategy 'latest'; choose one of: topic, record, topic-record",
        ),
    ],
)
def test_an_invalid_setting_is_an_error_with_the_choices(properties: dict[str, Any], message: str) -> None:
    with pytest.raises(RegistrySettingError, match=message) as caught:
        RegistrySettings.from_properties(properties)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("strategy", "subject"),
    [
        (SubjectNameStrategy.TOPIC, "trades-value"),
        (SubjectNameStrategy.RECORD, "eddyline.Trade"),
        (SubjectNameStrategy.TOPIC_RECORD, "trades-eddyline.Trade"),
    ],
)
def test_the_strategy_determines_the_subject(strategy: SubjectNameStrategy, subject: str) -> None:
    assert strategy.subject(SerializationContext("trades", "value"), "eddyline.Trade") == subject


def test_a_strategy_that_needs_a_record_name_is_an_error_without_one() -> None:
    with pytest.raises(
        LookupError,
        match=r"the keys of topic 'trades' are no records; set schema\.registry\.key\.subject\.name\.strategy to topic",
    ):
        SubjectNameStrategy.RECORD.subject(SerializationContext("trades", "key"), None)


@pytest.mark.parametrize(
    ("name", "strategy"),
    [
        ("topic", SubjectNameStrategy.TOPIC),
        ("RecordNameStrategy", SubjectNameStrategy.RECORD),
        ("io.confluent.kafka.serializers.subject.TopicRecordNameStrategy", SubjectNameStrategy.TOPIC_RECORD),
        ("TOPIC_RECORD", SubjectNameStrategy.TOPIC_RECORD),
    ],
)
def test_a_strategy_is_found_by_its_short_name_and_by_confluents_class_name(name: str, strategy: SubjectNameStrategy) -> None:
    assert strategy_named(name) is strategy
