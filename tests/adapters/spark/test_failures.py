import pytest

from eddyline.adapters.registry.errors import RegistryUnavailableError, SchemaRefusedError
from eddyline.adapters.spark.failures import WorkerError, engine_error, reported
from eddyline.application.ports.codec import CodecError, CodecUnavailableError

SPARKS_TEXT = """Job aborted due to stage failure: Task 0 in stage 1.0 failed 1 times:
Traceback (most recent call last):
  File "worker.py", line 1, in main
eddyline.adapters.spark.failures.WorkerError: {error}
\tat org.apache.spark.api.python.BasePythonRunner.compute(PythonRunner.scala:1)
java.lang.RuntimeException: ValueError: of no interest
"""


def through_spark(error: Exception) -> RuntimeError:
    """Raise an error as a worker does, and return what Spark makes of it."""
    with pytest.raises(WorkerError) as raised, reported():
        raise error
    return RuntimeError(SPARKS_TEXT.format(error=raised.value))


@pytest.mark.parametrize(
    ("error", "retryable"),
    [
        (CodecUnavailableError, True),
        (RegistryUnavailableError, True),
        (SchemaRefusedError, True),
        (CodecError, False),
        (ValueError, False),
    ],
)
def test_a_codec_that_was_unavailable_may_work_later_whatever_its_error_class(error: type[Exception], retryable: bool) -> None:
    found = engine_error(through_spark(error("the registry is down")))
    assert str(found) == f"{error.__name__}: the registry is down"
    assert found.retryable is retryable


def test_a_message_of_several_lines_reaches_the_driver_whole() -> None:
    message = 'first "quoted" line\nsecond line: KeyError: x\n\n{braces}'
    assert str(engine_error(through_spark(ValueError(message)))) == f"ValueError: {message}"


def test_a_failure_that_has_crossed_two_processes_is_the_innermost_one() -> None:
    found = engine_error(through_spark(through_spark(KeyError("x"))))
    assert str(found) == "KeyError: 'x'"


def test_an_error_of_spark_itself_is_its_first_line_and_final() -> None:
    found = engine_error(RuntimeError("[STREAM_FAILED] Query terminated\nJVM stacktrace:\n\tat x"))
    assert (str(found), found.retryable) == ("[STREAM_FAILED] Query terminated", False)


def test_a_worker_that_was_slow_to_start_may_be_in_time_later() -> None:
    text = "[STREAM_FAILED] Query [id = 1] terminated with exception: Python worker failed to connect back. SQLSTATE: XXKST"
    assert engine_error(RuntimeError(text)).retryable
