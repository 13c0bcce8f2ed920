"""A service: flows that belong together, which run in one process and read what the others write."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from eddyline.application.flows.alerts import Alert
from eddyline.application.flows.flow import Flow, FlowSettingError
from eddyline.application.topology import Topology
from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.graph import check_name, with_version

ServiceEngine: TypeAlias = Literal["local", "spark"]
"""An engine that keeps the state of a flow, so that the flow continues after a failure."""


class ServiceError(FlowSettingError):
    """The flows of a service do not fit together, or something in it is invalid; the message says what to change."""


@dataclass(frozen=True)
class ServiceFlow:
    """A flow of a service, with what it has for itself.

    Args:
        flow: The flow, or the name of one that commands know.
        engine: The engine that runs it, `local` or `spark`; by default that of the settings.
        version: Its version, which has its own state and output topics; by default that of the settings.
        settings: Settings of the flow, and settings of Eddyline by their dotted names, for this flow alone.

    Raises:
        ServiceError: A value is invalid.
    """

    flow: Flow | str
    engine: ServiceEngine | None = None
    version: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        flow: object = self.flow
        if not isinstance(flow, Flow | str):
            msg = f"a flow of a service is {flow!r}; pass an eddyline.Flow, or the name of a flow"
            raise ServiceError(msg)
        if self.engine is not None and self.engine not in get_args(ServiceEngine):
            choices = ", ".join(map(repr, get_args(ServiceEngine)))
            msg = f"engine of flow '{self.name}' is {self.engine!r}; choose one of: {choices}"
            raise ServiceError(msg)
        settings: object = self.settings
        if not isinstance(settings, Mapping):
            msg = f"settings of flow '{self.name}' are {settings!r}; pass a dictionary with settings by name"
            raise ServiceError(msg)

    @property
    def name(self) -> str:
        """The name of the flow."""
        return self.flow.name if isinstance(self.flow, Flow) else self.flow

    @property
    def given(self) -> dict[str, Any]:
        """What the flow has for itself, engine and version included, by the names of settings."""
        own = {"engine": self.engine, "version": self.version}
        return {**self.settings, **{name: value for name, value in own.items() if value is not None}}


@dataclass(frozen=True)
class Service:
    """Flows that belong together: `eddyline up` runs them in one process, with one server, one page and one log.

    Args:
        name: The name of the service.
        flows: The flows: each a Flow, the name of a flow that commands know, or a ServiceFlow with an engine, a version or
            settings of its own.
        alerts: The alerts that it sends: those that flows declare for a topic, by its name, or others, each an Alert
            of a topic that one of its flows writes.
        settings: Settings of Eddyline by their dotted names, for all flows of the service.

    Raises:
        ServiceError: A name is invalid, there are no flows, or something else is among them.
    """

    name: str
    flows: Sequence[Flow | str | ServiceFlow]
    alerts: Sequence[Alert | str] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        try:
            check_name(self.name, "service")
        except TopologyError as error:
            raise ServiceError(str(error)) from None
        flows: object = self.flows
        if isinstance(flows, str) or not isinstance(flows, Sequence) or not flows:
            msg = f"service '{self.name}' has no flows; pass a sequence of them: Service('{self.name}', flows=[…])"
            raise ServiceError(msg)
        if isinstance(self.alerts, str) or not all(isinstance(topic, Alert | str) for topic in self.alerts):
            msg = f"alerts of service '{self.name}' are {self.alerts!r}; pass a sequence of Alerts or names of topics"
            raise ServiceError(msg)
        object.__setattr__(self, "flows", tuple(self.flows))
        object.__setattr__(self, "alerts", tuple(self.alerts))
        _ = self.members

    @property
    def members(self) -> tuple[ServiceFlow, ...]:
        """The flows, each with what it has for itself."""
        return tuple(each if isinstance(each, ServiceFlow) else ServiceFlow(each) for each in self.flows)


class Member(NamedTuple):
    """A flow as a service runs it; `topology` is the one without the version."""

    flow: str
    application_id: str
    version: str | None
    topology: Topology


def topologies_together(members: Sequence[Member]) -> list[Topology]:
    """Return the topologies of flows that run together, each in its version.

    All that a flow in a version writes is in topics of this version. What it reads is, too, if a flow of the same version writes
    it; other topics that it reads keep their names.

    Raises:
        ServiceError: Two flows have the same application id, or write the same topic, or a flow reads what another one writes
            in another version.
        TopologyError: A version is invalid.
    """
    applications: dict[str, Member] = {}
    for member in members:
        other = applications.setdefault(member.application_id, member)
        if other is not member:
            msg = (
                f"flows '{other.flow}' and '{member.flow}' have the same application id '{member.application_id}', so they would "
                "share their state; give one of them a version, or an application.id, of its own"
            )
            raise ServiceError(msg)
    written: dict[str | None, set[str]] = {member.version: set() for member in members}
    for member in members:
        written[member.version] |= {spec.name for spec in member.topology.sink_topics}
    _check_versions(members, written)
    found = [
        member.topology if member.version is None else with_version(member.topology, member.version, written[member.version])
        for member in members
    ]
    writers: dict[str, str] = {}
    for member, topology in zip(members, found, strict=True):
        for topic in dict.fromkeys(spec.name for spec in topology.sink_topics):
            if (writer := writers.setdefault(topic, member.application_id)) != member.application_id:
                msg = (
                    f"applications '{writer}' and '{member.application_id}' both write topic '{topic}', so its readers could not "
                    "tell their records apart; let one of them write another topic, or run them in services of their own"
                )
                raise ServiceError(msg)
    return found


def _check_versions(members: Sequence[Member], written: Mapping[str | None, set[str]]) -> None:
    """Make sure that no flow reads a topic that the service writes in other versions only."""
    for member in members:
        for topic in {spec.name for spec in member.topology.source_topics} - written[member.version]:
            versions = [version for version, topics in written.items() if topic in topics]
            if versions and None not in versions:
                others = ", ".join(f"'{topic}-{version}'" for version in versions)
                msg = (
                    f"flow '{member.flow}' reads topic '{topic}', but the service writes {others}; give the flows that write and "
                    f"read it the same version, such as '{versions[0]}'"
                )
                raise ServiceError(msg)


def upstream(topologies: Mapping[str, Topology]) -> dict[str, set[str]]:
    """Return the applications whose results each application reads, also through others; those in a cycle with it left out."""
    direct = {
        reader: {
            writer
            for writer, other in topologies.items()
            if writer != reader and any(topology.source_topic(spec.name) is not None for spec in other.sink_topics)
        }
        for reader, topology in topologies.items()
    }
    reached = {name: _reached(name, direct) for name in topologies}
    return {name: {other for other in found if name not in reached[other]} for name, found in reached.items()}


def _reached(name: str, direct: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = list(direct[name])
    while waiting:
        other = waiting.pop()
        if other not in found:
            found.add(other)
            waiting += direct[other]
    return found


def in_order(names: Sequence[str], before: Mapping[str, set[str]]) -> list[list[str]]:
    """Return names in groups, each after the groups with those that come before its own; `before` has no cycles."""
    groups: list[list[str]] = []
    left = list(names)
    while left:
        group = [name for name in left if before[name].isdisjoint(left)]
        groups.append(group)
        left = [name for name in left if name not in group]
    return groups
