"""The session of an engine, started when it is needed first, and the file systems that it sees."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pyspark import SparkFiles
from pyspark.sql import SparkSession

from eddyline.adapters.spark.batch_limit import BatchLimit
from eddyline.adapters.spark.driver.checkpoint_lock import CheckpointError
from eddyline.adapters.spark.driver.hadoop_path import Hadoop, HadoopPath, Location
from eddyline.adapters.spark.driver.java import start_java
from eddyline.adapters.spark.driver.session import build_session
from eddyline.adapters.spark.driver.session_settings import MASTER
from eddyline.adapters.spark.settings import check_master, is_cluster, is_uri

_PARALLELISM: Final = "spark.default.parallelism"


class DriverSession:
    """The session of one application.

    Args:
        application_id: The name of the Spark application.
        config: Settings of Spark.
        log_file: Receives the output of Java and of the workers on this machine; by default it goes to the standard streams.
        session: The session to use; by default one is started.
        only_flows: Whether this process uses it for flows alone.

    Raises:
        SparkSettingError: Spark does not accept the master.
    """

    def __init__(
        self,
        application_id: str,
        config: Mapping[str, str],
        log_file: Path | None,
        session: SparkSession | None = None,
        *,
        only_flows: bool = False,
    ) -> None:
        self._application_id, self.settings, self._log_file, self._session = application_id, config, log_file, session
        self._only_flows = only_flows
        if MASTER in config:
            check_master(config[MASTER])

    def location(self, checkpoint_dir: Path | str) -> Location:
        """Return where a checkpoint is: a local directory, or a URI of Hadoop's file systems, which needs Java."""
        if isinstance(checkpoint_dir, str) and is_uri(checkpoint_dir):
            return HadoopPath(Hadoop(lambda: start_java(self.settings, self._log_file), self.settings), checkpoint_dir)
        return Path(checkpoint_dir).absolute()

    def get(self) -> SparkSession:
        """Return the session; start it if there is none."""
        if self._session is None:
            self._session = build_session(
                self._application_id,
                config=self.settings,
                log_file=self._log_file,
                with_workers=True,
                only_flows=self._only_flows,
            )
        return self._session

    def batch_limit(self, records: int) -> BatchLimit:
        """Return a limit of the records in a batch, in a folder that Java deletes at its end."""
        self.get()
        return BatchLimit.in_folder(Path(SparkFiles.getRootDirectory()), records)

    def stop(self) -> None:
        """Stop the session."""
        if self._session is not None:
            self._session.stop()
            self._session = None

    def check_shared(self, location: Location) -> None:
        """Make sure that executors can reach a checkpoint, as far as the master is known before Spark starts.

        Raises:
            CheckpointError: they cannot.
        """
        master = self.settings.get(MASTER) if self._session is None else self._session.sparkContext.master
        if isinstance(location, Path) and master is not None and is_cluster(master):
            raise CheckpointError(
                f"checkpoint '{location}' is on a disk of this machine, which the executors of master '{master}' do not have; "
                "set checkpoint.dir to a URI that they can reach, such as hdfs://…, s3a://… or abfss://…; if all machines share "
                f"this disk, to 'file://{location.parent}'"
            )

    def partitions(self, tasks: int) -> int:
        """Return the number of Spark partitions of a new checkpoint, which keeps them.

        On one machine it is the number of its cores, if there are more tasks. A cluster may grow, and few of its cores are known
        when it starts: there each task has a partition, unless `spark.default.parallelism` says otherwise.
        """
        context = self.get().sparkContext
        if is_cluster(str(context.master)) and context.getConf().get(_PARALLELISM) is None:
            return tasks
        return min(tasks, context.defaultParallelism)
