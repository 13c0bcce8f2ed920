"""What those do who run flows: by the commands, over topics on files or on Kafka; and the steps that tell of it."""

import json
import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pyspark.sql import SparkSession
from pytest_bdd import given, parsers, then, when

from eddyline.adapters.cli.main import run
from eddyline.adapters.cli.requests import requested
from eddyline.adapters.cli.topics import ensure_topics
from eddyline.adapters.container import Container
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.settings import Settings
from eddyline.adapters.spark.engine import SparkEngine
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.ports.event_sink import SinkRecord
from tests.adapters.kafka.conftest import eventually, wait_until_settled
from tests.features.running import Table, milliseconds, rows

_TIME = re.compile(r"1970-01-01T00:(\d\d):(\d\d)\.000Z")


class Said(NamedTuple):
    code: int
    out: str
    err: str


class Site:
    """A folder for topics and state, and what was last said there."""

    def __init__(self, folder: Path, capture: pytest.CaptureFixture[str], session: SparkSession | None) -> None:
        self.said = Said(0, "", "")
        self.servers: str | None = None
        self._folder, self._capture, self._session = folder, capture, session
        self._writer, self._batches = f"test-{uuid.uuid4().hex}", 0
        self._at_work: SparkEngine | None = None

    def write(self, topic: str, records: list[tuple[str | None, str, int]]) -> None:
        """Puts records (key, value, timestamp) into a topic of one partition."""
        sink = self._container().sink()
        sink.create_topic(topic, 1)
        given = [SinkRecord(topic, None if key is None else key.encode(), value.encode(), at) for key, value, at in records]
        sink.write(self._writer, 0, self._batches, given)
        self._batches += 1
        self.settle(topic)

    def run(self, flow: str, *words: str) -> None:
        """Runs a flow to the end of what is there."""
        if self._session is None:
            self.command("run", flow, "--engine", "memory", "--available-now", "--create-topics", *words)
            assert self.said.code == 0, self.said.err
        else:
            engine = self._engine(flow, *words)
            engine.run_available_now()

    def start(self, flow: str) -> None:
        """Starts a flow on Spark, without an end."""
        self._at_work = self._engine(flow)
        self._at_work.start()

    def stop(self) -> None:
        """Stops the flow that is at work, if there is one."""
        if self._at_work is not None:
            self._at_work.stop()

    def command(self, *words: str) -> None:
        """Gives a command; `said` is what it answers."""
        code = run([*words, *self._places()])
        self.said = Said(code, *self._capture.readouterr())

    def records(self, topic: str) -> list[LogRecord]:
        """What is in the topic, none where it is missing."""
        log = self._container().log()
        if topic not in log.topics():
            return []
        self.settle(topic)
        places = ((at, log.beginning_offset(topic, at), log.end_offset(topic, at)) for at in range(log.partitions(topic)))
        return [record for at, start, end in places for batch in log.read(topic, at, start, end) for record in batch]

    def settle(self, *topics: str) -> None:
        """Waits until Kafka shows all that was written."""
        for topic in topics if self.servers else ():
            wait_until_settled(self.kafka, topic)

    @property
    def kafka(self) -> KafkaSettings:
        assert self.servers is not None
        return KafkaSettings({"bootstrap.servers": self.servers})

    def _engine(self, flow: str, *words: str) -> SparkEngine:
        assignments = [word for word in words if "=" in word]
        version = words[words.index("--version") + 1] if "--version" in words else None
        request = requested(flow, assignments, version=version, **self._settings())
        container = Container(settings=request.settings)
        ensure_topics(request, container)
        folder = request.settings.state_dir / request.application_id
        engine: SparkEngine = container.spark_engine(
            request.topology,
            options=container.options(application_id=request.application_id),
            checkpoint_dir=folder,
            session=self._session,
        )
        return engine

    def _container(self) -> Container:
        given = {name.replace("_", "."): value for name, value in self._settings().items()}
        return Container(settings=Settings.load(given))

    def _settings(self) -> dict[str, Any]:
        own = {"data_dir": self._folder / "data", "num_partitions": 1, "create_topics": True, "trigger_interval_ms": 100}
        return {**own, "log": "kafka", "bootstrap_servers": self.servers} if self.servers else own

    def _places(self) -> list[str]:
        places = ["--data-dir", str(self._folder / "data"), "--set", "num.partitions=1"]
        return [*places, "--log", "kafka", "--bootstrap-servers", self.servers] if self.servers else places


@pytest.fixture
def site(engine: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], request: pytest.FixtureRequest) -> Iterator[Site]:
    site = Site(tmp_path, capfd, request.getfixturevalue("spark") if engine == "spark" else None)
    yield site
    site.stop()


# --- words ------------------------------------------------------------------------------------------------------------


@given("these lines were written")
def lines(site: Site, datatable: Table) -> None:
    site.write("text-lines", [(None, row["line"], at) for at, row in enumerate(rows(datatable), start=1)])


@given("the word count has run")
@when("the word count runs")
def word_count(site: Site) -> None:
    site.run("word-count")


@then(parsers.parse('"{word}" was told with these counts: {counts}'))
def told(site: Site, word: str, counts: str) -> None:
    assert _counts(site, word) == [int(count) for count in counts.split(", ")]


@given(parsers.parse('the word count is at work and has told "{word}" with the count {count:d}'))
def at_work(site: Site, word: str, count: int) -> None:
    site.start("word-count")
    eventually(lambda: _counts(site, word) == [count], 60)


@when("the word count is stopped")
def stopped(site: Site) -> None:
    site.stop()


def _counts(site: Site, word: str) -> list[int]:
    return [json.loads(record.value or b"0") for record in site.records("word-counts") if record.key == word.encode()]


# --- resetting --------------------------------------------------------------------------------------------------------


@when("the word count is reset")
def reset(site: Site) -> None:
    site.command("reset", "word-count", "--execute")
    assert site.said.code == 0, site.said.err


@when("the word count is reset with its output")
def reset_with_output(site: Site) -> None:
    site.command("reset", "word-count", "--execute", "--with-output")
    assert site.said.code == 0, site.said.err


@when("somebody looks what resetting the word count with its output would remove")
def look(site: Site) -> None:
    site.command("reset", "word-count", "--with-output")
    assert site.said.code == 0, site.said.err


@when("somebody tries to reset the word count")
def refused(site: Site) -> None:
    site.command("reset", "word-count", "--execute")
    assert site.said.code == 1


@when(parsers.parse("version {version} of the stock statistics is reset with its output"))
def reset_version(site: Site, version: str) -> None:
    site.command("reset", "stock-stats", "--version", version, "--execute", "--with-output")
    assert site.said.code == 0, site.said.err


@then(parsers.parse("it says that {what}"))
def says(site: Site, what: str) -> None:
    assert what.replace("the word count is", "'word-count' is") in site.said.err


@then(parsers.parse("it shows the records of topic '{topic}'"))
def shows(site: Site, topic: str) -> None:
    assert re.search(rf"^ *records of a topic .*{topic} ", site.said.out, re.MULTILINE)


@then(parsers.parse("'{topic}' is empty"))
def empty(site: Site, topic: str) -> None:
    assert site.records(topic) == []


@then(parsers.parse("'{topic}' is not"))
def not_empty(site: Site, topic: str) -> None:
    assert site.records(topic)


# --- versions ---------------------------------------------------------------------------------------------------------


@given("these trades come in")
def trades(site: Site, datatable: Table) -> None:
    found: list[tuple[str | None, str, int]] = []
    for row in rows(datatable):
        trade = {"type": "ASK", "ticker": row["ticker"], "price": float(row["price"]), "size": 100}
        found.append((row["ticker"], json.dumps(trade), milliseconds(row["at"])))
    site.write("trades", found)


@given("the stock statistics have run")
def stock_stats(site: Site) -> None:
    site.run("stock-stats")


@given(parsers.parse("the stock statistics have run as version {version}"))
@when(parsers.re(r"the stock statistics run as version (?P<version>\w+)$"))
def stock_stats_version(site: Site, version: str) -> None:
    site.run("stock-stats", "--version", version)


@when(parsers.parse("the stock statistics run as version {version}, which takes trades that are {grace} late"))
def stock_stats_with_grace(site: Site, version: str, grace: str) -> None:
    site.run("stock-stats", "--version", version, "--set", f"grace_ms={milliseconds(grace)}")


@when(parsers.parse("'{first}' is compared with '{second}'"))
def compared(site: Site, first: str, second: str) -> None:
    site.settle(first, second)
    site.command("compare", first, second)


@when(parsers.parse("all of '{first}' is compared with '{second}'"))
def all_compared(site: Site, first: str, second: str) -> None:
    site.command("compare", first, second, "--until", "end")


@then("they agree")
def agree(site: Site) -> None:
    assert site.said.code == 0, site.said
    assert ", 0 different, 0 only in" in site.said.out


@then(parsers.parse("they agree up to {time}"))
def agree_up_to(site: Site, time: str) -> None:
    agree(site)
    assert _short(site.said.out).splitlines()[3].startswith(f"before {time}: ")


@then("they differ")
def differ(site: Site) -> None:
    assert site.said.code == 1, site.said
    assert not site.said.err


@then("they differ in these windows")
def differ_in(site: Site, datatable: Table) -> None:
    differ(site)
    lines = _short(site.said.out).splitlines()
    names, *told = (re.split(r" {2,}", line.strip()) for line in lines[lines.index(_heading(lines)) :])
    found = [dict(zip(names, row, strict=True)) for row in told]
    assert [{name: _figures(text) for name, text in row.items()} for row in found] == rows(datatable)


def _heading(lines: list[str]) -> str:
    return next(line for line in lines if line.split()[:2] == ["key", "window"])


def _short(text: str) -> str:
    return _TIME.sub(lambda found: f"{int(found[1]) * 60 + int(found[2])} s", text)


def _figures(text: str) -> str:
    if not text.startswith("{"):
        return text
    told = json.loads(text)
    return f"{told['countTrades']} trades at {told['avgPrice']:g}"
