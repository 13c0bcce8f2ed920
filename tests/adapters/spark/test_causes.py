"""A failure of Spark is reported by its cause, not by the job, the query or the sink in which it happened."""

import pytest

from eddyline.adapters.spark.failures import cause_in, engine_error

_QUERY = (
    "[STREAM_FAILED] Query [id = 1, runId = 2] terminated with exception: [FOREACH_BATCH_USER_FUNCTION_ERROR] An error occurred "
    "in the user provided function in foreach batch sink. Reason: An exception was raised by the Python Proxy.\n"
)
_JOB = (
    "py4j.protocol.Py4JJavaError: An error occurred while calling o369.collectToPython.\n: org.apache.spark.SparkException: Job "
    "aborted due to stage failure: Task 0 in stage 0.0 failed 4 times, most recent failure: Lost task 0.3 in stage 0.0 (TID 3) "
    "(127.0.0.1 executor 1): "
)
_NO_MODULE = (
    "org.apache.spark.SparkException: \nError from python worker:\n  python3.11: Error while finding module specification "
    "for 'eddyline.adapters.spark.process.daemon' (ModuleNotFoundError: No module named 'eddyline')\n"
)
_VERSIONS = "Python in worker has different version: 3.9 than that in driver: 3.11"
_LOST = "ExecutorLostFailure (executor 1 exited caused by one of the running tasks) Reason: Command exited with code 137\nDriver"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (_NO_MODULE, "executors do not have module 'eddyline'; bring it to them in a package: eddyline package FILE --flows …"),
        (
            'java.io.IOException: Cannot run program "python3.99": error=2, No such file or directory\n\tat java.base/x',
            "Spark cannot start Python 'python3.99': error=2, No such file or directory; install it on this machine and",
        ),
        (
            'java.io.IOException: Cannot run program "./env/bin/python" (in directory "./1"): Exec failed, error: 2\n',
            "Spark cannot start Python './env/bin/python': Exec failed, error: 2; install",
        ),
        (f"x.PySparkRuntimeError: [PYTHON_VERSION_MISMATCH] {_VERSIONS}.\n", f"{_VERSIONS}; set spark.pyspark.python to a"),
        (_LOST, "executors ended in the middle of a task, 4 times; the last one: Command exited with code 137; if they were"),
        ("java.lang.IllegalStateException: no state\n\tat x", "a task failed on an executor: no state"),
    ],
)
def test_the_cause_of_a_failed_job_is_reported_with_its_fix(text: str, expected: str) -> None:
    message = str(engine_error(RuntimeError(f"{_QUERY}{_JOB}{text}")))
    assert message.startswith(expected)
    assert "FOREACH_BATCH" not in message


@pytest.mark.parametrize(
    "text",
    [
        "Exiting due to error from cluster scheduler: Master removed our application: FAILED",
        "IllegalStateException: Cannot call methods on a stopped SparkContext.\nThis",
    ],
)
def test_an_application_that_the_cluster_ended_is_reported_as_such(text: str) -> None:
    assert cause_in(text) == "the cluster has ended the application; the reason is in the logs of its master and workers"


def test_a_job_that_spark_ended_is_reported_with_its_reason() -> None:
    job = _JOB.partition("Task 0 in stage")[0]
    reason = "Total size of serialized results of 1 tasks (2.0 GiB) is bigger than spark.driver.maxResultSize (1024.0 MiB)"
    message = str(engine_error(RuntimeError(f"{_QUERY}{job}{reason}\n\tat org.apache.spark.scheduler.DAGScheduler\n")))
    assert message == f"Spark has ended a job: {reason}"


def test_of_other_failures_the_innermost_cause_is_reported() -> None:
    text = "x.SparkException: [CANNOT_COMMIT] no\n\tat y\nCaused by: a.B: c\n\tat d\nCaused by: e.IOException: disk full\n\tat f"
    assert cause_in(text) == "Spark failed: IOException: disk full"


def test_another_text_has_no_known_cause() -> None:
    assert cause_in("something else") is None
