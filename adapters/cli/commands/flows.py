"""`eddyline flows`."""

import json
from collections.abc import Iterable
from inspect import Parameter

from rich.table import Table

from eddyline.adapters.cli.catalogue import known_flows
from eddyline.adapters.cli.errors import origin_of
from eddyline.adapters.cli.options import Form, Modules
from eddyline.adapters.cli.printable import echo
from eddyline.adapters.cli.screen import stdout
from eddyline.application.flows.flow import Flow, Setting
from eddyline.application.topology.graph import TopicSpec, Topology


def flows(modules: Modules = None, form: Form = "text") -> None:
    """List the flows with their topics and settings.

    Lists the flows of the modules given with --flows, those of installed packages, and the samples. Settings are shown with
    their defaults. A flow whose topology cannot be built is listed without topics, with a warning.
    """
    table = Table("flow", "description", "reads", "writes", "settings", box=None, pad_edge=False)
    for flow in known_flows(modules or ()):
        topics, settings = (list[str](), list[str]()), list[str]()
        try:
            settings = _settings(flow)
            if not any(_is_required(setting) for setting in flow.settings.values()):
                topology = flow.topology()
                topics = _sources(topology), _names(topology.sink_topics)
        except Exception as raised:  # noqa: BLE001 - one broken flow must not hide the others
            echo(f"warning: cannot build flow '{flow.name}': {raised}{origin_of(raised)}", err=True)
        if form == "json":
            listed = dict(zip(("reads", "writes", "settings"), (*topics, settings), strict=True))
            echo(json.dumps({"flow": flow.name, "description": flow.summary, **listed}))
        else:
            table.add_row(flow.name, flow.summary, *map("\n".join, (*topics, settings)))
    if form == "text":
        stdout().print(table)


def _sources(topology: Topology) -> list[str]:
    return [*(topic.name for topic in topology.source_topics), *topology.source_patterns]


def _names(topics: Iterable[TopicSpec]) -> list[str]:
    return [topic.name for topic in topics]


def _is_required(setting: Setting) -> bool:
    return setting.default is Parameter.empty


def _settings(flow: Flow) -> list[str]:
    return [
        f"{setting.name} (required)" if _is_required(setting) else f"{setting.name}={setting.default!r}"
        for setting in flow.settings.values()
    ]
