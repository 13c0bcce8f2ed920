import os
import stat
from pathlib import Path

import pytest

from eddyline.adapters.files.durable import write_file


@pytest.mark.parametrize("umask", [0, 0o022])
def test_a_new_file_is_readable_by_its_owner_only_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        write_file(tmp_path / "file", b"secret")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o600
    assert (tmp_path / "file").read_bytes() == b"secret"


def test_a_file_that_exists_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(FileExistsError):
        write_file(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"old"
