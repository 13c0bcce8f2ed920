import subprocess
import sys
import threading
from pathlib import Path

import pytest

from eddyline.adapters.cli.spark_log import followed, spark_output_to


def test_the_output_of_other_processes_goes_to_the_file_and_ours_to_standard_error(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    child = [sys.executable, "-c", "import sys; print('noise', file=sys.stderr)"]
    with spark_output_to(tmp_path / "new/spark.log"):
        subprocess.run(child, check=True)
        print("ours", file=sys.stderr)  # noqa: T201 - the point of the test
    subprocess.run(child, check=True)
    assert (tmp_path / "new/spark.log").read_text() == "noise\n"
    assert capfd.readouterr().err == "ours\nnoise\n"


def test_lines_that_are_appended_to_a_file_are_received_in_order_once_they_are_complete(tmp_path: Path) -> None:
    file = tmp_path / "spark.log"
    file.write_bytes(b"before\n")
    received: list[str] = []
    second = threading.Event()

    def receive(line: str) -> None:
        received.append(line)
        if line == "two":
            second.set()

    with followed(file, receive), file.open("ab", buffering=0) as log:
        log.write(b"one\ntw")
        log.write(b"o\n\xff\nthr")
        assert second.wait(120)
        log.write(b"ee\nunfinished")
    assert received == ["one", "two", "\ufffd", "three"]
