"""The names of what lies in a checkpoint's folder beside Spark's own files."""

from typing import Final

IDENTITY_FILE: Final = "eddyline.json"
LOCK_FILE: Final = "eddyline.lock"
