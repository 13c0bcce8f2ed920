"""Requests: the flow that a command works on, with its topology and the settings."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from eddyline.adapters.cli.assignments import parse_assignments, parse_value
from eddyline.adapters.cli.catalogue import flow_named, known_flows
from eddyline.adapters.settings import Settings
from eddyline.application.flows.flow import Flow
from eddyline.application.flows.service import Member, Service, topologies_together
from eddyline.application.runtime.plan.application_ids import check_application_id
from eddyline.application.topology import Topology
from eddyline.application.topology.graph import versioned, with_version


class Request(NamedTuple):
    """A flow, its topology and the settings.

    `assigned` has the names of the settings that were assigned on the command line, `flows` all flows that are known.
    """

    flow: Flow
    topology: Topology
    settings: Settings
    assigned: frozenset[str] = frozenset()
    flows: Sequence[Flow] = ()

    @property
    def application_id(self) -> str:
        """Return the name of the application, with the version of the flow.

        Raises:
            ApplicationIdError: the name is invalid.
        """
        name, version = self.settings.application_id or self.flow.name, self.settings.version
        return check_application_id(name if version is None else versioned(name, version))

    @property
    def checkpoint(self) -> Path | str:
        """Return the directory of the checkpoint, or its URI."""
        return self.settings.checkpoint_of(self.application_id)

    @property
    def spark_log(self) -> Path:
        """Return the file that receives the output of Java and of the workers on this machine."""
        checkpoint = self.checkpoint
        folder = checkpoint if isinstance(checkpoint, Path) else self.settings.state_dir / self.application_id
        return folder / "spark.log"


def requested(
    name: str,
    assignments: Sequence[str] | None = None,
    modules: Sequence[str] | None = None,
    config: Path | None = None,
    **flags: Any,
) -> Request:
    """Return the flow of this name with its topology and settings.

    Args:
        name: The name of the flow.
        assignments: Settings of the flow or of Eddyline as `NAME=VALUE`. Settings of the flow that are not among them come
            from the settings `flows.<flow>.<name>`.
        modules: Python modules or files with more flows; by default those of the setting `flows`.
        config: The settings file.
        flags: Settings by name, with underscores for dots; None for those that are not given.

    Raises:
        UsageError: the flow is unknown or an assignment is malformed.
        SettingsError: a setting of Eddyline is unknown or invalid.
        FlowSettingError: a setting of the flow is unknown or invalid.
        TopologyError: the flow cannot be built with these settings.
    """
    return requested_together(Service("run", flows=(name,)), assignments, modules, config, **flags)[0]


def requested_together(
    service: Service,
    assignments: Sequence[str] | None = None,
    modules: Sequence[str] | None = None,
    config: Path | None = None,
    **flags: Any,
) -> list[Request]:
    """Return the flows of a service, each with its topology and settings; what one writes, others of its version read.

    Args:
        service: The service.
        assignments: As of `requested`; a setting of a flow is for all flows that have it.
        modules: As of `requested`.
        config: As of `requested`.
        flags: As of `requested`.

    Raises what `requested` raises, and ServiceError if the flows do not fit together.
    """
    flows = known_flows(modules or (), config)
    members = [(each.flow if isinstance(each.flow, Flow) else flow_named(each.flow, flows), each) for each in service.members]
    given = parse_assignments(assignments or ())
    choices = tuple(dict.fromkeys(name for flow, _ in members for name in flow.settings))
    others = {key: text for key, text in given.items() if key not in choices}
    requests = []
    for flow, member in members:
        of_flow = {key: parse_value(flow.settings[key], text) for key, text in given.items() if key in flow.settings}
        own = {f"flows.{flow.name}.{key}" if key in flow.settings else key: value for key, value in member.given.items()}
        layers = [(f"flow '{flow.name}' of service '{service.name}'", own), (f"service '{service.name}'", service.settings)]
        settings = load_settings(others, config, choices=choices, service=layers, **flags)
        topology = flow.topology(**{**settings.of_flow(flow.name), **of_flow})
        requests.append(Request(flow, topology, settings, frozenset(others), flows))
    parts = [Member(each.flow.name, each.application_id, each.settings.version, each.topology) for each in requests]
    return [each._replace(topology=topology) for each, topology in zip(requests, topologies_together(parts), strict=True)]


def topology_of(flow: Flow, settings: Settings, of_flow: Mapping[str, Any]) -> Topology:
    """Return the topology of a flow, in the version of the settings.

    Args:
        flow: The flow.
        settings: The settings, with those of the flow that a settings file or the environment gives.
        of_flow: Settings of the flow that override them.

    Raises:
        FlowSettingError: a setting of the flow is unknown or invalid.
        TopologyError: the flow cannot be built with these settings.
    """
    topology = flow.topology(**{**settings.of_flow(flow.name), **of_flow})
    return topology if settings.version is None else with_version(topology, settings.version)


def load_settings(
    assignments: Mapping[str, Any],
    config: Path | None = None,
    *,
    choices: Sequence[str] = (),
    service: Sequence[tuple[str, Mapping[str, Any]]] = (),
    **flags: Any,
) -> Settings:
    """Return the settings with those of the command line.

    Args:
        assignments: Settings by their dotted names.
        config: The settings file.
        choices: Names that are offered besides settings when a name is unknown.
        service: Settings of a service, by where they are.
        flags: Settings by name, with underscores for dots; None for those that are not given. They override assignments.

    Raises:
        SettingsError: a setting is unknown or invalid.
    """
    named = {name.replace("_", "."): value for name, value in flags.items() if value is not None}
    return Settings.load({**assignments, **named}, config=config, choices=choices, service=service)
