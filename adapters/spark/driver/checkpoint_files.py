"""The names of the files in a checkpoint's folder that are not Spark's own, and of the folder with those that are."""

from typing import Final

IDENTITY_FILE: Final = "eddyline.json"
LOCK_FILE: Final = "eddyline.lock"
LOG_FILE: Final = "spark.log"
QUERY_FOLDER: Final = "spark"
LEASE_FOLDER: Final = "eddyline.lease"
