"""A failure of a query is raised even if Spark does not raise it while it is waited for."""

from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.spark.engine import SparkEngine
from eddyline.adapters.spark.failures import EngineError
from eddyline.application.runtime.options import RunOptions
from tests.adapters.spark.topologies import copied
from tests.runtime.plans import memory_ports


def test_a_query_that_fails_just_at_the_end_of_the_timeout_fails_the_run(tmp_path: Any) -> None:
    engine = SparkEngine(
        copied("lines"),
        memory_ports(MemoryEventLog()),
        RunOptions(application_id="app"),
        checkpoint_dir=tmp_path,
        spark_config={},
    )
    released: list[bool] = []
    failed: Any = SimpleNamespace(
        query=SimpleNamespace(
            awaitTermination=lambda _timeout_s: True, exception=lambda: StreamingQueryException("no such file"), isActive=False
        ),
        lock=SimpleNamespace(release=lambda: released.append(True)),
    )
    engine._run = failed  # noqa: SLF001 - Spark fails at this moment too rarely
    with pytest.raises(EngineError, match="no such file"):
        engine.await_termination(0.05)
    assert released == [True]
