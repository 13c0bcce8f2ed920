"""What names the sources of topics and of patterns."""

import re
from typing import Any


def source_fields(name: str | None, topic: str | re.Pattern[str]) -> dict[str, Any]:
    """Return the name, topic and pattern of a source node.

    A pattern stands between slashes, which no topic has in its name. The default name of its node has the legal characters of the
    pattern.
    """
    if isinstance(topic, str):
        return {"name": name or topic, "topic": topic}
    legal = re.sub(r"[^A-Za-z0-9._-]|[.](?=[*+?{])", "", topic.pattern).strip("._-")
    return {"name": name or (f"{legal}-pattern" if legal else "pattern"), "topic": f"/{topic.pattern}/", "pattern": topic}
