"""What the long tests print of their results."""

import sys
from collections.abc import Callable, Sequence
from typing import Final

from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.application.ports.event_sink import SinkRecord
from tests.adapters.spark.kills.kafka_flows import VARIANTS, differences, expected_updates, results

_SHOWN: Final = 10


def has_passed(settings: KafkaSettings, records: Sequence[SinkRecord], survived: str, tell: Callable[[str], None]) -> bool:
    """Compare the results of all variants with those of a run without interruptions, and print the verdict.

    Args:
        settings: Of the clients of Kafka.
        records: The trades that the variants have processed.
        survived: What has happened meanwhile, for the verdict.
        tell: Prints a line.
    """
    expected = expected_updates(records)
    updates = sum(map(len, expected.values()))
    passed = True
    for variant in VARIANTS:
        found = results(settings, variant.topic)
        lines = differences(variant, found, expected)
        passed = passed and not lines
        tell(f"{variant.topic}: {len(found):,} records of {len(expected)} keys, {len(lines)} differences")
        sys.stdout.writelines(f"    {line}\n" for line in lines[:_SHOWN])
    verdict = "nothing lost, nothing duplicated" if passed else "results are lost or duplicated"
    tell(f"{len(records):,} trades, {updates:,} updates, {survived}: {verdict}")
    return passed
