"""The flow whose state is measured: a total for each account."""

from dataclasses import dataclass
from typing import Final

from eddyline.application.topology import Topology, TopologyBuilder

_LARGE: Final = 1e9


@dataclass(frozen=True)
class Total:
    """The payments of an account."""

    payments: int = 0
    amount: float = 0.0
    largest: float = 0.0

    def add(self, amount: float) -> "Total":
        """Return the total with one more payment."""
        return Total(self.payments + 1, self.amount + amount, max(self.largest, amount))


def topology(source: str) -> Topology:
    """Return the topology of the totals; only very large ones are results, so that writing results takes no time."""
    builder = TopologyBuilder()
    (
        builder.stream(source, key=str, value=float)
        .group_by_key()
        .aggregate(Total, Total.add, store="totals")
        .to_stream()
        .filter(lambda _key, total: total.amount > _LARGE)
        .to("large-totals")
    )
    return builder.build()
