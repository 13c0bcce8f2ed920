"""The event log and the event sink on plain files: a topic is a folder, a partition an append-only file of JSON lines.

The files can be read with `tail -f` and `jq`, and written by hand. The folder `.eddyline` in a topic folder contains the index
that finds offsets quickly and the journal that makes writes idempotent. Standard library only.
"""
