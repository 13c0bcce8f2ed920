"""Settings of single topics, such as `value.codecs.<topic>`: a misspelt topic would be left with the defaults."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final

from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.requests import Request
from eddyline.adapters.settings import Settings
from eddyline.application.topology import Topology
from eddyline.application.topology.errors import listed, suggested
from eddyline.application.topology.nodes import SinkNode

_STRATEGIES: Final = ("key.subject.name.strategy.", "value.subject.name.strategy.")
_TABLES: Final = ("key_codecs", "value_codecs", "names", "types", "window_size_ms")


def topic_setting_warnings(request: Request) -> Iterator[str]:
    """Return a line for each setting of a topic that no known flow has; the command `consume` may need it, so it is no error.

    Raises:
        UsageError: a setting on the command line is for a topic that the flow does not have.
    """
    if any(isinstance(node, SinkNode) and not isinstance(node.topic, str) for node in request.topology.nodes):
        return  # records choose the topics
    for setting, topic in _settings_of_topics(request.settings):
        if _has(request.topology, topic):
            continue
        problem = f"setting '{setting}' is for topic '{topic}', which flow '{request.flow.name}' does not have"
        text = f"{problem}; {_hint(request, topic)}"
        if setting in request.assigned:
            raise UsageError(text)
        if not any(_has(other, topic) for other in _others(request)):
            yield text


def _settings_of_topics(settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield the settings of single topics, each with its topic."""
    for table in _TABLES:
        yield from ((f"{table.replace('_', '.')}.{topic}", topic) for topic in getattr(settings, table) if topic)
    for name in settings.schema_registry:
        prefix = next((prefix for prefix in _STRATEGIES if name.startswith(prefix)), None)
        if prefix is not None:
            yield f"schema.registry.{name}", name.removeprefix(prefix)


def _has(topology: Topology, topic: str) -> bool:
    return topic in _topics(topology) or any(pattern.fullmatch(topic) for pattern in topology.source_patterns.values())


def _topics(topology: Topology) -> Iterable[str]:
    return dict.fromkeys(spec.name for spec in (*topology.source_topics, *topology.sink_topics))


def _hint(request: Request, topic: str) -> str:
    topics = list(_topics(request.topology))
    return suggested(topic, topics, f"choose one of: {listed([*topics, *request.topology.source_patterns])}")


def _others(request: Request) -> Iterator[Topology]:
    for flow in request.flows:
        with suppress(Exception):  # a flow that cannot be built, or not without settings
            yield flow.topology()
