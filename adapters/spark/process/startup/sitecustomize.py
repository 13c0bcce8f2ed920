"""Prefers the installed pyspark, whose byte code is cached, to Spark's zip of sources, which each process would compile again."""

import sys
from pathlib import Path

_places = [place for place in sys.path if not place.endswith("pyspark.zip")]
if any(Path(place, "pyspark").is_dir() for place in _places):
    sys.path[:] = _places
