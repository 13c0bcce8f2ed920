"""Event log and event sink on plain files: a topic is a folder, a partition a JSON-lines file that grows.

Everything can be read with `tail -f` and `jq`, and written by hand; the folder `.eddyline` inside a topic holds what makes
offsets quick to find and batches written once. Standard library only.
"""
