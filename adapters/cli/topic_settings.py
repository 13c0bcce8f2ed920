"""Settings of single topics, such as `value.codecs.<topic>`: a misspelt topic would be left with the defaults."""

from collections.abc import Iterable, Iterator, Sequence
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


def topic_setting_warnings(requests: Sequence[Request]) -> Iterator[str]:
    """Return a line for each setting of a topic that no known flow has; the command `consume` may need it, so it is no error.

    Args:
        requests: The flows that run together.

    Raises:
        UsageError: a setting on the command line is for a topic that none of the flows has.
    """
    topologies = [request.topology for request in requests]
    if any(isinstance(node, SinkNode) and not isinstance(node.topic, str) for found in topologies for node in found.nodes):
        return  # records choose the topics
    owner = f"flow '{requests[0].flow.name}' does not have" if len(requests) == 1 else "no flow of the service has"
    given = {each: request for request in reversed(requests) for each in _settings_of_topics(request.settings)}
    for (setting, topic), request in given.items():
        if any(_has(found, topic) for found in topologies):
            continue
        text = f"setting '{setting}' is for topic '{topic}', which {owner}; {_hint(topologies, topic)}"
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


def _hint(topologies: Sequence[Topology], topic: str) -> str:
    topics = list(dict.fromkeys(name for topology in topologies for name in _topics(topology)))
    patterns = [pattern for topology in topologies for pattern in topology.source_patterns]
    return suggested(topic, topics, f"choose one of: {listed([*topics, *patterns])}")


def _others(request: Request) -> Iterator[Topology]:
    for flow in request.flows:
        with suppress(Exception):  # a flow that cannot be built, or not without settings
            yield flow.topology()
