"""The names and the options of the sources of topics and of patterns."""

import re
from typing import Any

from eddyline.application.topology.handles.arguments import checked
from eddyline.application.topology.windows import Duration, milliseconds


def source_fields(name: str | None, topic: str | re.Pattern[str]) -> dict[str, Any]:
    """Return the name, topic and pattern of a source node.

    A pattern stands between slashes, which no topic has in its name. The default name of its node has the legal characters of the
    pattern.
    """
    if isinstance(topic, str):
        return {"name": name or topic, "topic": topic}
    checked(topic, re.Pattern, "the topic of a stream", "pass its name, or a pattern such as re.compile('logs-.*')")
    legal = re.sub(r"[^A-Za-z0-9._-]|[.](?=[*+?{])", "", topic.pattern).strip("._-")
    return {"name": name or (f"{legal}-pattern" if legal else "pattern"), "topic": f"/{topic.pattern}/", "pattern": topic}


def table_topic(topic: str) -> str:
    """Return the topic of a table or a global store.

    Raises:
        TopologyError: If it is no name.
    """
    checked(topic, str, "the topic of a table or a global store", "pass its name")
    return topic


def idle_timeout_ms(topic: str | re.Pattern[str], timeout: Duration | None) -> int | None:
    """Return the idle timeout of a source in ms, None for event time only.

    Raises:
        TopologyError: If it is less than 1 ms, or no duration.
    """
    if timeout is None:
        return None
    name = topic.pattern if isinstance(topic, re.Pattern) else topic
    return milliseconds(timeout, f"the idle timeout of topic '{name}'", least=1)
