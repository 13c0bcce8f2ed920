"""Lookup by source topic, for topics that are read by name and for those that match a pattern."""

import re
from collections.abc import Iterable, Mapping
from typing import TypeVar

from eddyline.application.topology.nodes import Node, SourceNode

T = TypeVar("T")


class ByTopic(dict[str, T]):
    """Values by source topic. A topic that matches the pattern of a source has the value of that source.

    A topic is matched once, when it is looked up for the first time; from then on it costs as much as any other.
    """

    def __init__(self, values: Mapping[str, T], nodes: Iterable[Node]) -> None:
        super().__init__(values)
        self._patterns = patterns_of(nodes)

    def __missing__(self, topic: str) -> T:
        for source, pattern in self._patterns.items():
            if pattern.fullmatch(topic):
                found = self[topic] = self[source]
                return found
        raise KeyError(topic)


def patterns_of(nodes: Iterable[Node]) -> dict[str, re.Pattern[str]]:
    """Return the patterns of the sources that have one, by the text that stands for their topics."""
    return {node.topic: node.pattern for node in nodes if isinstance(node, SourceNode) and node.pattern is not None}
