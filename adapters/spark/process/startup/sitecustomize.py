"""Makes Python import the installed pyspark, whose byte code is cached, and not Spark's zip, which each process would compile."""

import sys
from pathlib import Path

_without_zip = [entry for entry in sys.path if not entry.endswith("pyspark.zip")]
if any(Path(entry, "pyspark").is_dir() for entry in _without_zip):
    sys.path[:] = _without_zip
