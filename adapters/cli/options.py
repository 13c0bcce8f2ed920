"""Options that several commands share, and how they become settings."""

import json
import types
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, Union, get_args, get_origin

import typer

from eddyline.adapters.cli.catalogue import flow_named, known_flows
from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.settings import Settings
from eddyline.application.flows.flow import Flow, Setting
from eddyline.application.topology import Topology
from eddyline.application.topology.graph import versioned, with_version

FlowName: TypeAlias = Annotated[str, typer.Argument(metavar="FLOW", help="The flow, as `eddyline flows` names it.")]
Assignments: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A setting of the flow (size_ms=1000) or of Eddyline (application.id=x)."),
]
Modules: TypeAlias = Annotated[
    list[str] | None, typer.Option("--flows", metavar="MODULE", help="A module with more flows, in its FLOWS.")
]
Config: TypeAlias = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="The file of settings; eddyline.toml where there is one.")
]

DataDir: TypeAlias = Annotated[
    Path | None, typer.Option("--data-dir", metavar="DIR", help="Where topics and state are kept; data.dir.")
]
LogKind: TypeAlias = Annotated[Literal["files", "memory", "kafka"] | None, typer.Option("--log", help="Where events are; files.")]
Brokers: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--bootstrap-servers", metavar="HOST:PORT,…", help="The brokers to ask first, with --log kafka; 127.0.0.1:9092."
    ),
]
SchemaRegistry: TypeAlias = Annotated[
    str | None, typer.Option("--schema-registry", metavar="URL", help="Where the schemas of avro and json-schema are.")
]

ApplicationId: TypeAlias = Annotated[
    str | None, typer.Option("--application-id", metavar="ID", help="Names state and internal topics; the flow's name.")
]
StateDir: TypeAlias = Annotated[
    Path | None, typer.Option("--state-dir", metavar="DIR", help="Where checkpoints are kept; `state` in the data.")
]
Version: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--version", metavar="NAME", help="A version beside others, such as v2: with state, group and output topics of its own."
    ),
]


def log_flags(log: str | None, bootstrap_servers: str | None, schema_registry: str | None) -> dict[str, Any]:
    """What LogKind, Brokers and SchemaRegistry set, as flags of `load_settings`."""
    return {"log": log, "bootstrap_servers": bootstrap_servers, "schema_registry_url": schema_registry}


class Request(NamedTuple):
    """What the user asked for: a flow, its topology, and the settings that hold."""

    flow: Flow
    topology: Topology
    settings: Settings

    @property
    def application_id(self) -> str:
        """Names the state and the group of what is run, a version its own."""
        name, version = self.settings.application_id or self.flow.name, self.settings.version
        return name if version is None else versioned(name, version)


def requested(
    name: str,
    assignments: Sequence[str] | None = None,
    modules: Sequence[str] | None = None,
    config: Path | None = None,
    **flags: Any,
) -> Request:
    """The flow with its settings; `flags` are options that have a setting's name with underscores, None where not given.

    Settings of the flow come from `--set`, else from the settings' own `flows.<flow>.<name>`. Raises UsageError,
    SettingsError, FlowSettingError and TopologyError.
    """
    flow = flow_named(name, known_flows(modules or ()))
    given = parse_assignments(assignments or ())
    own = {key: parse_value(flow.settings[key], text) for key, text in given.items() if key in flow.settings}
    settings = load_settings(
        {key: text for key, text in given.items() if key not in own}, config, choices=tuple(flow.settings), **flags
    )
    topology = flow.topology(**(settings.of_flow(flow.name) | own))
    return Request(flow, topology if settings.version is None else with_version(topology, settings.version), settings)


def load_settings(
    assignments: Mapping[str, Any], config: Path | None = None, *, choices: Sequence[str] = (), **flags: Any
) -> Settings:
    """The settings from assignments, by dotted name, and from flags, with underscores for dots; a flag of None is not given."""
    named = {name.replace("_", "."): value for name, value in flags.items() if value is not None}
    return Settings.load({**assignments, **named}, config=config, choices=choices)


def parse_assignments(assignments: Sequence[str]) -> dict[str, str]:
    """Names and values of `name=value`. Raises UsageError."""
    parsed: dict[str, str] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not (name and equals):
            raise UsageError(f"--set '{assignment}' is not of the form NAME=VALUE")
        parsed[name] = value
    return parsed


def parse_value(setting: Setting, text: str) -> Any:
    """The text as the flow's setting wants it: as it is where it takes text, else as JSON; a list may be written a,b,c."""
    kinds = _alternatives(setting.type)
    if str in kinds:
        return text
    try:
        return json.loads(text)
    except ValueError:
        listing = any(
            isinstance(get_origin(kind) or kind, type) and issubclass(get_origin(kind) or kind, Sequence) for kind in kinds
        )
        return [part.strip() for part in text.split(",")] if listing else text


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) in (Union, types.UnionType) else (annotation,)
