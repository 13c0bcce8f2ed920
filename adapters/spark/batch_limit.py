"""The limit of the records in a batch, from the driver to the process that plans batches, which Java starts beside it."""

import uuid
from pathlib import Path


class BatchLimit:
    """A file with the limit; it can be pickled.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    @classmethod
    def in_folder(cls, folder: Path, records: int) -> "BatchLimit":
        """Return a limit in a new file of a folder, set to `records`."""
        limit = cls(folder / f"batch-limit-{uuid.uuid4().hex}")
        limit.set(records)
        return limit

    def set(self, records: int) -> None:
        """Set the limit of the batches that are planned from now on."""
        written = self._path.with_suffix(".new")
        written.write_text(str(records))
        written.replace(self._path)

    def get(self, default: int) -> int:
        """Return the limit, or `default` if the file is gone."""
        try:
            return int(self._path.read_text())
        except FileNotFoundError:
            return default
