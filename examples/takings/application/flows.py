"""The flows of this project; `eddyline` finds them by `--flows application.flows` or by the entry point in pyproject.toml."""

from domain.takings import BusyShop, Payment, Takings

from eddyline import Flow, TopologyBuilder, Windowed, tumbling


def busy_shops(builder: TopologyBuilder, *, limit: float = 1_000.0, size_ms: int = 60_000, grace_ms: int = 10_000) -> None:
    """Read payments by till; write a fact for each shop whose takings of a window exceed the limit."""

    def exceeds_limit(_shop: Windowed[str], takings: Takings) -> bool:
        return takings.exceed(limit)

    (
        builder.stream("payments", key=str, value=Payment)
        .filter(lambda _till, payment: payment is not None)
        .group_by(shop_of, key=str, name="by-shop")
        .windowed_by(tumbling(size_ms, grace=grace_ms))
        .aggregate(Takings, Takings.add, merge=Takings.merge, store="takings")
        .to_stream()
        .filter(exceeds_limit)
        .map(report)
        .to("busy-shops")
    )


def shop_of(_till: str, payment: Payment) -> str:
    """Return the shop that a payment belongs to."""
    return payment.shop


def report(shop: Windowed[str], takings: Takings) -> tuple[str, BusyShop]:
    """Return the fact to report, by shop."""
    return shop.key, takings.busy(shop.key)


FLOWS = (Flow("busy-shops", "Reports shops whose takings of a minute exceed a limit.", busy_shops),)
