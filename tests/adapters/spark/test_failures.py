"""An exception in a worker reaches the driver with its class, its message and whether repeating the batch may help."""

import pytest

from eddyline.adapters.kafka.errors import AuthenticationError, BrokerUnavailableError
from eddyline.adapters.registry.errors import RegistryUnavailableError, SchemaRefusedError
from eddyline.adapters.spark.failures import EngineError, WorkerError, engine_error, reported
from eddyline.application.ports.codec import CodecError, CodecUnavailableError

SPARK_MESSAGE = """Job aborted due to stage failure: Task 0 in stage 1.0 failed 1 times:
Traceback (most recent call last):
  File "worker.py", line 1, in main
eddyline.adapters.spark.failures.WorkerError: {error}
\tat org.apache.spark.api.python.BasePythonRunner.compute(PythonRunner.scala:1)
java.lang.RuntimeException: ValueError: not the cause
"""


def through_spark(error: Exception) -> RuntimeError:
    """Raise an error as in a worker, and return what Spark raises on the driver."""
    with pytest.raises(WorkerError) as raised, reported():
        raise error
    return RuntimeError(SPARK_MESSAGE.format(error=raised.value))


@pytest.mark.parametrize(
    ("error", "retryable"),
    [
        (CodecUnavailableError, True),
        (RegistryUnavailableError, True),
        (SchemaRefusedError, True),
        (BrokerUnavailableError, True),
        (AuthenticationError, False),
        (CodecError, False),
        (ValueError, False),
    ],
)
def test_only_a_service_that_is_unavailable_is_retryable(error: type[Exception], retryable: bool) -> None:
    found = engine_error(through_spark(error("the registry is down")))
    assert str(found) == f"{error.__name__}: the registry is down"
    assert found.retryable is retryable


def test_a_message_of_several_lines_reaches_the_driver_completely() -> None:
    message = 'first "quoted" line\nsecond line: KeyError: x\n\n{braces}'
    assert str(engine_error(through_spark(ValueError(message)))) == f"ValueError: {message}"


def test_of_nested_failures_the_innermost_one_is_reported() -> None:
    found = engine_error(through_spark(through_spark(KeyError("x"))))
    assert str(found) == "KeyError: 'x'"


def test_a_worker_error_is_not_wrapped_again() -> None:
    with pytest.raises(WorkerError) as raised, reported(), reported():
        raise KeyError("x")
    assert isinstance(raised.value.__cause__, KeyError)
    assert (raised.value.failure.exception, raised.value.failure.message) == ("KeyError", "'x'")
    assert "test_failures.py" in raised.value.failure.traceback


def test_an_engine_error_is_not_retryable_by_default() -> None:
    assert EngineError("Java could not be started").retryable is False


def test_an_error_of_spark_itself_is_its_first_line_and_not_retryable() -> None:
    found = engine_error(RuntimeError("[STREAM_FAILED] Query terminated\nJVM stacktrace:\n\tat x"))
    assert (str(found), found.retryable) == ("[STREAM_FAILED] Query terminated", False)


def test_a_worker_that_started_too_slowly_is_retryable() -> None:
    text = "[STREAM_FAILED] Query [id = 1] terminated with exception: Python worker failed to connect back. SQLSTATE: XXKST"
    assert engine_error(RuntimeError(text)).retryable


def test_the_notes_of_an_exception_are_part_of_the_message() -> None:
    error = KeyError("x")
    error.add_note("operator 'checked', record in-0@1")
    assert str(engine_error(through_spark(error))) == "KeyError: 'x'; operator 'checked', record in-0@1"
