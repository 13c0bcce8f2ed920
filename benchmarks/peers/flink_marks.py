"""Marks of a job of Flink: a program of its environment prints when the job has reached something."""

import json
import socket
import time
from contextlib import suppress
from threading import Thread
from typing import Any
from urllib.request import urlopen

_POLL_S = 0.2


def mark(name: str, records: int = 0, at: float | None = None) -> None:
    """Print that something was reached `at` a time in seconds since the epoch, by default now."""
    print(f"MARK {name} {time.time() if at is None else at:.3f} {records}", flush=True)


def watched(records: int) -> dict[str, str]:
    """Begin to watch the next job of this process; return the settings that it needs.

    Prints the mark `quarter` when a quarter of the records has been read, and `changed` whenever the job has counted more.

    Args:
        records: How many records the job reads.
    """
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        port = chosen.getsockname()[1]
    Thread(target=_watch, args=(port, records // 4), daemon=True).start()
    return {"rest.port": str(port), "metrics.fetcher.update-interval": str(int(_POLL_S * 1_000))}


def _watch(port: int, quarter: int) -> None:
    """Ask for the counters of the job again and again.

    A request lets Flink fetch them, and is answered before they arrive: its answer has those of the time of the request before.
    """
    counters: list[int] = []
    reached, asked = False, time.time()
    while True:
        time.sleep(_POLL_S)
        before, asked = asked, time.time()
        with suppress(OSError, LookupError):  # no job yet, or none any more
            job = _get(port, "/jobs")["jobs"][0]
            vertices = _get(port, f"/jobs/{job['id']}")["vertices"]
            found = [vertex["metrics"][name] for vertex in vertices for name in ("read-records", "write-records")]
            if found != counters:
                counters = found
                mark("changed", at=before)
            read = sum(vertex["metrics"]["read-records"] for vertex in vertices if vertex["name"].startswith("Source"))
            if read >= quarter and not reached:
                reached = True
                mark("quarter", read, before)


def _get(port: int, path: str) -> Any:
    with urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
        return json.load(answer)
