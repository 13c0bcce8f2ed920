"""What Spark did for a driver, from the log of events that Spark writes."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


class SparkEvents:
    """The events of the applications whose logs are in `folder`, which exists before Spark writes them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(exist_ok=True)

    def settings(self) -> dict[str, str]:
        """Return the settings with which Spark writes each event at once, as a line of JSON."""
        return {
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": self._folder.as_uri(),
            "spark.eventLog.compress": "false",
            "spark.eventLog.rolling.enabled": "false",
        }

    def tasks_of_stages(self) -> set[int]:
        """Return the numbers of Spark tasks that stages had."""
        return {event["Stage Info"]["Number of Tasks"] for event in self._events("SparkListenerStageSubmitted")}

    def executors_with_tasks(self) -> set[str]:
        """Return the ids of the executors that have completed tasks."""
        ended = (event for event in self._events("SparkListenerTaskEnd") if event["Task End Reason"]["Reason"] == "Success")
        return {event["Task Info"]["Executor ID"] for event in ended}

    def _events(self, kind: str) -> Iterator[Mapping[str, Any]]:
        for path in self._folder.iterdir():
            *lines, _ = path.read_text().split("\n")  # the last one may be incomplete
            yield from (event for event in map(json.loads, lines) if event["Event"] == kind)
