import pickle

import pytest
from confluent_kafka import Consumer, KafkaException, Producer

from eddyline.adapters.kafka.errors import KafkaSettingsError
from eddyline.adapters.kafka.settings import KafkaSettings, SettingValue, is_secret
from eddyline.adapters.kafka.settings.names import COMMON, CONSUMER, JAVA_ONLY, MANAGED, PRODUCER

_SERVERS: dict[str, SettingValue] = {"bootstrap.servers": "127.0.0.1:1"}
_SECRETS: dict[str, SettingValue] = {
    "security.protocol": "SASL_SSL",
    "sasl.mechanism": "PLAIN",
    "sasl.username": "reader",
    "sasl.password": "open-sesame",
    "ssl.key.password": "abracadabra",
    "consumer.ssl.keystore.password": "hocus-pocus",
}


@pytest.mark.parametrize("name", sorted((COMMON | CONSUMER | PRODUCER) - {"plugin.library.paths"}))
def test_the_client_knows_every_listed_name(name: str) -> None:
    value = "127.0.0.1:1" if "broker" in name else "?"
    error_text = ""
    try:
        Producer({"bootstrap.servers": "127.0.0.1:1", "log_level": 0, name: value})
    except (KafkaException, TypeError) as error:
        error_text = str(error)
    assert "No such configuration property" not in error_text


def test_settings_are_passed_verbatim_to_the_clients_that_know_them() -> None:
    settings = KafkaSettings(
        {**_SERVERS, "linger.ms": 5, "fetch.min.bytes": 1, "client.id": "x", "socket.keepalive.enable": True}
    )
    shared = {"bootstrap.servers": "127.0.0.1:1", "client.id": "x", "socket.keepalive.enable": "true"}
    assert settings.producer() == {**shared, "linger.ms": "5"}
    assert settings.consumer() == {**shared, "fetch.min.bytes": "1"}
    assert settings.admin() == shared
    Producer(settings.producer())
    Consumer({**settings.consumer(), "group.id": "g"})


def test_a_prefixed_name_overrides_the_plain_one_for_that_kind_of_client() -> None:
    settings = KafkaSettings({**_SERVERS, "client.id": "all", "consumer.client.id": "reader"})
    assert settings.consumer()["client.id"] == "reader"
    assert settings.producer()["client.id"] == "all"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("linger.mss", "unknown Kafka setting 'linger.mss'; did you mean 'linger.ms'"),
        ("producer.linger.mss", "unknown Kafka setting 'producer.linger.mss'; did you mean 'linger.ms'"),
        ("compresion.type", "did you mean 'compression.type'"),
        ("buffer.memory", "exists for Java clients only; use queue.buffering.max.kbytes"),
        ("sasl.jaas.config", "exists for Java clients only; use sasl.username and sasl.password"),
        ("group.id", "'group.id' cannot be set: it is the application id"),
        (
            "producer.transactional.id",
            "'producer.transactional.id' cannot be set: it is derived from the application id and the slot",
        ),
        ("consumer.acks", "'consumer.acks' does not apply to consumer clients; set 'acks' without the prefix"),
        ("qqq", "CONFIGURATION.md lists all settings"),
    ],
)
def test_an_invalid_name_is_an_error_with_a_fix(name: str, message: str) -> None:
    with pytest.raises(KafkaSettingsError, match=message):
        KafkaSettings({**_SERVERS, name: "x"})


@pytest.mark.parametrize("name", sorted(JAVA_ONLY))
def test_a_setting_of_java_clients_only_is_unknown_to_the_client(name: str) -> None:
    assert name not in COMMON | CONSUMER | PRODUCER


def test_the_client_knows_every_managed_setting() -> None:
    assert MANAGED.keys() <= COMMON | CONSUMER | PRODUCER


def test_the_addresses_of_the_brokers_are_required() -> None:
    with pytest.raises(
        KafkaSettingsError, match=r"bootstrap\.servers is missing; set it to the addresses of the brokers, for example"
    ):
        KafkaSettings({"client.id": "x"})


def test_secrets_appear_neither_in_repr_nor_in_redacted_text() -> None:
    settings = KafkaSettings({**_SERVERS, **_SECRETS})
    shown = repr(settings) + str(settings.redacted()) + settings.redact("with open-sesame, abracadabra and hocus-pocus")
    for secret in ("open-sesame", "abracadabra", "hocus-pocus"):
        assert secret not in shown
    assert "reader" in shown


def test_secrets_are_recognized_by_the_names_of_their_settings() -> None:
    secret = {name for name in COMMON | CONSUMER | PRODUCER if is_secret(name)}
    assert secret == {
        "sasl.oauthbearer.assertion.private.key.passphrase",
        "sasl.oauthbearer.assertion.private.key.pem",
        "sasl.oauthbearer.client.credentials.client.secret",
        "sasl.oauthbearer.client.secret",
        "sasl.oauthbearer.config",
        "sasl.oauthbearer.extensions",
        "sasl.password",
        "ssl.key.password",
        "ssl.key.pem",
        "ssl.keystore.password",
    }


def test_settings_are_equal_by_content_and_can_be_pickled() -> None:
    settings = KafkaSettings({**_SERVERS, **_SECRETS})
    again = pickle.loads(pickle.dumps(settings))
    assert again == settings
    assert hash(again) == hash(settings)
    assert again != KafkaSettings(_SERVERS)
