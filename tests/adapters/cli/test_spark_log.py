import subprocess
import sys
from pathlib import Path

import pytest

from eddyline.adapters.cli.spark_log import spark_output_to


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
