"""`eddyline flows`."""

from collections.abc import Iterable

from rich.table import Table

from eddyline.adapters.cli.catalogue import known_flows
from eddyline.adapters.cli.options import Modules
from eddyline.adapters.cli.screen import stdout
from eddyline.application.flows.flow import Flow
from eddyline.application.topology.graph import TopicSpec, Topology


def flows(modules: Modules = None) -> None:
    """List the flows with their topics and settings.

    Lists the flows of the modules given with --flows, those of installed packages, and the samples. Settings are shown with
    their defaults.
    """
    table = Table("flow", "description", "reads", "writes", "settings", box=None, pad_edge=False)
    for flow in known_flows(modules or ()):
        topology = flow.topology()
        table.add_row(flow.name, flow.summary, _sources(topology), _names(topology.sink_topics), _settings(flow))
    stdout().print(table)


def _sources(topology: Topology) -> str:
    return "\n".join([*(topic.name for topic in topology.source_topics), *topology.source_patterns])


def _names(topics: Iterable[TopicSpec]) -> str:
    return "\n".join(topic.name for topic in topics)


def _settings(flow: Flow) -> str:
    return "\n".join(f"{setting.name}={setting.default!r}" for setting in flow.settings.values())
