"""What can be done while Java starts and Spark creates a session, which seldom keep more than one core busy."""

import threading
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Final

from pyspark import SparkContext

_LIBRARIES: Final = ("pyarrow", "pandas")


def import_in_background() -> None:
    """Begin to import the libraries that pyspark imports when it first converts arguments for Java.

    They import no pyspark themselves: two threads that import modules of one package can meet halfway.
    """

    def run() -> None:
        for name in _LIBRARIES:
            with suppress(ImportError):  # pyspark reports it
                import_module(name)

    threading.Thread(target=run, name="import-libraries", daemon=True).start()


def start_workers_in_background(context: SparkContext) -> None:
    """Begin to start the process from which Spark forks the workers of this machine; without it the first job does."""
    attempt_in_background("start-workers", lambda: context.parallelize([0], 1).count())


def attempt_in_background(name: str, action: Callable[[], object]) -> None:
    """Call a function in a thread of this name; its errors are left to the caller that needs the result, and meets them again."""

    def run() -> None:
        with suppress(Exception):
            action()

    threading.Thread(target=run, name=name, daemon=True).start()
