"""Limits on the work of one answer."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Limits on the work of one answer.

    Attributes:
        records: The number of records that are replayed to find the inputs.
        first: The number of records before a result that are replayed first, if the state of the flow forgets old records; then
            ten times as many, then all.
        tests: The number of records that are replayed to test them.
        history: The number of records up to which inputs are looked for among all that were processed, if tracking alone does
            not find those that a processor remembers outside of its stores.
        results: The number of results that are listed for a record.
    """

    records: int = 1_000_000
    first: int = 10_000
    tests: int = 50_000
    history: int = 5_000
    results: int = 20


class UnknownSubjectError(LookupError):
    """There is no such result, record, store or entry; the message says what there is."""
