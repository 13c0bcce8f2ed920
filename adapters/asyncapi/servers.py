"""The Kafka brokers of a document, with the protocol and the kind of login but without secrets."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

BINDING_VERSION: Final = "0.5.0"
"""The version of the Kafka bindings of AsyncAPI 3.0."""

_LOGINS: Final = {
    "PLAIN": "plain",
    "SCRAM-SHA-256": "scramSha256",
    "SCRAM-SHA-512": "scramSha512",
    "GSSAPI": "gssapi",
}


def servers(properties: Mapping[str, str], registry_url: str | None) -> Mapping[str, Any]:
    """Return the servers by name: one for each of `bootstrap.servers`.

    Args:
        properties: Settings of the Kafka clients.
        registry_url: The URL of the schema registry; None if no topic needs it. User names and passwords in it are left out.
    """
    security = properties.get("security.protocol", "PLAINTEXT").upper()
    server: dict[str, Any] = {"protocol": "kafka-secure" if security.endswith("SSL") else "kafka"}
    login = _login(security, properties)
    if login is not None:
        server["security"] = [{"type": login}]
    if registry_url:
        binding = {"schemaRegistryUrl": _without_login(registry_url), "schemaRegistryVendor": "confluent"}
        server["bindings"] = {"kafka": {**binding, "bindingVersion": BINDING_VERSION}}
    hosts = [host.strip() for host in properties["bootstrap.servers"].split(",") if host.strip()]
    names = ["kafka"] if len(hosts) == 1 else [f"kafka-{number}" for number in range(1, len(hosts) + 1)]
    return {name: {"host": host.rpartition("://")[2], **server} for name, host in zip(names, hosts, strict=True)}


def _login(security: str, properties: Mapping[str, str]) -> str | None:
    if security.startswith("SASL"):
        mechanism = properties.get("sasl.mechanism", properties.get("sasl.mechanisms", "GSSAPI"))
        return _LOGINS.get(mechanism.upper())
    certificates = ("ssl.certificate.location", "ssl.certificate.pem", "ssl.keystore.location")
    return "X509" if security == "SSL" and any(name in properties for name in certificates) else None


def _without_login(urls: str) -> str:
    parts = [urlsplit(url.strip()) for url in urls.split(",")]
    return ",".join(part._replace(netloc=part.netloc.rpartition("@")[2]).geturl() for part in parts)
