"""What a deployment decides: names as Kafka writes them, from the command line, the environment and a TOML file, in that order.

The dots of a name are underscores in the field and in the environment: `application.id` is `Settings.application_id` and
`EDDYLINE_APPLICATION_ID`. A new setting is one more field. Settings of Kafka's clients are taken by their own names, with or
without `consumer.`, `producer.` or `admin.` before them, and handed on verbatim; so are those of the schema registry's.
"""

import difflib
import json
import os
import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self, TypeAlias, get_origin

from pydantic import Field, PositiveInt, SecretStr, ValidationError
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from eddyline.adapters.kafka.settings.names import is_client_setting

PREFIX = "EDDYLINE_"
"""What the names of environment variables begin with; `EDDYLINE_CONFIG` names the file."""
COMMANDS_OWN = frozenset({f"{PREFIX}SERVICES_FOLDER"})
"""Variables that a command reads itself."""
DEFAULT_FILE = Path("eddyline.toml")
"""Read when no file is named, if it exists."""
COMMAND_LINE = "the command line"
CodecName: TypeAlias = Literal["json", "avro", "json-schema", "string", "int", "long", "double", "bytes", "uuid"]
"""How keys or values become bytes; `avro` and `json-schema` keep their schemas in the registry."""


class SettingsError(ValueError):
    """A setting is unknown, unreadable or has a wrong value; the message is one line: name, origin, choices."""


class Settings(BaseSettings):
    """All settings; `load` reads them. A bare `Settings()` holds the defaults and reads nothing.

    A field for anything like a password is a SecretStr, so that neither `repr` nor an error shows it.
    """

    model_config = SettingsConfigDict(extra="forbid", frozen=True)

    application_id: Annotated[str, Field(pattern=r"^[a-zA-Z0-9._-]{1,200}$")] | None = None
    """Names state, internal topics and what is written once; the flow's name when it is not given."""
    version: Annotated[str, Field(pattern=r"^[a-zA-Z0-9._-]{1,40}$")] | None = None
    """Runs the flow beside its other versions: ends the application id and the names of all topics that it writes, as in -v2."""
    engine: Literal["spark", "memory"] = "spark"
    """What runs the flow."""
    log: Literal["files", "memory", "kafka"] = "files"
    """Where events are read from and results go."""
    data_dir: Path = Path("data")
    """The folder of all that is kept: topics of the file log in `topics`."""
    state_dir: Path = Field(default_factory=lambda given: given.get("data_dir", Path("data")) / "state")
    """The folder of checkpoints and read models; `state` in `data.dir` when it is not given."""
    num_partitions: PositiveInt = 4
    """How many partitions a topic gets that is made because it is missing."""
    create_topics: bool = False
    """Whether topics are made that are missing; without it a flow on Kafka says which are, and does not start."""
    processing_guarantee: Literal["exactly_once_v2", "at_least_once"] = "exactly_once_v2"
    """Whether a batch that is repeated after a failure leaves its results in Kafka once, or perhaps twice."""
    partitioner: str = "by-key"
    """Which partition of a Kafka topic a result goes to: by-key, round-robin, one of the client's, MODULE:FUNCTION."""
    emit: Literal["latest", "every-update"] = "latest"
    """Of a key's updates in one batch the last one, or all."""
    dead_letter_drops: bool = False
    """Whether records that a step leaves out go to the dead letters too, or only those that cannot be decoded."""
    order: Literal["timestamp", "arrival"] = "timestamp"
    """Which record of a task's partitions comes first: the one with the lowest timestamp, or the one that arrived first."""
    trigger_interval_ms: Annotated[int, Field(ge=0)] = 1_000
    """Milliseconds between the starts of two batches; 0 is one after the other."""
    max_batch_records: PositiveInt = 500_000
    """How many records a batch takes at most, over all partitions."""
    notifier: Literal["console", "smtp"] = "console"
    """How people are told of alerts: on the screen, or by mail through the server that the settings smtp.… name."""
    smtp_host: str = ""
    """The mail server."""
    smtp_port: Annotated[int, Field(gt=0, lt=65_536)] | None = None
    """Its port; the usual one of `smtp.security` when it is not given: 587, 465, 25."""
    smtp_security: Literal["starttls", "tls", "none"] = "starttls"
    """How the connection to it is made safe."""
    smtp_username: str | None = None
    """The account there; without it nobody logs in."""
    smtp_password: SecretStr | None = None
    """The account's password; best given as EDDYLINE_SMTP_PASSWORD."""
    smtp_sender: str = ""
    """The address that mail comes from."""
    smtp_ca_file: Path | None = None
    """Certificates (PEM) of the authorities that the server's is checked against; this machine's own when it is not given."""
    default_key_codec: CodecName = "json"
    """The codec of keys; texts are plain text in json too."""
    default_value_codec: CodecName = "json"
    """The codec of values."""
    key_codecs: dict[str, CodecName] = Field(default_factory=dict)
    """The codec of a topic's keys, as `key.codecs.<topic>`."""
    value_codecs: dict[str, CodecName] = Field(default_factory=dict)
    """The codec of a topic's values, as `value.codecs.<topic>`."""
    window_size_ms: dict[str, PositiveInt] = Field(default_factory=dict)
    """How long the windows in a topic's keys are, as `window.size.ms.<topic>`: all but json writes a window's start only."""
    avro: dict[str, Any] = Field(default_factory=dict)
    """How Avro schemas are made: `avro.namespace`, `avro.timestamps` and the others of AvroOptions."""
    schema_registry: dict[str, SecretStr] = Field(default_factory=dict)
    """The schema registry, as `schema.registry.url` and so on, by the names of Confluent's clients."""
    kafka: dict[str, SecretStr] = Field(default_factory=dict)
    """Settings of Kafka's clients: `bootstrap.servers`, `linger.ms` and so on, or `kafka.<name>`."""
    flows: dict[str, Any] = Field(default_factory=dict)
    """Settings of flows, as `flows.<flow>.<setting>`."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What is given by hand and nothing else: only `load` looks at the environment and at files."""
        del cls, settings_cls, env_settings, dotenv_settings, file_secret_settings
        return (init_settings,)

    @classmethod
    def load(
        cls, command_line: Mapping[str, Any] | None = None, *, config: Path | None = None, choices: Collection[str] = ()
    ) -> Self:
        """The settings from `command_line` (dotted names), else the environment, else the file.

        The file is `config`, else the one that EDDYLINE_CONFIG names, else eddyline.toml where there is one. `choices` are
        names that the caller understands itself: an error about an unknown setting offers them too. Raises SettingsError.
        """
        environment = {name: value for name, value in os.environ.items() if name.startswith(PREFIX) and name not in COMMANDS_OWN}
        named_file = environment.pop(f"{PREFIX}CONFIG", None)
        sources = (
            [_Given(name, value, COMMAND_LINE) for name, value in (command_line or {}).items()],
            [_Given(name.removeprefix(PREFIX).lower().replace("_", "."), value, name) for name, value in environment.items()],
            list(_from_file(config or (Path(named_file) if named_file else None))),
        )
        origins = {given.name: given.origin for source in reversed(sources) for given in source}
        layers = tuple(InitSettingsSource(cls, _by_field(cls, source, choices)) for source in sources)
        try:
            return cls(_build_sources=(layers, {}))
        except ValidationError as refused:
            raise SettingsError(_refusal(cls, refused, origins)) from None

    def of_flow(self, flow: str) -> dict[str, Any]:
        """The settings given for one flow, by their own names."""
        start = f"{flow}."
        return {name.removeprefix(start): value for name, value in self.flows.items() if name.startswith(start)}

    def of_clients(self) -> dict[str, str]:
        """The settings of Kafka's clients, secrets and all."""
        return {name: value.get_secret_value() for name, value in self.kafka.items()}

    def of_registry(self) -> dict[str, str]:
        """The settings of the schema registry's client, secrets and all."""
        return {name: value.get_secret_value() for name, value in self.schema_registry.items()}


_CLIENTS = "kafka"


class _Given(NamedTuple):
    name: str
    value: Any
    origin: str


def setting_names(model: type[Settings] = Settings) -> list[str]:
    """The dotted names of all settings, sorted."""
    return sorted(f"{_dotted(field)}.…" if _is_table(model, field) else _dotted(field) for field in model.model_fields)


def _dotted(field: str) -> str:
    return field.replace("_", ".")


def _is_table(model: type[Settings], field: str) -> bool:
    return get_origin(model.model_fields[field].annotation) is dict


def _from_file(file: Path | None) -> Iterator[_Given]:
    path = file or DEFAULT_FILE
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if file:
            raise SettingsError(f"settings file '{file}' does not exist; name another with --config or {PREFIX}CONFIG") from None
        return
    except (OSError, ValueError) as unreadable:
        raise SettingsError(f"settings file '{path}' cannot be read as TOML: {unreadable}") from None
    yield from (_Given(name, value, str(path)) for name, value in _flat(content))


def _flat(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


def _by_field(model: type[Settings], source: list[_Given], choices: Collection[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    tables = [field for field in model.model_fields if _is_table(model, field)]
    for name, value, origin in source:
        field = name.replace(".", "_")
        table = next((table for table in tables if name.startswith(f"{_dotted(table)}.")), None)
        if table:
            values.setdefault(table, {})[name.removeprefix(f"{_dotted(table)}.")] = _entry(model, table, value)
        elif field in tables:
            values.setdefault(field, {}).update(
                {inner: _entry(model, field, found) for inner, found in _table(name, value, origin).items()}
            )
        elif field in model.model_fields and "_" not in name:
            values[field] = value
        elif is_client_setting(name):
            values.setdefault(_CLIENTS, {})[name] = _entry(model, _CLIENTS, value)
        else:
            names = [*setting_names(model), *choices]
            near = difflib.get_close_matches(name.replace("_", "."), names, n=3) or names
            raise SettingsError(f"setting '{name}' ({origin}) is unknown; nearest: {', '.join(near)}")
    return values


def _entry(model: type[Settings], table: str, value: object) -> object:
    """The value of a table as it is; as text where the table takes text that may be a secret."""
    if SecretStr not in _types(model.model_fields[table].annotation) or not isinstance(value, bool | int | float):
        return value
    return str(value).lower() if isinstance(value, bool) else str(value)


def _table(name: str, value: object, origin: str) -> dict[str, Any]:
    try:
        table = json.loads(str(value))
    except ValueError:
        table = None
    if not isinstance(table, dict):
        raise SettingsError(f"setting '{name}' ({origin}) is a table: give {name}.<name>=<value>, or a JSON object")
    return dict(_flat(table))


def _refusal(model: type[Settings], refused: ValidationError, origins: Mapping[str, str]) -> str:
    error = refused.errors(include_url=False)[0]
    field, *inner = (str(part) for part in error["loc"])
    name = ".".join([_dotted(field), *inner])
    secret = SecretStr in _types(model.model_fields[field].annotation)
    value = "what was given" if secret else repr(error["input"])
    return (
        f"setting '{name}' ({origins.get(name, _dotted(field))}) cannot be {value}: {error['msg'][0].lower()}{error['msg'][1:]}"
    )


def _types(annotation: Any) -> set[Any]:
    return {annotation, *getattr(annotation, "__args__", ())}
