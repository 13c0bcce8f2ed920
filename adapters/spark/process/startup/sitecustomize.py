"""Makes Python import the installed pyspark, whose byte code is cached, and not Spark's zip, which each process would compile.

What Java starts for the queries of a session runs in forks, if it can.
"""

import sys
from importlib import import_module
from pathlib import Path

_without_zip = [entry for entry in sys.path if not entry.endswith("pyspark.zip")]
if any(Path(entry, "pyspark").is_dir() for entry in _without_zip):
    sys.path[:] = _without_zip
if sys.orig_argv[-1].startswith(("pyspark.sql.streaming.", "pyspark.sql.worker.")):
    import_module("eddyline_fork_client").run_in_fork()  # in the folder of this module, of which Python does not know the package
