"""Services that do not answer for a while: a run waits, and continues after its last batch."""

import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.kafka.errors import BrokerUnavailableError
from eddyline.adapters.registry.errors import RegistryUnavailableError
from eddyline.adapters.spark import engine as spark_engine
from eddyline.adapters.spark.failures import EngineError
from eddyline.application.ports.codec import Codec
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.samples.catalogue import find_flow
from tests.adapters.spark.running import Workspace, trades


class RegistryOutage(JsonCodecs):
    """Codecs whose registry is down when a worker needs it for the first time."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder, self._driver = folder, os.getpid()

    def for_value(self, topic: str, value_type: Any) -> Codec:
        if os.getpid() != self._driver and not (self._folder / "up").exists():
            (self._folder / "up").touch()
            raise RegistryUnavailableError("the registry is down")
        return super().for_value(topic, value_type)


class SinkOutage(FileEventSink):
    """A sink whose brokers do not answer the workers this many times."""

    def __init__(self, folder: Path, failures: int) -> None:
        super().__init__(folder / "topics")
        self._folder, self._failures = folder, failures

    def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        failed = list(self._folder.glob("outage-*"))
        if writer != "test" and len(failed) < self._failures:
            (self._folder / f"outage-{len(failed)}").touch()
            raise BrokerUnavailableError("the brokers are down")
        return super().write(writer, slot, batch, records)


class LogOutage(FileEventLog):
    """A log whose brokers do not answer the driver this many times, once a file exists."""

    def __init__(self, folder: Path, failures: int, after: Path) -> None:
        super().__init__(folder / "topics")
        self._driver, self.failures, self._after = os.getpid(), failures, after

    def partitions(self, topic: str) -> int:
        if os.getpid() == self._driver and self.failures and self._after.exists():
            self.failures -= 1
            raise BrokerUnavailableError("the brokers are down")
        return super().partitions(topic)


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_engine, "_BACKOFFS_S", (0.1, 0.2))


@pytest.mark.slow
def test_a_batch_is_repeated_when_a_codec_is_unavailable(workspace: Workspace, spark: SparkSession) -> None:
    workspace.append("trades", 1, trades(20))
    engine = workspace.engine(find_flow("stock-stats").topology(), spark, codecs=RegistryOutage(workspace.folder))
    assert engine.run_available_now().records == 20
    assert (workspace.folder / "up").exists(), "a worker has met the outage"
    assert workspace.records("app-dead-letters") == []


def test_a_batch_is_repeated_when_brokers_are_unavailable(
    workspace: Workspace, spark: SparkSession, caplog: pytest.LogCaptureFixture
) -> None:
    workspace.append("trades", 1, trades(20))
    workspace.sink = SinkOutage(workspace.folder, failures=1)
    with caplog.at_level(logging.WARNING, logger="eddyline.spark"):
        report = workspace.engine(find_flow("stock-stats").topology(), spark).run_available_now()
    assert report.records == 20
    assert len(workspace.records("stock-stats")) == report.written["stock-stats"] > 0
    assert "BrokerUnavailableError: the brokers are down; waiting 0.1 s, then continuing after the last batch" in caplog.text


@pytest.mark.slow
def test_a_run_that_begins_again_waits_for_brokers_that_are_still_unavailable(workspace: Workspace, spark: SparkSession) -> None:
    workspace.append("trades", 1, trades(20))
    workspace.sink = SinkOutage(workspace.folder, failures=1)
    workspace.log = LogOutage(workspace.folder, failures=1, after=workspace.folder / "outage-0")
    assert workspace.engine(find_flow("stock-stats").topology(), spark).run_available_now().records == 20
    assert workspace.log.failures == 0


def test_a_run_does_not_begin_without_brokers(workspace: Workspace, spark: SparkSession) -> None:
    workspace.append("trades", 1, trades(20))
    workspace.log = LogOutage(workspace.folder, failures=1, after=workspace.folder)
    with pytest.raises(BrokerUnavailableError):
        workspace.engine(find_flow("stock-stats").topology(), spark).run_available_now()


@pytest.mark.slow
def test_a_run_ends_if_brokers_stay_unavailable(workspace: Workspace, spark: SparkSession) -> None:
    workspace.append("trades", 1, trades(20))
    workspace.sink = SinkOutage(workspace.folder, failures=10)
    with pytest.raises(EngineError, match="BrokerUnavailableError: the brokers are down"):
        workspace.engine(find_flow("stock-stats").topology(), spark).run_available_now()
    assert len(list(workspace.folder.glob("outage-*"))) == 3
