import pickle

import pytest
from confluent_kafka import Consumer, KafkaException, Producer

from eddyline.adapters.kafka.errors import KafkaSettingsError
from eddyline.adapters.kafka.setting_names import CONSUMER, JAVA_NAMES, MANAGED, PRODUCER, SHARED
from eddyline.adapters.kafka.settings import KafkaSettings, Value, is_secret

_SERVERS: dict[str, Value] = {"bootstrap.servers": "127.0.0.1:1"}
_SECRETS: dict[str, Value] = {
    "security.protocol": "SASL_SSL",
    "sasl.mechanism": "PLAIN",
    "sasl.username": "reader",
    "sasl.password": "open-sesame",
    "ssl.key.password": "abracadabra",
    "consumer.ssl.keystore.password": "hocus-pocus",
}


@pytest.mark.parametrize("name", sorted((SHARED | CONSUMER | PRODUCER) - {"plugin.library.paths"}))
def test_the_client_knows_every_name_that_is_offered(name: str) -> None:
    value = "127.0.0.1:1" if "broker" in name else "?"
    refusal = ""
    try:
        Producer({"bootstrap.servers": "127.0.0.1:1", "log_level": 0, name: value})
    except (KafkaException, TypeError) as error:
        refusal = str(error)
    assert "No such configuration property" not in refusal


def test_names_are_passed_on_verbatim_to_the_clients_that_take_them() -> None:
    settings = KafkaSettings(
        {**_SERVERS, "linger.ms": 5, "fetch.min.bytes": 1, "client.id": "x", "socket.keepalive.enable": True}
    )
    shared = {"bootstrap.servers": "127.0.0.1:1", "client.id": "x", "socket.keepalive.enable": "true"}
    assert settings.producer() == {**shared, "linger.ms": "5"}
    assert settings.consumer() == {**shared, "fetch.min.bytes": "1"}
    assert settings.admin() == shared
    Producer(settings.producer())
    Consumer({**settings.consumer(), "group.id": "g"})


def test_a_prefix_reaches_one_kind_of_client_and_wins_there() -> None:
    settings = KafkaSettings({**_SERVERS, "client.id": "all", "consumer.client.id": "reader"})
    assert settings.consumer()["client.id"] == "reader"
    assert settings.producer()["client.id"] == "all"


@pytest.mark.parametrize(
    ("name", "cure"),
    [
        ("linger.mss", "'linger.mss' is unknown; the nearest are linger.ms"),
        ("producer.linger.mss", "'producer.linger.mss' is unknown; the nearest are linger.ms"),
        ("compresion.type", "nearest are compression.type"),
        ("buffer.memory", "belongs to Java clients; here it is queue.buffering.max.kbytes"),
        ("sasl.jaas.config", "belongs to Java clients; here it is sasl.username and sasl.password"),
        ("group.id", "'group.id' cannot be set: it is the application id"),
        ("producer.transactional.id", "'producer.transactional.id' cannot be set: it is made of the application id and the slot"),
        ("consumer.acks", "'acks' means nothing to a client of the kind 'consumer'"),
        ("qqq", "the client's documentation lists them all"),
    ],
)
def test_a_name_that_is_not_taken_is_refused_with_the_cure(name: str, cure: str) -> None:
    with pytest.raises(KafkaSettingsError, match=cure):
        KafkaSettings({**_SERVERS, name: "x"})


@pytest.mark.parametrize("name", sorted(JAVA_NAMES))
def test_what_java_clients_call_otherwise_is_never_one_of_our_names(name: str) -> None:
    assert name not in SHARED | CONSUMER | PRODUCER


def test_what_is_managed_is_known() -> None:
    assert MANAGED.keys() <= SHARED | CONSUMER | PRODUCER


def test_brokers_must_be_named() -> None:
    with pytest.raises(KafkaSettingsError, match=r"bootstrap\.servers is missing: name the brokers, for example"):
        KafkaSettings({"client.id": "x"})


def test_secrets_show_neither_in_repr_nor_in_text_that_is_hidden() -> None:
    settings = KafkaSettings({**_SERVERS, **_SECRETS})
    shown = repr(settings) + str(settings.shown()) + settings.hide("with open-sesame, abracadabra and hocus-pocus")
    for secret in ("open-sesame", "abracadabra", "hocus-pocus"):
        assert secret not in shown
    assert "reader" in shown


def test_secrets_are_told_by_their_names() -> None:
    secret = {name for name in SHARED | CONSUMER | PRODUCER if is_secret(name)}
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


def test_settings_are_equal_by_content_and_travel_pickled() -> None:
    settings = KafkaSettings({**_SERVERS, **_SECRETS})
    again = pickle.loads(pickle.dumps(settings))
    assert again == settings
    assert hash(again) == hash(settings)
    assert again != KafkaSettings(_SERVERS)
