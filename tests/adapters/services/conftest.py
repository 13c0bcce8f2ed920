from collections.abc import Callable
from pathlib import Path

import pytest

_LISTEN = "0A"
_LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}


@pytest.fixture
def foreign_listeners() -> Callable[[int], list[str]]:
    """Return a function that finds the addresses outside loopback that a process listens on, read from /proc."""

    def find(pid: int) -> list[str]:
        inodes = {target[8:-1] for target in map(_target, Path(f"/proc/{pid}/fd").iterdir()) if target.startswith("socket:[")}
        rows = [
            line.split() for table in ("tcp", "tcp6") for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]
        ]
        listening = [row[1] for row in rows if row[3] == _LISTEN and row[9] in inodes]
        assert listening, f"process {pid} does not listen on any port"
        return [address for address in listening if address.partition(":")[0] not in _LOOPBACK]

    return find


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except FileNotFoundError:
        return ""
