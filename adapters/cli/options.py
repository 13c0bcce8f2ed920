"""The arguments and options that several commands share."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from eddyline.adapters.cli.assignments import parse_assignments
from eddyline.adapters.cli.option_groups import OptionGroup, SettingOptions
from eddyline.adapters.settings import Settings

if TYPE_CHECKING:
    from eddyline.adapters.cli.requests import Request
    from eddyline.application.flows.service import Service

FlowName: TypeAlias = Annotated[str, typer.Argument(metavar="FLOW", help="The name of the flow; 'eddyline flows' lists them.")]
Modules: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--flows",
        metavar="MODULE|PATH",
        help="Import more flows from the FLOWS of this Python module, file or package. Can be repeated. Setting: flows.",
    ),
]
Form: TypeAlias = Annotated[
    Literal["text", "json"], typer.Option("--format", help="Print text for people, or JSON objects for programs, one on a line.")
]
Execute: TypeAlias = Annotated[bool, typer.Option("--execute/--dry-run", help="Make the change, or only show it.")]
_Set: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Set a setting, such as num.partitions=8. Can be repeated."),
]
_SetOfFlow: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Set a setting of the flow, such as size_ms=1000, or of Eddyline, such as num.partitions=8. Can be repeated.",
    ),
]
_Config: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--config", metavar="FILE", help="Read settings from this TOML file.", show_default="eddyline.toml, if it exists"
    ),
]


@dataclass(frozen=True)
class SettingSources(OptionGroup):
    """Options for the sources of settings."""

    assignments: _Set = None
    config: _Config = None

    def settings(self, *options: SettingOptions) -> Settings:
        """Return the settings; the options that were given take precedence."""
        flags = {name: value for group in options for name, value in group.given().items()}
        from eddyline.adapters.cli.requests import load_settings  # noqa: PLC0415 - help is shown without the flows

        return load_settings(parse_assignments(self.assignments or ()), self.config, **flags)


@dataclass(frozen=True)
class FlowSources(OptionGroup):
    """Options for the sources of flows and settings."""

    assignments: _SetOfFlow = None
    modules: Modules = None
    config: _Config = None

    def request(self, flow: str, *options: SettingOptions) -> "Request":
        """Return the flow of this name with its topology and settings; the options that were given take precedence."""
        flags = {name: value for group in options for name, value in group.given().items()}
        from eddyline.adapters.cli.requests import requested  # noqa: PLC0415 - likewise

        return requested(flow, self.assignments, self.modules, self.config, **flags)

    def requests(self, service: "Service", *options: SettingOptions, modules: Sequence[str] | None = None) -> "list[Request]":
        """Return the flows of a service with their topologies and settings, likewise; `modules` in place of those given."""
        flags = {name: value for group in options for name, value in group.given().items()}
        from eddyline.adapters.cli.requests import requested_together  # noqa: PLC0415 - likewise

        return requested_together(service, self.assignments, modules or self.modules, self.config, **flags)


@dataclass(frozen=True)
class EventLogOptions(SettingOptions):
    """Options for the event log."""

    log: Annotated[
        Literal["files", "memory", "kafka"] | None,
        typer.Option("--log", help="Read and write topics in this event log. Setting: log."),
    ] = None
    bootstrap_servers: Annotated[
        str | None,
        typer.Option(
            "--bootstrap-servers",
            metavar="HOST:PORT,…",
            help="Connect to these Kafka brokers; implies --log kafka. Setting: bootstrap.servers.",
        ),
    ] = None
    data_dir: Annotated[
        Path | None,
        typer.Option("--data-dir", metavar="DIR", help="Keep local topics and state in this directory. Setting: data.dir."),
    ] = None

    def given(self) -> dict[str, Any]:
        """Return the options that were given; `--bootstrap-servers` chooses Kafka unless `--log` says otherwise."""
        given = super().given()
        return {"log": "kafka", **given} if "bootstrap_servers" in given else given


@dataclass(frozen=True)
class TopicOptions(EventLogOptions):
    """Options for the event log and the schemas of its records."""

    schema_registry_url: Annotated[
        str | None,
        typer.Option(
            "--schema-registry",
            metavar="URL",
            help="Use the schemas of this registry for the codecs avro, json-schema and protobuf. Setting: schema.registry.url.",
        ),
    ] = None


@dataclass(frozen=True)
class VersionOptions(SettingOptions):
    """Options for the version of a flow."""

    version: Annotated[
        str | None,
        typer.Option(
            "--version",
            metavar="NAME",
            help="Use this version of the flow, which has its own state, consumer group and output topics. Setting: version.",
        ),
    ] = None


@dataclass(frozen=True)
class ApplicationOptions(VersionOptions):
    """Options for the application as which a flow runs."""

    application_id: Annotated[
        str | None,
        typer.Option(
            "--application-id",
            metavar="ID",
            help="Use this name for the state, the consumer group and the dead-letter topic. Setting: application.id.",
            show_default="the name of the flow",
        ),
    ] = None


@dataclass(frozen=True)
class StateOptions(SettingOptions):
    """Options for the state of flows."""

    state_dir: Annotated[
        Path | None,
        typer.Option(
            "--state-dir",
            metavar="DIR",
            help="Keep checkpoints in this directory. Setting: state.dir.",
            show_default="'state' in the data directory",
        ),
    ] = None
    checkpoint_dir: Annotated[
        str | None,
        typer.Option(
            "--checkpoint-dir",
            metavar="DIR|URI",
            help="Keep checkpoints here, such as s3a://bucket/checkpoints. Setting: checkpoint.dir.",
            show_default="the state directory",
        ),
    ] = None


@dataclass(frozen=True)
class AddressOptions(SettingOptions):
    """Options for the address of the server."""

    server_host: Annotated[
        str | None, typer.Option("--host", metavar="HOST", help="Listen on this address. Setting: server.host.")
    ] = None
    server_port: Annotated[
        int | None, typer.Option("--port", metavar="PORT", help="Listen on this port. Setting: server.port.")
    ] = None


@dataclass(frozen=True)
class ServerUrlOptions(SettingOptions):
    """Options for the server to ask."""

    server_url: Annotated[
        str | None, typer.Option("--server", metavar="URL", help="Ask this query server. Setting: server.url.")
    ] = None
