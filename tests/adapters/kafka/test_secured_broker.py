"""A broker with TLS and SASL needs nothing but dotted settings, and no error shows a secret."""

import logging
import re
import traceback
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import trustme
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._scram import ScramCredentialInfo, ScramMechanism, UserScramCredentialUpsertion
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

from eddyline.adapters.kafka.errors import AuthenticationError
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.groups.admin import ConsumerGroups
from eddyline.adapters.kafka.groups.committed_offsets import commit_group_offsets
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.services.artifacts import Artifacts
from eddyline.adapters.services.broker import Broker
from eddyline.adapters.services.processes import free_port
from eddyline.application.ports.event_sink import SinkRecord
from tests.adapters.kafka.conftest import eventually
from tests.fixtures.commands import Eddyline

pytestmark = pytest.mark.services

USER, PASSWORD, WRONG = "reader", "correct-horse-battery", "wrong-donkey-battery"
MECHANISMS = ("PLAIN", "SCRAM-SHA-512")
SHORT_TIMEOUT = {"socket.timeout.ms": "6000"}
"""For clients that the broker rejects: by default they would retry for 30 s."""


class SecuredBroker:
    """The address of the broker for authenticated clients, and the certificate of the authority that signed its own."""

    def __init__(self, servers: str, ca_file: Path) -> None:
        self.servers = servers
        self.ca_file = ca_file

    def settings(self, mechanism: str, password: str = PASSWORD) -> dict[str, str]:
        """Return the settings of a client, without the address of the broker."""
        return {
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": mechanism,
            "sasl.username": USER,
            "sasl.password": password,
            "ssl.ca.location": str(self.ca_file),
            **({} if password == PASSWORD else SHORT_TIMEOUT),
        }

    def options(self, mechanism: str, password: str = PASSWORD) -> list[str]:
        """Return the same settings as options of a command."""
        assignments = [f"{name}={value}" for name, value in self.settings(mechanism, password).items()]
        return ["--bootstrap-servers", self.servers, *(word for text in assignments for word in ("--set", text))]

    def kafka_settings(self, mechanism: str, password: str = PASSWORD) -> KafkaSettings:
        return KafkaSettings({"bootstrap.servers": self.servers, **self.settings(mechanism, password)})


@pytest.fixture(scope="module")
def broker(
    service_artifacts: Artifacts, broker_java: Sequence[str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SecuredBroker]:
    folder = tmp_path_factory.mktemp("secured")
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "authority.pem")
    open_port, controller_port, secured_port = free_port(), free_port(), free_port()
    listener = "listener.name.secured"
    settings = {
        "listeners": f"PLAINTEXT://127.0.0.1:{open_port},CONTROLLER://127.0.0.1:{controller_port},"
        f"SECURED://127.0.0.1:{secured_port}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURED:SASL_SSL",
        "controller.quorum.voters": f"1@127.0.0.1:{controller_port}",
        "sasl.enabled.mechanisms": ",".join(MECHANISMS),
        f"{listener}.plain.sasl.jaas.config": (
            f'org.apache.kafka.common.security.plain.PlainLoginModule required user_{USER}="{PASSWORD}";'
        ),
        f"{listener}.scram-sha-512.sasl.jaas.config": "org.apache.kafka.common.security.scram.ScramLoginModule required;",
        f"{listener}.ssl.keystore.type": "PEM",
        f"{listener}.ssl.keystore.location": str(_key_store(authority, folder)),
    }
    server = Broker(service_artifacts, folder / "broker", port=open_port, settings=settings, java_options=broker_java)
    server.start()
    _create_user(f"127.0.0.1:{open_port}")
    yield SecuredBroker(f"127.0.0.1:{secured_port}", folder / "authority.pem")
    server.kill()


def _key_store(authority: trustme.CA, folder: Path) -> Path:
    """Return a file with the broker's key, in the only format that Kafka reads, and its certificate."""
    identity = authority.issue_cert("127.0.0.1")
    key = load_pem_private_key(identity.private_key_pem.bytes(), password=None)
    chain = b"".join(blob.bytes() for blob in identity.cert_chain_pems)
    file = folder / "broker.pem"
    file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()) + chain)
    return file


def _create_user(servers: str) -> None:
    """Create the SCRAM credentials of the user."""
    credentials = UserScramCredentialUpsertion(USER, ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096), PASSWORD.encode())
    admin = AdminClient({"bootstrap.servers": servers})
    for future in admin.alter_user_scram_credentials([credentials]).values():
        future.result(30)


@pytest.fixture
def topic() -> str:
    return f"secured-{uuid.uuid4().hex[:12]}"


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_event_log_and_the_sink_can_connect(broker: SecuredBroker, topic: str, mechanism: str) -> None:
    settings = broker.kafka_settings(mechanism)
    sink, log = KafkaEventSink(settings), KafkaEventLog(settings, timeout_s=120)
    sink.create_topic(topic, 1)
    assert sink.write(topic, 0, 0, [SinkRecord(topic, b"k", b"v", 1_000)])
    eventually(lambda: log.end_offset(topic, 0) >= 1)
    (record,) = [record for batch in log.read(topic, 0, 0, 1) for record in batch]
    assert (record.key, record.value, record.timestamp) == (b"k", b"v", 1_000)
    sink.close()
    log.close()


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_commands_can_connect(broker: SecuredBroker, eddyline: Eddyline, tmp_path: Path, topic: str, mechanism: str) -> None:
    (tmp_path / "lines").write_text("a\nb\n")
    options = broker.options(mechanism)
    written = eddyline("produce", topic, "--file", "lines", "--create-topics", "--partitions", "1", *options)
    assert written.code == 0, written.err
    read = eddyline("consume", topic, "--group", topic, "--until-end", *options)
    assert [line.split("\t")[3] for line in read.out.splitlines()] == ["a", "b"], read.err
    lag = eddyline("groups", "describe", topic, *options)
    assert "total lag 0" in lag.err
    assert PASSWORD not in "".join(text for outcome in (written, read, lag) for text in outcome[1:])


@pytest.mark.parametrize("command", [pytest.param("produce", marks=pytest.mark.slow), "consume"])
def test_a_wrong_password_is_named_as_the_cause_and_is_not_shown(
    broker: SecuredBroker, eddyline: Eddyline, tmp_path: Path, topic: str, command: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="eddyline")
    (tmp_path / "lines").write_text("a\n")
    more = ["--file", "lines"] if command == "produce" else ["--until-end"]
    debug = ["--set", "debug=security", "--set", f"client.id={topic}"]
    outcome = eddyline(command, topic, *more, *broker.options("PLAIN", WRONG), *debug)
    assert outcome.code == 1
    assert re.fullmatch(r"error: could not .*Authentication failed.*; check .*sasl\.password", outcome.err.splitlines()[-1])
    assert topic in caplog.text, "the client has logged what it did"
    assert WRONG not in outcome.out + outcome.err + caplog.text


def test_errors_name_a_failed_authentication_without_the_password(broker: SecuredBroker, topic: str) -> None:
    """Each attempt has different settings, since failures are remembered for all clients with the same settings."""

    def rejected(client_id: str) -> KafkaSettings:
        return broker.kafka_settings("SCRAM-SHA-512", WRONG).with_values({"client.id": client_id})

    untrusted = broker.kafka_settings("PLAIN").with_values(
        {"ssl.ca.location": _other_authority(broker.ca_file.parent), **SHORT_TIMEOUT}
    )
    attempts: tuple[Callable[[], object], ...] = (
        lambda: KafkaEventLog(rejected("log")).partitions(topic),
        lambda: KafkaEventSink(rejected("sink")).create_topic(topic, 1),
        lambda: ConsumerGroups(rejected("groups")).list(),
        lambda: commit_group_offsets(rejected("offsets"), topic, {(topic, 0): 0}),
        lambda: KafkaEventLog(untrusted).topics(),
    )
    with ThreadPoolExecutor(len(attempts)) as pool:
        *authentication, trust = pool.map(_error_of, attempts)
    for message in authentication:
        assert "Authentication failed" in message
        assert "check security.protocol, sasl.mechanism, sasl.username and sasl.password" in message
    assert "certificate verify failed" in trust
    assert "check security.protocol and ssl.ca.location" in trust
    assert not [secret for secret in (PASSWORD, WRONG) if secret in "".join((*authentication, trust))]


def _error_of(attempt: Callable[[], object]) -> str:
    with pytest.raises(AuthenticationError) as raised:
        attempt()
    return "".join(traceback.format_exception(raised.value))


def _other_authority(folder: Path) -> str:
    file = folder / "other-authority.pem"
    trustme.CA().cert_pem.write_to_path(file)
    return str(file)


def test_a_client_without_tls_fails_within_seconds_and_names_the_setting(
    broker: SecuredBroker, eddyline: Eddyline, topic: str
) -> None:
    outcome = eddyline("consume", topic, "--bootstrap-servers", broker.servers)
    assert outcome.code == 1
    assert re.fullmatch(
        r"error: could not connect to Kafka at '.*' \(setting bootstrap\.servers\): the server "
        r"(uses TLS, but security\.protocol does not|closed the connection; is it a Kafka broker, .*\?)"
        r"; check the addresses, and that the brokers are running\n",
        outcome.err,
    )
