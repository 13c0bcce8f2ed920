"""The names of all client settings by kind of client, and advice for names that only Java clients know."""

_COMMON = """
allow.auto.create.topics api.version.fallback.ms api.version.request api.version.request.timeout.ms bootstrap.servers
broker.address.family broker.address.ttl broker.version.fallback builtin.features client.dns.lookup client.id client.rack
client.software.name client.software.version connections.max.idle.ms debug enable.metrics.push enable.random.seed
enable.sasl.oauthbearer.unsecure.jwt enable.sparse.connections enable.ssl.certificate.verification https.ca.location
https.ca.pem internal.termination.signal log.connection.close log.thread.name max.in.flight
max.in.flight.requests.per.connection message.copy.max.bytes message.max.bytes metadata.broker.list metadata.max.age.ms
metadata.recovery.rebootstrap.trigger.ms metadata.recovery.strategy metadata.request.timeout.ms plugin.library.paths
receive.message.max.bytes reconnect.backoff.jitter.ms reconnect.backoff.max.ms reconnect.backoff.ms retry.backoff.max.ms
retry.backoff.ms sasl.kerberos.keytab sasl.kerberos.kinit.cmd sasl.kerberos.min.time.before.relogin sasl.kerberos.principal
sasl.kerberos.service.name sasl.mechanism sasl.mechanisms sasl.oauthbearer.assertion.algorithm
sasl.oauthbearer.assertion.claim.aud sasl.oauthbearer.assertion.claim.exp.seconds sasl.oauthbearer.assertion.claim.iss
sasl.oauthbearer.assertion.claim.jti.include sasl.oauthbearer.assertion.claim.nbf.seconds
sasl.oauthbearer.assertion.claim.sub sasl.oauthbearer.assertion.file sasl.oauthbearer.assertion.jwt.template.file
sasl.oauthbearer.assertion.private.key.file sasl.oauthbearer.assertion.private.key.passphrase
sasl.oauthbearer.assertion.private.key.pem sasl.oauthbearer.client.credentials.client.id
sasl.oauthbearer.client.credentials.client.secret sasl.oauthbearer.client.id sasl.oauthbearer.client.secret
sasl.oauthbearer.config sasl.oauthbearer.extensions sasl.oauthbearer.grant.type
sasl.oauthbearer.metadata.authentication.type sasl.oauthbearer.method sasl.oauthbearer.scope
sasl.oauthbearer.sub.claim.name sasl.oauthbearer.token.endpoint.url sasl.password sasl.username security.protocol
socket.blocking.max.ms socket.connection.setup.timeout.ms socket.keepalive.enable socket.max.fails socket.nagle.disable
socket.receive.buffer.bytes socket.send.buffer.bytes socket.timeout.ms ssl.ca.location ssl.ca.pem ssl.certificate.location
ssl.certificate.pem ssl.cipher.suites ssl.crl.location ssl.curves.list ssl.endpoint.identification.algorithm ssl.engine.id
ssl.engine.location ssl.key.location ssl.key.password ssl.key.pem ssl.keystore.location ssl.keystore.password ssl.providers
ssl.sigalgs.list statistics.interval.ms test.mock.broker.rtt test.mock.num.brokers topic.blacklist
topic.metadata.propagation.max.ms topic.metadata.refresh.fast.cnt topic.metadata.refresh.fast.interval.ms
topic.metadata.refresh.interval.ms topic.metadata.refresh.sparse
"""

_CONSUMER = """
auto.commit.enable auto.commit.interval.ms auto.offset.reset check.crcs consume.callback.max.messages
coordinator.query.interval.ms enable.auto.commit enable.auto.offset.store enable.partition.eof fetch.error.backoff.ms
fetch.max.bytes fetch.message.max.bytes fetch.min.bytes fetch.queue.backoff.ms fetch.wait.max.ms group.id group.instance.id
group.protocol group.protocol.type group.remote.assignor heartbeat.interval.ms isolation.level max.partition.fetch.bytes
max.poll.interval.ms offset.store.method offset.store.path offset.store.sync.interval.ms partition.assignment.strategy
queued.max.messages.kbytes queued.min.messages session.timeout.ms
"""

_PRODUCER = """
acks batch.num.messages batch.size compression.codec compression.level compression.type delivery.report.only.error
delivery.timeout.ms enable.gapless.guarantee enable.idempotence linger.ms message.send.max.retries message.timeout.ms
partitioner produce.offset.report queue.buffering.backpressure.threshold queue.buffering.max.kbytes
queue.buffering.max.messages queue.buffering.max.ms queuing.strategy request.required.acks request.timeout.ms retries
sticky.partitioning.linger.ms transaction.timeout.ms transactional.id
"""

COMMON = frozenset(_COMMON.split())
"""Settings of every kind of client."""

CONSUMER = frozenset(_CONSUMER.split())
"""Settings of consumers only."""

PRODUCER = frozenset(_PRODUCER.split())
"""Settings of producers only."""

_NO_SERDES = "remove it: codecs are configured per topic (key.codecs.<topic>, value.codecs.<topic>)"
JAVA_ONLY = {
    "buffer.memory": "use queue.buffering.max.kbytes (in KiB)",
    "default.api.timeout.ms": "use socket.timeout.ms",
    "fetch.max.wait.ms": "use fetch.wait.max.ms",
    "max.block.ms": "remove it: a full buffer blocks until its records are delivered or delivery.timeout.ms has passed",
    "max.poll.records": "remove it: the reader chooses the size of its batches",
    "max.request.size": "use message.max.bytes",
    "partitioner.class": "use partitioner",
    "receive.buffer.bytes": "use socket.receive.buffer.bytes",
    "sasl.jaas.config": "use sasl.username and sasl.password",
    "sasl.oauthbearer.token.endpoint.uri": "use sasl.oauthbearer.token.endpoint.url",
    "send.buffer.bytes": "use socket.send.buffer.bytes",
    "ssl.keystore.certificate.chain": "use ssl.certificate.pem",
    "ssl.keystore.key": "use ssl.key.pem",
    "ssl.truststore.certificates": "use ssl.ca.pem",
    "ssl.truststore.location": "use ssl.ca.location (a PEM file)",
    "ssl.truststore.password": "remove it: the PEM file of ssl.ca.location needs no password",
    "key.serializer": _NO_SERDES,
    "value.serializer": _NO_SERDES,
    "key.deserializer": _NO_SERDES,
    "value.deserializer": _NO_SERDES,
}
"""Settings of Java clients only, with advice on what to do instead."""

MANAGED = {
    "delivery.report.only.error": "the producer handles delivery reports itself",
    "enable.auto.commit": "offsets are committed with each batch",
    "enable.auto.offset.store": "offsets are committed with each batch",
    "auto.commit.enable": "offsets are committed with each batch",
    "enable.partition.eof": "the reader requires it",
    "group.id": "it is the application id",
    "transactional.id": "it is derived from the application id and the slot",
}
"""Settings that the adapter sets itself, with the reason."""

_PREFIXES = ("consumer.", "producer.", "admin.")
_KNOWN = (COMMON | CONSUMER | PRODUCER | JAVA_ONLY.keys()) - {"partitioner"}


def is_client_setting(name: str) -> bool:
    """Return whether a setting is meant for the Kafka clients: it has a prefix of theirs, or one of them knows it."""
    return name.startswith(_PREFIXES) or name in _KNOWN
