"""The Java process that the commands of all pages share, since starting it takes longer than most commands."""

import os
from pathlib import Path
from unittest.mock import patch

from pyspark import SparkConf
from pyspark.java_gateway import launch_gateway

from eddyline.adapters.spark.driver.java import module_path
from eddyline.adapters.spark.driver.session_settings import java_settings

_EXIT_TIMEOUT_S = 120.0


class SharedJava:
    """A Java process for one command on Spark after the other; they find it as under spark-submit.

    Attributes:
        variables: What the commands have in their environment.
    """

    def __init__(self, log: Path) -> None:
        conf = SparkConf(loadDefaults=False).setAll(list(java_settings({}).items()))
        environment = {"PYTHONPATH": module_path(), "PYTHONSAFEPATH": "1"}
        with log.open("ab") as output, patch.dict(os.environ, environment):
            self._gateway = launch_gateway(conf, {"stdout": output, "stderr": output, "process_group": 0})  # type: ignore[no-untyped-call]
        parameters = self._gateway.java_parameters
        self.variables = {"PYSPARK_GATEWAY_PORT": str(parameters.port), "PYSPARK_GATEWAY_SECRET": parameters.auth_token}

    def stop_session(self) -> None:
        """Stop the session of a command that has ended, as the end of its own Java process would."""
        companion = getattr(self._gateway.jvm.org.apache.spark, "SparkContext$")
        active = getattr(companion, "MODULE$").getActive()
        if active.isDefined():
            active.get().stop()

    def close(self) -> None:
        """End the process."""
        self._gateway.shutdown()
        self._gateway.proc.stdin.close()
        self._gateway.proc.wait(_EXIT_TIMEOUT_S)
