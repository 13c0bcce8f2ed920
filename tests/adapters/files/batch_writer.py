"""A program for tests that kill it: writes numbered batches of one slot, always starting with the first.

Arguments: the root folder, the slot, the number of batches, the number of records per batch.
"""

import sys
from pathlib import Path

from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.application.ports.event_sink import SinkRecord

TOPICS = ("left", "right")
PADDING = "x" * 200


def records(slot: int, batch: int, size: int) -> list[SinkRecord]:
    return [
        SinkRecord(
            TOPICS[number % len(TOPICS)],
            f"{number % 7}".encode(),
            f'{{"at":"{slot}.{batch}.{number}","pad":"{PADDING}"}}'.encode(),
            batch,
        )
        for number in range(size)
    ]


def main(root: str, slot: str, batches: str, size: str) -> None:
    sink = FileEventSink(Path(root))
    for batch in range(int(batches)):
        sink.write("killed", int(slot), batch, records(int(slot), batch, int(size)))
        print(batch, flush=True)  # noqa: T201 - shows the test its progress


if __name__ == "__main__":
    main(*sys.argv[1:])
