"""The flows by name."""

from collections.abc import Sequence

from application.flows.flow import Flow
from application.flows.inventory import inventory
from application.flows.log_triage import log_triage
from application.flows.popular_products import popular_products
from application.flows.product_counter import product_counter
from application.flows.stock_stats import stock_stats
from application.flows.word_count import word_count
from application.topology.errors import listed

FLOWS: tuple[Flow, ...] = (
    Flow("word-count", "Counts how often each word occurs in lines of text.", word_count),
    Flow("stock-stats", "Counts trades and tells their lowest and average price, a ticker and window.", stock_stats),
    Flow("popular-products", "Tells once when a page reaches a number of views.", popular_products),
    Flow("product-counter", "Counts views of products and tells all counts at every tick.", product_counter),
    Flow("inventory", "Keeps what each store has in stock, from restocks and sales.", inventory),
    Flow("log-triage", "Sorts log events by severity into a topic for high ones and one for the rest.", log_triage),
)


class UnknownFlowError(LookupError):
    """There is no flow of this name; the message names those that there are."""


def find_flow(name: str, flows: Sequence[Flow] = FLOWS) -> Flow:
    """The flow of this name. Raises UnknownFlowError."""
    for flow in flows:
        if flow.name == name:
            return flow
    msg = f"flow '{name}' is unknown; there are: {listed(flow.name for flow in flows)}"
    raise UnknownFlowError(msg)
