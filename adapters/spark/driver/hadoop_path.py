"""Paths of Hadoop's file systems, such as `s3a://bucket/checkpoints`, with the methods of pathlib that a checkpoint needs."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeAlias
from uuid import uuid4

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from eddyline.adapters.spark.failures import EngineError

_SETTINGS: Final = "spark.hadoop."
_MISSING: Final = "java.io.FileNotFoundException"
_EXISTS: Final = ("FileAlreadyExistsException", "RemoteFileChangedException")
_PRECONDITION_FAILED: Final = 412
"""The status with which S3 answers who creates a file that exists, and who reads one that was replaced since it was opened."""
_READS: Final = 10
_CONDITIONAL: Final = "fs.option.create.conditional.overwrite"
_APPEARS_WHEN_CLOSED: Final = "fs.capability.outputstream.abortable"
"""Object stores have this capability, such as S3: a file that is written replaces the old one when its stream is closed."""


class Hadoop:
    """Hadoop's file systems, as Spark sees them.

    Args:
        start: returns the gateway to Java, which is started when it is needed.
        settings: settings of Spark; those that begin with `spark.hadoop` are of the file systems.
    """

    def __init__(self, start: Callable[[], Any], settings: Mapping[str, str]) -> None:
        self._start, self._settings = start, settings

    @cached_property
    def jvm(self) -> Any:
        """Java, with the classes of Hadoop."""
        return self._start().jvm

    @cached_property
    def configuration(self) -> Any:
        """The configuration, with the settings `spark.hadoop.…`."""
        spark = getattr(self.jvm, "org.apache.spark.SparkConf")(True)  # noqa: FBT003 - a parameter of Java
        for name, value in self._settings.items():
            if name.startswith(_SETTINGS):
                spark.set(name, value)
        return getattr(self.jvm, "org.apache.spark.deploy.SparkHadoopUtil").get().newConfiguration(spark)

    def java_path(self, uri: str) -> Any:
        """Return a path of Hadoop."""
        return getattr(self.jvm, "org.apache.hadoop.fs.Path")(uri)


class HadoopPath:
    """A file or directory of a file system of Hadoop.

    Raises:
        EngineError: Hadoop has no file system for the URI, or it cannot be reached.
    """

    def __init__(self, hadoop: Hadoop, uri: str) -> None:
        self._hadoop, self._uri = hadoop, uri.rstrip("/")

    def __str__(self) -> str:
        return self._uri

    def __truediv__(self, name: str) -> "HadoopPath":
        return HadoopPath(self._hadoop, f"{self._uri}/{name}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HadoopPath) and other._uri == self._uri

    def __hash__(self) -> int:
        return hash(self._uri)

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self._uri.rpartition("/")[2]

    @property
    def parent(self) -> "HadoopPath":
        """The directory that the path is in."""
        return HadoopPath(self._hadoop, self._uri.rpartition("/")[0])

    @property
    def scheme(self) -> str:
        """The scheme of the URI, such as `s3a`."""
        return self._uri.partition(":")[0]

    def absolute(self) -> "HadoopPath":
        """Return the path itself."""
        return self

    def with_name(self, name: str) -> "HadoopPath":
        """Return the path of another file or directory in the same directory."""
        return self.parent / name

    @property
    def local_path(self) -> Path | None:
        """The path on a disk that all machines have, None if it is in another file system."""
        return Path(self.java.toUri().getPath()) if self.scheme == "file" else None

    def as_uri(self) -> str:
        """Return the URI with escapes for what a URI cannot have, such as spaces."""
        return str(self.java.toUri())

    def exists(self) -> bool:
        """Return whether there is such a file or directory."""
        return bool(self._call(lambda: self._files.exists(self.java)))

    def mkdir(self, _mode: int = 0o700, *, parents: bool = True, exist_ok: bool = True) -> None:
        """Create the directory and those that it is in, unless it exists."""
        del parents, exist_ok
        self._call(lambda: self._files.mkdirs(self.java))

    def glob(self, _pattern: str) -> Iterator["HadoopPath"]:
        """Yield what is in the directory; nothing if there is no such directory."""
        statuses: Any = ()
        with suppress(FileNotFoundError):
            statuses = self._call(lambda: self._files.listStatus(self.java))
        yield from (self / status.getPath().getName() for status in statuses)

    def read_text(self, encoding: str = "utf-8") -> str:
        """Return the content of the file, read again if it is replaced meanwhile. Raises FileNotFoundError."""

        def read() -> bytes:
            stream = self._files.open(self.java)
            try:
                found: bytes = getattr(self._hadoop.jvm, "org.apache.commons.io.IOUtils").toByteArray(stream)
                return found
            finally:
                stream.close()

        for _ in range(_READS):
            with suppress(FileExistsError):
                return bytes(self._call(read)).decode(encoding)
        raise self._inaccessible("it is replaced again and again while it is read")

    def write_text(self, text: str) -> None:
        """Write the file; readers see the old content or the new one, also while it is replaced."""
        if self.scheme == "file":
            self._put_local(text, Path.replace)
        elif self._call(lambda: self._files.hasPathCapability(self.java, _APPEARS_WHEN_CLOSED)):
            self.write_bytes(text.encode())
        else:
            part = self.parent / f".{self.name}.{uuid4().hex}"
            part.write_bytes(text.encode())
            self._call(lambda: self._replace_with(part))

    def write_bytes(self, data: bytes) -> None:
        """Write the file, which readers may see before it is complete."""
        self._call(lambda: _store(self._files.create(self.java, True), data))  # noqa: FBT003 - a parameter of Java

    def create_text(self, text: str) -> bool:
        """Create the file with this content; return False, and leave it as it is, if it exists already."""

        def create() -> None:
            builder = self._files.createFile(self.java).overwrite(False).recursive()  # noqa: FBT003 - a parameter of Java
            _store(builder.opt(_CONDITIONAL, True).build(), text.encode())  # noqa: FBT003 - likewise

        try:
            if self.scheme == "file":
                self._put_local(text, lambda part, path: path.hardlink_to(part))
            else:
                self._call(create)
        except FileExistsError:
            return False
        return self.read_text() == text

    def rename(self, target: "HadoopPath") -> "HadoopPath":
        """Give the file or directory another name, and return it."""
        if not self._call(lambda: self._files.rename(self.java, target.java)):
            raise EngineError(f"cannot rename '{self}' to '{target}'; check the permissions of the file system")
        return target

    def remove(self) -> None:
        """Delete the file, or the directory with all that is in it, if it exists."""
        self._call(lambda: self._files.delete(self.java, True))  # noqa: FBT003 - a parameter of Java

    def size(self) -> tuple[int, int]:
        """Return the bytes in the directory, and the number of its files."""
        summary = self._call(lambda: self._files.getContentSummary(self.java))
        return summary.getLength(), summary.getFileCount()

    @cached_property
    def java(self) -> Any:
        """The path as Hadoop has it."""
        return self._hadoop.java_path(self._uri)

    @cached_property
    def _files(self) -> Any:
        files = self._call(lambda: self.java.getFileSystem(self._hadoop.configuration))
        if self.scheme == "file":
            files.setWriteChecksum(False)
        return files

    def _put_local(self, text: str, put: Callable[[Path, Path], object]) -> None:
        """Write a file on a disk beside this one, and `put` it in its place in one step, for which Hadoop takes two."""
        path = Path(self.java.toUri().getPath())
        part = path.with_name(f".{path.name}.{uuid4().hex}")
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8")
        try:
            put(part, path)
        finally:
            part.unlink(missing_ok=True)

    def _replace_with(self, part: "HadoopPath") -> None:
        context = getattr(self._hadoop.jvm, "org.apache.hadoop.fs.FileContext").getFileContext(
            self.java.toUri(), self._hadoop.configuration
        )
        rename = getattr(self._hadoop.jvm, "org.apache.hadoop.fs.Options$Rename")
        options = self._hadoop.jvm.java.lang.reflect.Array.newInstance(rename.OVERWRITE.getClass(), 1)
        options[0] = rename.OVERWRITE
        context.rename(part.java, self.java, options)

    def _call(self, operation: Callable[[], Any]) -> Any:
        try:
            return operation()
        except Py4JJavaError as error:
            raised = error.java_exception
            name = raised.getClass().getName()
            if name == _MISSING:
                raise FileNotFoundError(str(self)) from error
            if name.endswith(_EXISTS) or _is_precondition_failed(raised):
                raise FileExistsError(str(self)) from error
            raise self._inaccessible(raised.getMessage() or name) from error
        except PySparkException as error:  # PySpark replaces some exceptions of Java as soon as there is a session
            raise self._inaccessible(str(error)) from error

    def _inaccessible(self, reason: str) -> EngineError:
        return EngineError(
            f"checkpoint '{self}' cannot be accessed: {reason}; check checkpoint.dir, and the settings 'spark.hadoop.…' and"
            " 'spark.jars.packages' of its file system"
        )


def _store(stream: Any, data: bytes) -> None:
    try:
        stream.write(data)
    finally:
        stream.close()


def _is_precondition_failed(raised: Any) -> bool:
    while raised is not None:
        if raised.getClass().getSimpleName() == "S3Exception":
            return bool(raised.statusCode() == _PRECONDITION_FAILED)
        raised = raised.getCause()
    return False


Location: TypeAlias = Path | HadoopPath
"""Where a checkpoint is."""
