"""A flow with windows, sessions and versions, which the commands find with `--flows tests.features.queries.shop`."""

from eddyline import Flow, TopologyBuilder, session, tumbling, versioned_key_value_store

HISTORY_MS = 1_000_000


def shop(builder: TopologyBuilder) -> None:
    """Count views by product and visit, and keep the versions of prices."""
    views = builder.stream("views", key=str, value=str)
    views.group_by_key().windowed_by(tumbling(10_000, grace=HISTORY_MS)).count(store="views-per-window")
    by_visitor = views.group_by(_visitor, name="by-visitor")
    by_visitor.windowed_by(session(30_000, grace=HISTORY_MS)).count(store="visits")
    builder.table("prices", key=str, value=int, store=versioned_key_value_store("prices", history_retention=HISTORY_MS))


def _visitor(_product: str, visitor: str) -> str:
    return visitor


FLOWS = (Flow("shop", "Counts views and keeps prices.", shop),)
