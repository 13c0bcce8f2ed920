import pytest

from eddyline.adapters.registry.errors import RegistryUnavailableError, SchemaRefusedError
from eddyline.adapters.spark.failures import explained
from eddyline.application.ports.codec import CodecError, CodecUnavailableError

SAID = """Job aborted due to stage failure: Task 0 in stage 1.0 failed 1 times:
Traceback (most recent call last):
  File "worker.py", line 1, in main
{error}: it is down
\tat org.apache.spark.api.python.BasePythonRunner.compute(PythonRunner.scala:1)
java.lang.RuntimeException: of no interest
"""


@pytest.mark.parametrize(
    ("error", "may_pass"),
    [
        (CodecUnavailableError, True),
        (RegistryUnavailableError, True),
        (SchemaRefusedError, True),
        (CodecError, False),
        (ValueError, False),
    ],
)
def test_what_a_codec_could_not_do_now_may_pass_whatever_its_kind(error: type[Exception], may_pass: bool) -> None:
    name = error.__name__ if error is ValueError else f"{error.__module__}.{error.__name__}"
    found = explained(RuntimeError(SAID.format(error=name)))
    assert str(found) == f"{error.__name__}: it is down"
    assert found.may_pass is may_pass


def test_an_error_that_nobody_here_knows_does_not_pass() -> None:
    assert not explained(RuntimeError(SAID.format(error="some.where.OddError"))).may_pass


def test_a_worker_that_was_slow_to_start_may_be_in_time_later() -> None:
    said = "[STREAM_FAILED] Query [id = 1] terminated with exception: Python worker failed to connect back. SQLSTATE: XXKST"
    assert explained(RuntimeError(said)).may_pass
