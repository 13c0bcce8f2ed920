"""A flow that runs until its scenarios are over, with a query server beside it in a process of its own."""

import json
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from eddyline.adapters.cli.requests import Request, requested
from eddyline.adapters.cli.topics import ensure_topics
from eddyline.adapters.container import Container
from eddyline.application.ports.event_sink import SinkRecord
from tests.fixtures.commands import Commands
from tests.fixtures.server_sent_events import parsed

_TIMEOUT_S: Final = 120.0

Sent = tuple[str, str, Any, int]
"""Topic, key, value and timestamp (ms since the epoch) of a record."""


class ServedFlow:
    """Runs a flow and its query server; scenarios share both, so each set of records is written once.

    Args:
        flow: The name of the flow.
        module: The module of the flow, None for a sample.
        engine: The engine that runs it, "local" or "spark".
        request: That of a fixture of the scenarios.
    """

    def __init__(self, flow: str, module: str | None, engine: str, request: pytest.FixtureRequest) -> None:
        self._flow, self._module, self._engine, self._request = flow, module, engine, request
        self._folder: Path = request.getfixturevalue("tmp_path_factory").mktemp(f"{flow}-{engine}")
        self._commands = Commands(self._folder)
        self._writer, self._batches = uuid.uuid4().hex, 0
        self._written: dict[str, dict[str, int]] = {}
        self._ends: dict[str, int] = {}

    def start(self) -> None:
        """Start the flow and the server, and wait until the server answers."""
        settings: dict[str, Any] = {
            "data_dir": self._folder / "data",
            "num_partitions": 1,
            "create_topics": True,
            "trigger_interval_ms": 100,
        }
        request = requested(
            self._flow, modules=None if self._module is None else [self._module], changelog_stores="all", **settings
        )
        self._container = Container(settings=request.settings)
        ensure_topics(request, self._container)
        self._stop_flow = self._started(request)
        modules = [] if self._module is None else ["--flows", self._module]
        self._commands.start("serve", "serve", self._flow, *modules, "--port", "0", "--data-dir", str(self._folder / "data"))
        deadline = time.monotonic() + _TIMEOUT_S
        while not (urls := [line.rpartition(" ")[2] for line in self._commands.err("serve") if "serving " in line]):
            assert self._commands.is_running("serve"), self._commands.err("serve")
            assert time.monotonic() < deadline, self._commands.err("serve")
            time.sleep(0.05)
        self.url = urls[0]
        self._http = httpx.Client(base_url=self.url, timeout=120, trust_env=False)

    def stop(self) -> None:
        """Stop the flow and the server, if they were started."""
        self._commands.kill_all()
        if hasattr(self, "_stop_flow"):
            self._stop_flow()

    def _started(self, request: Request) -> Callable[[], None]:
        """Start the flow, and return what stops it."""
        options = self._container.options(application_id=request.application_id)
        if self._engine == "spark":
            spark = self._container.spark_engine(
                request.topology,
                options=options,
                checkpoint_dir=request.settings.state_dir / request.application_id,
                session=self._request.getfixturevalue("spark"),
            )
            spark.start()
            return spark.stop
        local = self._container.local_engine(request.topology, options=options)
        thread = threading.Thread(target=local.run)
        thread.start()

        def stop() -> None:
            local.stop()
            thread.join()

        return stop

    def write_once(self, records: Iterable[Sent]) -> dict[str, int]:
        """Write records unless they were, and return the offset of the last one of each topic."""
        found = list(records)
        name = json.dumps(found)
        if name not in self._written:
            self._written[name] = self.write(found)
        return self._written[name]

    def write(self, records: Iterable[Sent]) -> dict[str, int]:
        """Write records, and return the offset of the last one of each topic."""
        batch = [SinkRecord(topic, key.encode(), _encoded(value), at) for topic, key, value, at in records]
        self._container.sink().write(self._writer, 0, self._batches, batch)
        self._batches += 1
        for record in batch:
            self._ends[record.topic] = self._ends.get(record.topic, 0) + 1
        return {topic: self._ends[topic] - 1 for topic in {record.topic for record in batch}}

    def next_offset(self, topic: str) -> int:
        """Return the offset that the next record of a topic will have."""
        return self._ends.get(topic, 0)

    def get(self, path: str, parameters: Mapping[str, Any] | None = None) -> httpx.Response:
        """Return the answer of the server to a request."""
        return self._http.get(path, params=dict(parameters or {}))

    @contextmanager
    def events(self, path: str, last_event_id: str | None = None) -> Iterator[Iterator[tuple[str, str, Any]]]:
        """Yield the kinds, ids and contents of server-sent events."""
        headers = {} if last_event_id is None else {"Last-Event-ID": last_event_id}
        with self._http.stream("GET", path, headers=headers) as answer:
            assert answer.status_code == 200
            yield parsed(answer.iter_lines())

    def wait_for_store(self, store: str, offsets: Mapping[str, int]) -> None:
        """Wait until a store exists and includes the records with these offsets."""
        deadline = time.monotonic() + _TIMEOUT_S
        wanted = {"min_offset": [f"{topic}:0:{offset}" for topic, offset in offsets.items()], "timeout": 20, "limit": 1}
        while (answer := self.get(f"/stores/{store}/latest", wanted)).status_code != 200:
            assert answer.status_code in {404, 412}, answer.text
            assert time.monotonic() < deadline, answer.text
            time.sleep(0.2)


class ServedFlows:
    """One flow on each engine for which a scenario asks.

    Args:
        flow: The name of the flow.
        module: The module of the flow, None for a sample.
        request: That of a fixture of the scenarios.
    """

    def __init__(self, flow: str, module: str | None, request: pytest.FixtureRequest) -> None:
        self._flow, self._module, self._request = flow, module, request
        self._flows: dict[str, ServedFlow] = {}

    def on(self, engine: str) -> ServedFlow:
        """Return the flow on an engine, started."""
        if engine not in self._flows:
            self._flows[engine] = ServedFlow(self._flow, self._module, engine, self._request)
            self._flows[engine].start()
        return self._flows[engine]

    def stop(self) -> None:
        """Stop the flows."""
        for flow in self._flows.values():
            flow.stop()


def _encoded(value: Any) -> bytes | None:
    """Return a value as topics have it: text unchanged, all else as JSON."""
    if value is None:
        return None
    return (value if isinstance(value, str) else json.dumps(value)).encode()
