"""The flows by name."""

from collections.abc import Sequence

from eddyline.application.flows.beaconing import beaconing
from eddyline.application.flows.captcha import captcha
from eddyline.application.flows.cdc_table import cdc_table
from eddyline.application.flows.clickstream import clickstream
from eddyline.application.flows.daily_range import daily_range
from eddyline.application.flows.device_maintenance import device_maintenance
from eddyline.application.flows.fb_notifications import fb_notifications
from eddyline.application.flows.flow import Flow
from eddyline.application.flows.hotel_reservations import hotel_reservations
from eddyline.application.flows.inventory import inventory
from eddyline.application.flows.log_triage import log_triage
from eddyline.application.flows.notification_metrics import notification_metrics
from eddyline.application.flows.popular_products import popular_products
from eddyline.application.flows.product_counter import product_counter
from eddyline.application.flows.stock_stats import stock_stats
from eddyline.application.flows.top_movers import top_movers_of_the_day
from eddyline.application.flows.word_count import word_count
from eddyline.application.topology.errors import listed

FLOWS: tuple[Flow, ...] = (
    Flow("word-count", "Counts how often each word occurs in lines of text.", word_count),
    Flow("stock-stats", "Counts trades and tells their lowest and average price, a ticker and window.", stock_stats),
    Flow("popular-products", "Tells once when a page reaches a number of views.", popular_products),
    Flow("product-counter", "Counts views of products and tells all counts at every tick.", product_counter),
    Flow("inventory", "Keeps what each store has in stock, from restocks and sales.", inventory),
    Flow("log-triage", "Sorts log events by severity into a topic for high ones and one for the rest.", log_triage),
    Flow("notification-metrics", "Counts the notifications of each user in windows of time.", notification_metrics),
    Flow("daily-range", "Tells the lowest, highest and average price of each day of a time zone.", daily_range),
    Flow("hotel-reservations", "Shows all reservations of a guest at once and reports confirmations owed.", hotel_reservations),
    Flow("top-movers", "Lists the shares that moved most, at every change.", top_movers_of_the_day),
    Flow("clickstream", "Tells each click with who clicked and what was searched for around that time.", clickstream),
    Flow("captcha", "Asks browsers that act often for a captcha, until they have solved one.", captcha),
    Flow("fb-notifications", "Notifies users whose last action shows that they are not looking.", fb_notifications),
    Flow("device-maintenance", "Calls for maintenance of machines that run hot and rough, or fall silent.", device_maintenance),
    Flow("beaconing", "Finds hosts that call one unknown destination at suspiciously regular intervals.", beaconing),
    Flow("cdc-table", "Keeps a database's table up by its change events and tells purchases with it.", cdc_table),
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
