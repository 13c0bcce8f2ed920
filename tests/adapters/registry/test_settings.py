from typing import Any

import pytest

from eddyline.adapters.registry.errors import RegistrySettingError
from eddyline.adapters.registry.settings import RegistrySettings
from eddyline.adapters.registry.subjects import SubjectNameStrategy, strategy_named

URL = "http://localhost:8081"


def test_names_may_begin_with_the_name_of_the_registry() -> None:
    settings = RegistrySettings.from_properties(
        {"schema.registry.url": f"{URL}/", "schema.registry.max.retries": "2", "auto.register.schemas": "false"}
    )
    assert (settings.url, settings.client["max.retries"], settings.auto_register) == (URL, 2, False)


def test_a_question_is_never_without_a_time_limit() -> None:
    assert RegistrySettings.from_properties({"url": URL}).client["timeout"] == 10.0


def test_secrets_are_never_shown() -> None:
    settings = RegistrySettings.from_properties(
        {"url": "https://me:hush@one:1/api,https://two:2", "ssl.key.password": "hush", "bearer.auth.token": "hush"}
    )
    assert settings.client["basic.auth.user.info"] == "me:hush"
    assert settings.url == "https://one:1/api,https://two:2"
    assert "hush" not in repr(settings)


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({}, r"schema\.registry\.url is missing; .* as in http://localhost:8081"),
        ({"url": "me:hush@localhost:8081"}, "url must begin with http:// or https://"),
        ({"url": URL, "max.retry": 1}, r"schema\.registry\.max\.retry is unknown; there are: .*max\.retries.*url"),
        ({"url": URL, "max.retries": "many"}, r"max\.retries: 'many' must be a number"),
        ({"url": URL, "timeout": -1}, "timeout: -1 must be a number that is not negative"),
        ({"url": URL, "auto.register.schemas": "yes"}, "'yes' must be true or false"),
        ({"url": URL, "value.subject.name.strategy": "latest"}, "'latest' is unknown; choose one of topic, record, topic-record"),
    ],
)
def test_an_impossible_setting_is_named_with_its_choices(properties: dict[str, Any], message: str) -> None:
    with pytest.raises(RegistrySettingError, match=message) as caught:
        RegistrySettings.from_properties(properties)
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    ("strategy", "subject"),
    [
        (SubjectNameStrategy.TOPIC, "trades-value"),
        (SubjectNameStrategy.RECORD, "eddyline.Trade"),
        (SubjectNameStrategy.TOPIC_RECORD, "trades-eddyline.Trade"),
    ],
)
def test_the_subject_follows_the_strategy(strategy: SubjectNameStrategy, subject: str) -> None:
    assert strategy.subject("trades", "value", "eddyline.Trade") == subject


def test_a_strategy_that_needs_a_name_says_so_when_there_is_none() -> None:
    with pytest.raises(LookupError, match=r"the keys of trades are no records.*set key\.subject\.name\.strategy to topic"):
        SubjectNameStrategy.RECORD.subject("trades", "key", None)


@pytest.mark.parametrize(
    ("name", "strategy"),
    [
        ("topic", SubjectNameStrategy.TOPIC),
        ("RecordNameStrategy", SubjectNameStrategy.RECORD),
        ("io.confluent.kafka.serializers.subject.TopicRecordNameStrategy", SubjectNameStrategy.TOPIC_RECORD),
        ("TOPIC_RECORD", SubjectNameStrategy.TOPIC_RECORD),
    ],
)
def test_a_strategy_has_a_short_name_and_confluents(name: str, strategy: SubjectNameStrategy) -> None:
    assert strategy_named(name) is strategy
