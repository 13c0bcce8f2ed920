"""The settings with their types, defaults and meaning.

A new setting is one more field with a docstring: the docstrings are the reference of the settings.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self, TypeAlias

from pydantic import AfterValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from eddyline.adapters.codecs.installed import checked_codec
from eddyline.adapters.files.topic_folders import MAX_PARTITIONS
from eddyline.adapters.kafka.settings import LOCAL_BROKER
from eddyline.adapters.settings.checks import (
    checked_application_id,
    checked_version,
    checkpoint_directory,
    http_url,
    local_directory,
)
from eddyline.adapters.settings.errors import invalid_value
from eddyline.adapters.settings.files import regular_file
from eddyline.adapters.settings.sources import by_field, read_sources
from eddyline.adapters.spark.settings import is_uri
from eddyline.application.runtime.plan.options import INPUT_BUFFER_MAX_BYTES
from eddyline.application.topology.types import Names, Strictness

DEFAULT_BOOTSTRAP_SERVERS = str(LOCAL_BROKER["bootstrap.servers"])
"""The Kafka brokers that clients connect to when `bootstrap.servers` is not set."""

CodecName: TypeAlias = Annotated[str, AfterValidator(checked_codec)]
"""The formats of keys and values; the schemas of `avro`, `json-schema` and `protobuf` are in the schema registry."""


_LARGEST: Final = 10**12
"""The greatest number of records or bytes, and of milliseconds: 31 years, which timers of Python and Java take."""
RegularFile: TypeAlias = Annotated[Path, AfterValidator(regular_file)]
PositiveInt: TypeAlias = Annotated[int, Field(gt=0, le=_LARGEST)]
NonNegativeInt: TypeAlias = Annotated[int, Field(ge=0, le=_LARGEST)]


class Settings(BaseSettings):
    """The settings of a deployment. `Settings()` holds the defaults; `Settings.load` reads what the user has set.

    A setting has the name of its field with dots for underscores: `application.id` on the command line (`--set`) and in the
    settings file, `EDDYLINE_APPLICATION_ID` in the environment. The command line takes precedence over the environment, and
    the environment over the file.
    """

    model_config = SettingsConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    application_id: Annotated[str, AfterValidator(checked_application_id)] | None = None
    """The name of the application. It names the state directory, the consumer group and the dead-letter topic of a flow, and
    identifies the writer of each batch. 1 to 160 letters, digits, dots, hyphens and underscores, with no dot at the beginning;
    `alerts`, `local`, `queries`, `state`, `topics` and names that end with `-batches` are reserved. Default: the flow's name."""
    version: Annotated[str, AfterValidator(checked_version)] | None = None
    """A version of the flow that runs side by side with the others. `-<version>` is appended to the application id and to the
    names of all topics that the flow writes, so that every version has its own state, consumer group and results.
    1 to 40 letters, digits, dots, hyphens and underscores, with no dot at the beginning. Default: none."""
    engine: Literal["spark", "local", "memory"] = "spark"
    """The engine that runs flows: `spark` is Spark Structured Streaming, `local` is one process without Java, `memory` is one
    process that keeps no state between runs and starts every run at the beginning of the topics."""
    log: Literal["files", "memory", "kafka"] = "files"
    """The event log with the topics of flows: `files` (JSON lines under `data.dir`), `kafka`, `memory` (empty at every start)."""
    data_dir: Annotated[Path, AfterValidator(local_directory)] = Path("data")
    """The directory for local data: the topics of the `files` event log are in `topics`, state is in `state`."""
    state_dir: Annotated[Path, AfterValidator(local_directory)] = Field(
        default_factory=lambda given: given.get("data_dir", Path("data")) / "state"
    )
    """The directory for checkpoints, Spark's log output, the lists of alerts that have been sent, and the read models of queries.
    Default: `state` in `data.dir`."""
    checkpoint_dir: Annotated[str, AfterValidator(checkpoint_directory)] | None = None
    """The directory for checkpoints, or its URI in a file system of Hadoop: `hdfs://…`, `s3a://…`, `abfss://…`, or `file:///…`
    for a disk that several machines share. On a cluster it must be a URI that all executors can reach. The settings of the file
    system are `spark.hadoop.<name>`, and `spark.jars.packages` adds its Java classes. Default: `state.dir`."""
    package: RegularFile | None = None
    """An archive that `eddyline package` has created. On a cluster, it brings the executors the modules of the flow and the
    Python packages that they need. Default: none, for executors that have them."""
    state_store: Literal["memory", "rocksdb"] = "memory"
    """Where tasks have their state while a flow runs: in the `memory` of the processes as Python objects, or in `rocksdb` on the
    local disk, for state that is larger than memory. Needs the extra `rocksdb`."""
    statestore_cache_max_bytes: PositiveInt = 256 << 20
    """The memory for caches and write buffers of the stores in RocksDB, in bytes, for all tasks of a process together."""
    rocksdb_dir: Annotated[Path, AfterValidator(local_directory)] | None = None
    """The directory of the stores in RocksDB, on a local disk of each machine. Default: `eddyline-stores-` and the id
    of the user in the directory of the system for temporary files; only this user can read and write it."""
    num_partitions: Annotated[int, Field(gt=0, le=MAX_PARTITIONS)] = 4
    """The number of partitions of topics that are created."""
    create_topics: bool = False
    """Whether to create missing topics, with `num.partitions` partitions, before a flow starts. If false, a flow does not start
    while one of its topics is missing in Kafka. The `files` and `memory` event logs always create the topics that are written."""
    processing_guarantee: Literal["exactly_once_v2", "at_least_once"] = "exactly_once_v2"
    """The guarantee for results in Kafka. `exactly_once_v2` writes each batch in transactions, so that consumers with
    `isolation.level=read_committed` see every result once, even if a batch is repeated after a failure. `at_least_once` writes
    without transactions; a repeated batch may write its results again."""
    partitioner: str = "by-key"
    """How to choose the partitions of results in Kafka: `by-key` (the murmur2 hash of the key, as the Java client does; records
    without a key in turn), `round-robin`, a partitioner of librdkafka such as `fnv1a_random`, or `MODULE:FUNCTION`, a function
    that takes a record and the number of partitions and returns the partition."""
    emit: Literal["latest", "every-update"] | None = None
    """Which updates of a table are forwarded: `every-update` forwards each update, as Kafka Streams does without record caches;
    `latest` forwards only the last update per key and batch, as Kafka Streams does with them, which is less work. Default: what
    the flow declares, or else `every-update`."""
    changelog_stores: str = "none"
    """The state stores whose changes are written to changelog topics, `<application.id>-<store>-changelog`, so that they can be
    queried elsewhere: `none`, `all`, or names separated by commas; besides those that the flow declares with
    `builder.queryable(…)`, which always are. `all` leaves out the buffers of joins and suppressions. The stores of global tables
    have no changelogs."""
    auto_offset_reset: Literal["none", "earliest", "latest"] = "none"
    """Where a flow continues if the log no longer has its position, because retention has deleted records that it has not read
    or because a topic was emptied: `none` ends the run with an error; `earliest` continues at the first record that is left,
    `latest` at the end of the topic, and the report of the run has the number of skipped offsets by partition. A flow without
    a position always starts at the beginning of its topics. In `eddyline consume`, `earliest` and `latest` apply to a group
    without an offset, as in Kafka."""
    dead_letter_drops: bool = False
    """Whether records that an operator drops (late, without a key, …) are written to the dead-letter topic. Records that cannot
    be decoded always are."""
    processing_exception_handler: Literal["fail", "continue", "dead-letter"] | None = None
    """How to respond to an exception in a function or processor of the flow, or in a store: `fail` ends the run, `continue` goes
    on without the record, as if it had never been taken, `dead-letter` also writes the record to the dead-letter topic.
    Default: what the flow defines, else `fail`."""
    production_exception_handler: Literal["fail", "continue", "dead-letter"] | None = None
    """How to respond to an exception while a result is encoded or its partition is chosen: `fail`, `continue` or `dead-letter`,
    as for `processing.exception.handler`. Default: what the flow defines, else `fail`."""
    order: Literal["timestamp", "arrival"] = "timestamp"
    """Which of the records that wait in its partitions a task processes next: the one with the lowest `timestamp`, as in Kafka
    Streams, or the first in the order of `arrival`."""
    max_task_idle_ms: Annotated[int, Field(ge=-1, le=_LARGEST)] = 0
    """How long a task waits for records of an empty partition before it processes those of others, in milliseconds: with 0 for
    those in the log already, with -1 not at all. More is not for the engine `spark`, whose batches end at known offsets."""
    source_idle_timeout_ms: PositiveInt | None = None
    """The wall-clock time without a record of a source, in milliseconds, after which stream time follows the wall clock, so that
    windows close although nothing comes; for the sources for which the flow defines no `idle_timeout`. Default: only records
    advance stream time, as in Kafka Streams."""
    trigger_interval_ms: NonNegativeInt = 1_000
    """The time between the starts of two batches, in milliseconds; 0 starts the next batch as soon as the last one is done."""
    commit_interval_ms: PositiveInt | None = None
    """The time between two commits of the engine `local`, in milliseconds. Default: 100, or 30000 with `at_least_once`."""
    max_batch_records: PositiveInt | None = None
    """The maximum number of records that a batch reads, over all topics and partitions. Default: 500,000; batches of the engine
    `spark` grow up to 4,000,000 while the log has more records and tasks take less than six seconds or `trigger.interval.ms`."""
    input_buffer_max_bytes: PositiveInt = INPUT_BUFFER_MAX_BYTES
    """How many bytes the engine `local` keeps of records that it has fetched from Kafka and not processed, over all partitions,
    and of results that it has not committed. Above, it fetches no more of the partitions that have most, and commits."""
    metrics_recording_level: Literal["info", "debug"] | None = None
    """How much a run counts: `info` counts records by topic, drops, exceptions and batches; `debug` also counts the records that
    each operator processes, which takes time for each record. Default: `debug` for runs with a server, else `info`."""
    tracing_enabled: bool = False
    """Whether a run exports a span for each batch by OpenTelemetry, with links to the contexts in the `traceparent` headers of
    its records. Needs the extra `opentelemetry`. Where spans go, and under which name, is set by the environment variables of
    OpenTelemetry, such as `OTEL_EXPORTER_OTLP_ENDPOINT` (default: `http://localhost:4318`) and `OTEL_SERVICE_NAME` (default: the
    application id)."""
    log_format: Literal["console", "json"] | None = None
    """How a run writes its log to standard error: `console` for people, or `json`, an object a line, for log collectors. Default:
    `console` on a terminal, else `json`. With `--available-now`, a run writes a log instead of messages only if this is set."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The least level of what a run logs, your functions included: `debug`, `info`, `warning` or `error`. Libraries log
    warnings and errors."""
    notifier: Literal["console", "smtp"] = "console"
    """How alerts without a channel of their own are delivered: `console` prints them, `smtp` sends mails through `smtp.host`."""
    webhook_timeout_ms: PositiveInt = 10_000
    """The timeout of a request to a webhook in milliseconds. A request that fails for now is repeated twice."""
    webhook_authorization: SecretStr | None = None
    """The header `Authorization` of requests to webhooks, such as `Bearer …`. Set it as `EDDYLINE_WEBHOOK_AUTHORIZATION`."""
    smtp_host: str = ""
    """The host name of the mail server. Required by the notifier `smtp`."""
    smtp_port: Annotated[int, Field(gt=0, lt=65_536)] | None = None
    """The port of the mail server. Default: 587 for `smtp.security` `starttls`, 465 for `tls`, 25 for `none`."""
    smtp_security: Literal["starttls", "tls", "none"] = "starttls"
    """How to encrypt the connection to the mail server: `starttls` upgrades it to TLS first, `tls` uses TLS from the start,
    `none` does not encrypt it and allows no login."""
    smtp_username: str | None = None
    """The user name on the mail server. Default: none, which sends mail without a login."""
    smtp_password: SecretStr | None = None
    """The password of `smtp.username`. Set it as `EDDYLINE_SMTP_PASSWORD` to keep it out of files and process lists."""
    smtp_sender: str = ""
    """The sender address of mails. Required by the notifier `smtp`."""
    smtp_ca_file: RegularFile | None = None
    """A PEM file of certificate authorities to verify the mail server with. Default: the authorities that the system trusts."""
    server_host: str = "127.0.0.1"
    """The address on which query servers listen. Others than loopback need `server.token`, or `server.username` and
    `server.password`."""
    server_port: Annotated[int, Field(ge=0, lt=65_536)] = 8_642
    """The port on which query servers listen; 0 is any free port."""
    server_token: SecretStr | None = None
    """The bearer token that clients of the query server must send, and that `eddyline query` sends. Set it as
    `EDDYLINE_SERVER_TOKEN` to keep it out of files and process lists. Default: none."""
    server_generate_token: bool = True
    """Whether a query server on loopback generates a token for operators when it starts, unless a token or user is set. It prints
    its address with the token, and commands of the same user on this machine find the token by themselves. With `false`, a server
    without credentials lets every user of this machine read and operate."""
    server_username: str | None = None
    """The user of the basic login of the query server, as an alternative to the token. Default: none."""
    server_password: SecretStr | None = None
    """The password of `server.username`. Set it as `EDDYLINE_SERVER_PASSWORD`."""
    server_operator_token: SecretStr | None = None
    """The bearer token of operators of the query server, who may also redrive dead letters and stop the run. Without
    `server.operator.token` and `server.operator.username`, nobody may if `server.token` or `server.username` is set. Set it
    as `EDDYLINE_SERVER_OPERATOR_TOKEN`."""
    server_operator_username: str | None = None
    """The user of the basic login of operators, as an alternative to the token. Default: none."""
    server_operator_password: SecretStr | None = None
    """The password of `server.operator.username`. Set it as `EDDYLINE_SERVER_OPERATOR_PASSWORD`."""
    server_tls_cert_file: RegularFile | None = None
    """A PEM file with the certificate chain of the query server. Default: none, which serves HTTP without TLS."""
    server_tls_key_file: RegularFile | None = None
    """A PEM file with the private key of the certificate. Default: the key is in `server.tls.cert.file`."""
    server_tls_ca_file: RegularFile | None = None
    """A PEM file of certificate authorities to verify query servers with. Default: the authorities that the system trusts."""
    server_rate_limit: NonNegativeInt = 2_000
    """The maximum number of requests per second of each client of the query server; 0 for no limit."""
    server_url: Annotated[str, AfterValidator(http_url)] = "http://127.0.0.1:8642"
    """The URL of the query server that `eddyline query`, `status` and `top` ask."""
    application_server: Annotated[str, Field(pattern=r"^\S+:[0-9]{1,5}$")] | None = None
    """The address `HOST:PORT` at which other instances and clients reach the query server. Default: `server.host` and
    `server.port`."""
    server_partitions: Literal["all", "shared"] = "all"
    """Which partitions of the state a query server holds: `all`, or those that are assigned to it, if several servers with the
    same application id are `shared`: Kafka assigns them, as to the members of the consumer group `<application.id>-queries`, and
    a server asks the others for their parts of an answer. Needs `log=kafka`, and `application.server` or a `server.port`."""
    default_key_codec: CodecName = "json"
    """The codec of keys in topics without `key.codecs.<topic>`: `json`, `avro`, `json-schema`, `protobuf`, `string`, `int`,
    `long`, `double`, `bytes`, `uuid`, or one of an installed package (entry-point group `eddyline.codecs`). `json` writes strings
    as plain text."""
    default_value_codec: CodecName = "json"
    """The codec of values in topics without `value.codecs.<topic>`, with the same choices."""
    key_codecs: dict[str, CodecName] = Field(default_factory=dict)
    """`key.codecs.<topic>`: the codec of the keys of one topic. Default: `default.key.codec`."""
    value_codecs: dict[str, CodecName] = Field(default_factory=dict)
    """`value.codecs.<topic>`: the codec of the values of one topic. Default: `default.value.codec`."""
    names: dict[str, Names] = Field(default_factory=dict)
    """What the fields of types are called in topics, in every format with fields: `as-declared`, or `camelCase` (`paymentId` for
    `payment_id`). `names.<topic>` is the choice for one topic. Both spellings are read. An alias of a field, and the choice of a
    class with `__field_names__`, take precedence. Default: what the flow declares, or else `as-declared`."""
    types: dict[str, Strictness] = Field(default_factory=dict)
    """Whether a value that is read must be of the type of its field. With `strict`, `true` and `"5"` are no numbers; with `lax`,
    they are converted. `types.<topic>` is the choice for one topic. Default: what the flow declares, or else `strict`."""
    window_size_ms: dict[str, Annotated[int, Field(gt=0, le=1 << 62)]] = Field(default_factory=dict)
    """`window.size.ms.<topic>`: the size of the time windows in the keys of one topic, in milliseconds. All codecs except
    `json` need it for time windows, since the bytes of a windowed key hold only the start of the window, as in Kafka Streams.
    The windows of a topic without this setting are sessions, whose keys hold both bounds."""
    avro: dict[str, Any] = Field(default_factory=dict)
    """`avro.<option>`: how Avro schemas are derived from Python types: `avro.namespace`, `avro.names.<class>`,
    `avro.decimal.precision`, `avro.decimal.scale`, `avro.timestamps`."""
    schema_registry: dict[str, SecretStr] = Field(default_factory=dict)
    """`schema.registry.<name>`: settings of the schema registry client, under the names that Confluent's clients use, such as
    `schema.registry.url` and `schema.registry.basic.auth.user.info`. `schema.registry.value.subject.name.strategy` is `topic`
    (default), `record` or `topic-record`, for one topic with `.<topic>` after it, and likewise for keys: with the last two, a
    topic can have several event types, `value=OrderCreated | OrderDelivered`."""
    kafka: dict[str, SecretStr] = Field(default_factory=dict)
    """Settings of the Kafka clients, under their own names: `bootstrap.servers` (default: `127.0.0.1:9092`), `security.protocol`,
    `linger.ms`. With the prefix `consumer.`, `producer.` or `admin.` a setting applies to clients of this kind only. A name that
    is also a setting of Eddyline is set as `kafka.<name>`."""
    spark: dict[str, SecretStr] = Field(default_factory=dict)
    """`spark.<name>`: settings of Spark under their own names, such as `spark.driver.memory` (default: `2g`) and `spark.master`
    (default: `local[*]`). They take precedence over those that the engine chooses."""
    create_class_archive: bool = True
    """Whether `eddyline run` and `eddyline demo` on a local master of Spark archive Spark's Java classes when there is no archive
    yet, as `eddyline prepare-spark` does: once, in the background, after the first batch. Later runs start several seconds
    faster. An archive takes about 170 MB in the user's cache directory."""
    flows: dict[str, Any] = Field(default_factory=dict)
    """`flows.<flow>.<setting>`: settings of flows; `eddyline flows` lists them with their defaults. A string or a list,
    `flows = "my_flows"`, names the modules or files with your flows instead, as `--flows` does."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Use the arguments of the constructor alone: only `load` reads the environment and files."""
        del cls, settings_cls, env_settings, dotenv_settings, file_secret_settings
        return (init_settings,)

    @classmethod
    def load(
        cls,
        command_line: Mapping[str, Any] | None = None,
        *,
        config: Path | None = None,
        choices: Collection[str] = (),
        service: Sequence[tuple[str, Mapping[str, Any]]] = (),
    ) -> Self:
        """Read the settings from the command line, the environment and the settings file, in this order of precedence.

        Args:
            command_line: Settings of the command line by their dotted names.
            config: The settings file. Default: the one that EDDYLINE_CONFIG names, else `eddyline.toml` if it exists.
            choices: Names that the caller accepts besides settings; an error about an unknown setting offers them too.
            service: Settings of a service, by where they are, which take precedence over the settings file and over those after
                them.

        Raises:
            SettingsError: a setting is unknown or invalid, or the settings file cannot be read.
        """
        sources = read_sources(command_line or {}, config, service)
        layers = tuple(InitSettingsSource(cls, by_field(cls, source, choices)) for source in sources)
        try:
            return cls(_build_sources=(layers, {}))
        except ValidationError as invalid:
            origins = {given.name: given.origin for source in reversed(sources) for given in source}
            raise invalid_value(cls, invalid, origins) from None

    def checkpoint_of(self, application_id: str) -> Path | str:
        """Return the directory of the checkpoint of an application, or its URI."""
        if self.checkpoint_dir is not None and is_uri(self.checkpoint_dir):
            return f"{self.checkpoint_dir.rstrip('/')}/{application_id}"
        return (self.state_dir if self.checkpoint_dir is None else Path(self.checkpoint_dir)) / application_id

    def type_choices(self) -> dict[str, str]:
        """Return the choices of names and types, also by topic: `{"names": "camelCase", "names.trades": "as-declared"}`."""
        tables: dict[str, Mapping[str, str]] = {"names": self.names, "types": self.types}
        return {f"{name}.{topic}" if topic else name: choice for name, table in tables.items() for topic, choice in table.items()}

    def of_flow(self, flow: str) -> dict[str, Any]:
        """Return the settings of one flow by their own names."""
        prefix = f"{flow}."
        return {name.removeprefix(prefix): value for name, value in self.flows.items() if name.startswith(prefix)}

    def kafka_properties(self) -> dict[str, str]:
        """Return the settings of the Kafka clients, secrets included."""
        return {name: value.get_secret_value() for name, value in self.kafka.items()}

    def registry_properties(self) -> dict[str, str]:
        """Return the settings of the schema registry client, secrets included."""
        return {name: value.get_secret_value() for name, value in self.schema_registry.items()}

    def spark_properties(self) -> dict[str, str]:
        """Return the settings of Spark, secrets included."""
        return {f"spark.{name}": value.get_secret_value() for name, value in self.spark.items()}
