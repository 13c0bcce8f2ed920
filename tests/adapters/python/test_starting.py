"""Flows that run beside other work: in threads, in asyncio, and in a web application."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

import eddyline
from eddyline import Alert, Consumer, Flow, Producer, TopologyBuilder
from eddyline.testing import MemoryEventLog

_WAIT_S = 60.0


def count_words(builder: TopologyBuilder, *, shout: bool = False) -> None:
    words = builder.stream("words", key=str, value=str).map_values(lambda word: word.upper() if shout else word, value=str)
    counts = words.group_by(lambda _key, word: _checked(word), key=str, name="by-word").count(store="counts")
    counts.to_stream().to("word-counts")


def _checked(word: str) -> str:
    if word == "broken":
        raise ValueError("a broken word")
    return word


FLOW = Flow("count-words", "Counts words.", count_words)


@pytest.fixture(params=["memory", "files"])
def settings(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.chdir(tmp_path)
    own: dict[str, Any] = {"create_topics": True, "num_partitions": 2}
    return {**own, "log": MemoryEventLog()} if request.param == "memory" else {**own, "log": "files", "data_dir": tmp_path}


def send(settings: dict[str, Any], *words: str) -> None:
    with Producer("words", value=str, **settings) as producer:
        for word in words:
            producer.send(word, key="k")


def wait_for(fact: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _WAIT_S
    while not fact():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_flow_runs_beside_the_program_that_asks_for_its_state_and_progress(settings: dict[str, Any]) -> None:
    with eddyline.start(FLOW, shout=True, **settings) as running:
        send(settings, "a", "b", "a")
        wait_for(lambda: running.state("counts").get("A") == 2)
        wait_for(lambda: running.progress.records == 3)
        assert running.progress.written["word-counts"] >= 2
        running.stop()
    assert not running.progress.is_running
    with Consumer("word-counts", key=str, value=int, **settings) as consumer:
        assert {record.key for record in consumer.poll(_WAIT_S)} <= {"A", "B"}


def test_the_next_run_continues_where_the_last_one_ended(settings: dict[str, Any]) -> None:
    expected = None
    for _ in range(2):
        with eddyline.start(FLOW, **settings) as running:
            send(settings, "a")
            wait_for(lambda running=running: running.progress.records == 1)  # type: ignore[misc]
            expected = running.state().get("a")
    assert expected == 2


def test_an_error_of_the_run_is_raised_when_the_block_ends_and_by_wait(settings: dict[str, Any]) -> None:
    send(settings, "broken")
    found: list[Exception] = []

    def program() -> None:
        with eddyline.start(FLOW, **settings) as running:
            try:
                running.wait(_WAIT_S)
            except ValueError as error:
                found.append(error)

    with pytest.raises(ValueError, match="a broken word"):
        program()
    assert len(found) == 1


def test_an_error_of_the_block_comes_first(settings: dict[str, Any]) -> None:
    with pytest.raises(LookupError, match="of the program"), eddyline.start(FLOW, **settings):
        raise LookupError("of the program")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"engine": "flink"}, "unknown engine 'flink'; choose one of: local, memory, spark"),
        ({"shuot": True}, "unknown setting 'shuot'.*did you mean 'shout'"),
        ({"engine": "spark", "log": MemoryEventLog()}, "cannot read a log in memory; choose engine='local'"),
    ],
)
def test_what_cannot_start_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message), eddyline.start(FLOW, **given):
        pass


def test_the_memory_engine_runs_beside_a_program(settings: dict[str, Any]) -> None:
    send(settings, "a")
    with eddyline.start(FLOW, engine="memory", **settings) as running:
        wait_for(lambda: running.progress.records == 1)
        assert running.state().get("a") == 1


@pytest.mark.spark
def test_spark_runs_beside_a_program(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"log": "files", "data_dir": tmp_path, "create_topics": True, "num_partitions": 1}
    with Producer("text-lines", value=str, **settings) as producer:
        producer.send("a b a")
    with eddyline.start("word-count", engine="spark", **settings) as running:
        wait_for(lambda: running.progress.records == 1)
        assert sorted(row.value for row in running.state().range()) == [1, 2]


def test_alerts_are_delivered_meanwhile(settings: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    alerts = [Alert("word-counts", to="ann", subject="new count", body=str, via="log")]
    with eddyline.start(Flow("count-words", "", count_words, alerts=alerts), alerts=True, **settings) as running:
        send(settings, "a")
        wait_for(lambda: running.progress.written.get("word-counts", 0) == 1)
    lines = [record.getMessage() for record in caplog.records if record.name == "eddyline.alerts"]
    assert lines == ["alert to ann: new count | 1"]


def test_alerts_of_a_version_are_those_of_its_topics(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings: dict[str, Any] = {"log": "files", "data_dir": tmp_path, "create_topics": True, "num_partitions": 1}
    flow = Flow("count-words", "", count_words, alerts=[Alert("word-counts", to="ann", subject="new count", body=str, via="log")])
    for version, words in ((None, ("a", "a")), ("v2", ())):
        with eddyline.start(flow, alerts=version is not None, version=version, **settings) as running:
            send(settings, *words)
            wait_for(lambda: running.progress.written.get("word-counts", running.progress.written.get("word-counts-v2", 0)) == 2)
    lines = [record.getMessage() for record in caplog.records if record.name == "eddyline.alerts"]
    assert lines == ["alert to ann: new count | 1", "alert to ann: new count | 2"]


def test_an_application_that_another_engine_runs_is_refused(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"log": "files", "data_dir": tmp_path, "create_topics": True, "num_partitions": 1}
    send(settings, "a")
    with eddyline.start(FLOW, **settings) as running:
        wait_for(lambda: running.progress.records == 1)
    with pytest.raises(Exception, match="belongs to the engine local"), eddyline.start(FLOW, engine="memory", **settings):
        pytest.fail("it runs")


def test_asyncio_runs_a_flow_and_goes_on_meanwhile(settings: dict[str, Any]) -> None:
    async def program() -> None:
        async with asyncio.timeout(_WAIT_S), eddyline.start(FLOW, **settings) as running:
            await asyncio.to_thread(send, settings, "a", "b")
            await asyncio.to_thread(wait_for, lambda: running.progress.records == 2)
            assert await asyncio.to_thread(running.state("counts").get, "a") == 1
            await running.stop()
            assert not running.progress.is_running

    asyncio.run(program())


def test_an_error_of_a_run_is_raised_in_asyncio(settings: dict[str, Any]) -> None:
    send(settings, "broken")

    async def program() -> None:
        async with asyncio.timeout(_WAIT_S), eddyline.start(FLOW, **settings) as running:
            await running.wait()

    with pytest.raises(Exception, match="a broken word"):
        asyncio.run(program())


def test_a_web_application_runs_a_flow_in_its_lifespan(settings: dict[str, Any]) -> None:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with eddyline.start(FLOW, **settings) as running:
            app.state.running = running
            yield

    app = FastAPI(lifespan=lifespan)

    @app.get("/counts/{word}")
    def count(word: str) -> int:
        found: int | None = app.state.running.state("counts").get(word)
        return found or 0

    with TestClient(app) as client:
        send(settings, "a", "a")
        wait_for(lambda: client.get("/counts/a").json() == 2)
    assert not app.state.running.progress.is_running
