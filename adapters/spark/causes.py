"""What has gone wrong, in the text of an exception of Spark: Spark wraps the cause into messages about jobs and queries."""

import re
from collections.abc import Mapping
from typing import Final

_EXPLANATIONS: Final[Mapping[str, str]] = {
    r"ModuleNotFoundError: No module named '(?P<module>[^']+)'": (
        "executors do not have module '{module}'; bring it to them in a package: eddyline package FILE --flows …, "
        "then run the flow with --package FILE"
    ),
    r'Cannot run program "(?P<program>[^"]+)"(?: \(in directory "[^"]*"\))?: (?P<reason>[^\n]+)': (
        "Spark cannot start Python '{program}': {reason}; install it on this machine and on those of the executors, "
        "or set spark.pyspark.python to one that they have"
    ),
    r"\[PYTHON_VERSION_MISMATCH\] (?P<reason>[^\n]+?)\.?(?:\n|$)": (
        "{reason}; set spark.pyspark.python to a Python of the same version"
    ),
    r"failed (?P<times>\d+) times[^\n]*?ExecutorLostFailure \([^\n]*?\) Reason: (?P<reason>[^\n]+)": (
        "executors ended in the middle of a task, {times} times; the last one: {reason}; if they were killed for lack of memory, "
        "lower max.batch.records or raise spark.executor.memoryOverhead"
    ),
    r"Master removed our application: |Cannot call methods on a stopped SparkContext": (
        "the cluster has ended the application; the reason is in the logs of its master and workers"
    ),
    r"most recent failure: Lost task [^\n]*?executor [^)\n]*\): (?:[\w.$]+(?:Exception|Error): )?(?P<reason>[^\n]+)": (
        "a task failed on an executor: {reason}"
    ),
    r"Job aborted due to stage failure: (?P<reason>[^\n]+)": "Spark has ended a job: {reason}",
    r"(?s:.*)\n\s*Caused by: (?:[\w$]+\.)*(?P<reason>[^\n]+)": "Spark failed: {reason}",
}
"""How to explain what a pattern finds; the first one that does is taken."""


def cause_in(text: str) -> str | None:
    """Return the cause of a failure and how to fix it, None if the text of the exception has none that is known."""
    for pattern, explanation in _EXPLANATIONS.items():
        found = re.search(pattern, text)
        if found is not None:
            return explanation.format(**found.groupdict())
    return None
