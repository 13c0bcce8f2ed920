"""A failure of a query is raised even if Spark does not raise it while it is waited for."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.spark.engine import SparkEngine
from eddyline.adapters.spark.failures import EngineError
from eddyline.application.runtime.plan.options import RunOptions
from tests.adapters.spark.topologies import copied
from tests.runtime.plans import memory_ports


def started(folder: Path, released: list[bool], **query: Any) -> SparkEngine:
    """Return an engine whose query answers as `query` says: Spark fails at this moment too rarely."""
    engine = SparkEngine(
        copied("lines"),
        memory_ports(MemoryEventLog()),
        RunOptions(application_id="app"),
        checkpoint_dir=folder,
        spark_config={},
    )
    failed: Any = SimpleNamespace(
        query=SimpleNamespace(exception=lambda: StreamingQueryException("no such file"), isActive=False, **query),
        progress=SimpleNamespace(new_batches=list, idle=False),
        lock=SimpleNamespace(release=lambda: released.append(True)),
        close=lambda *, failed: None,  # noqa: ARG005 - the parameter is called by its name
    )
    engine._run = failed  # noqa: SLF001
    return engine


def test_a_query_that_fails_just_at_the_end_of_the_timeout_fails_the_run(tmp_path: Path) -> None:
    released: list[bool] = []
    engine = started(tmp_path, released, awaitTermination=lambda _timeout_s: True)
    with pytest.raises(EngineError, match="no such file"):
        engine.await_termination(0.05)
    assert released == [True]


def test_a_query_that_fails_just_after_the_timeout_fails_the_run(tmp_path: Path) -> None:
    released: list[bool] = []
    answers = iter([False, True])
    engine = started(tmp_path, released, awaitTermination=lambda _timeout_s: next(answers))
    assert not engine.await_termination(0.05)
    assert released == []
    with pytest.raises(EngineError, match="no such file"):
        engine.await_termination(0.05)
    assert released == [True]
