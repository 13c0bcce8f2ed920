"""The catalogue of samples: the flows, and the simulators of their input."""

from eddyline import Flow
from eddyline.application.flows import registry
from eddyline.application.samples import views
from eddyline.application.samples.clickstream.alerts import POPULAR_ALERTS
from eddyline.application.samples.clickstream.clickstream import clickstream
from eddyline.application.samples.clickstream.popular_products import popular_products
from eddyline.application.samples.clickstream.search_results import search_results
from eddyline.application.samples.clickstream.simulator import (
    simulate_clickstream,
    simulate_popular_products,
    simulate_search_results,
    simulate_user_360,
)
from eddyline.application.samples.clickstream.user_360 import user_360
from eddyline.application.samples.hospitality.alerts import MISSED_CONFIRMATIONS
from eddyline.application.samples.hospitality.hotel_reservations import hotel_reservations
from eddyline.application.samples.hospitality.simulator import simulate_hotel_reservations
from eddyline.application.samples.notifications.fb_notifications import fb_notifications
from eddyline.application.samples.notifications.notification_metrics import notification_metrics
from eddyline.application.samples.notifications.simulator import simulate_fb_notifications, simulate_notification_metrics
from eddyline.application.samples.operations.alerts import MAINTENANCE_REQUESTS, OVERLOADS
from eddyline.application.samples.operations.device_maintenance import device_maintenance
from eddyline.application.samples.operations.load_percentiles import load_percentiles
from eddyline.application.samples.operations.log_triage import log_triage
from eddyline.application.samples.operations.simulator import (
    simulate_device_maintenance,
    simulate_load_percentiles,
    simulate_log_triage,
)
from eddyline.application.samples.payments.alerts import REFUSED_PAYMENTS
from eddyline.application.samples.payments.payment_approval import payment_approval
from eddyline.application.samples.payments.simulator import simulate_payment_approval
from eddyline.application.samples.retail.cdc_table import cdc_table
from eddyline.application.samples.retail.inventory import inventory
from eddyline.application.samples.retail.product_counter import product_counter
from eddyline.application.samples.retail.shoe_store import shoe_store
from eddyline.application.samples.retail.simulator import (
    simulate_cdc_table,
    simulate_inventory,
    simulate_product_counter,
    simulate_shoe_store,
    simulate_weekly_products,
)
from eddyline.application.samples.retail.weekly_products import weekly_products
from eddyline.application.samples.sales.alerts import LARGE_SALES
from eddyline.application.samples.sales.large_sales import large_sales
from eddyline.application.samples.sales.simulator import simulate_large_sales
from eddyline.application.samples.security.alerts import BEACONS
from eddyline.application.samples.security.beaconing import beaconing
from eddyline.application.samples.security.captcha import captcha
from eddyline.application.samples.security.simulator import simulate_beaconing, simulate_captcha
from eddyline.application.samples.simulation import Simulator
from eddyline.application.samples.simulation.events import HOUR, MINUTE, SECOND
from eddyline.application.samples.text.simulator import simulate_word_count
from eddyline.application.samples.text.word_count import word_count
from eddyline.application.samples.trading.daily_range import daily_range
from eddyline.application.samples.trading.simulator import simulate_daily_range
from eddyline.application.samples.trading.stock_stats import stock_stats
from eddyline.application.samples.trading.top_movers import top_movers

FLOWS: tuple[Flow, ...] = (
    Flow("word-count", "Counts how often each word occurs in lines of text.", word_count, context="text", views=views.WORD_COUNT),
    Flow(
        "stock-stats",
        "Computes the number, lowest and average price of asks per ticker and hopping window.",
        stock_stats,
        emit="latest",
        names="camelCase",
        context="trading",
        views=views.STOCK_STATS,
    ),
    Flow(
        "popular-products",
        "Emits an alert when a page reaches a number of views.",
        popular_products,
        context="clickstream",
        views=views.POPULAR_PRODUCTS,
        alerts=(POPULAR_ALERTS,),
    ),
    Flow(
        "product-counter",
        "Counts the views of each product and emits all counts at intervals.",
        product_counter,
        context="retail",
        views=views.PRODUCT_COUNTER,
    ),
    Flow(
        "inventory",
        "Maintains the stock of each store from its restocks and sales.",
        inventory,
        names="camelCase",
        context="retail",
        views=views.INVENTORY,
    ),
    Flow(
        "log-triage",
        "Separates log events of high severity from all others.",
        log_triage,
        context="operations",
        views=views.LOG_TRIAGE,
    ),
    Flow(
        "notification-metrics",
        "Counts the notifications per user and hopping window.",
        notification_metrics,
        context="notifications",
        views=views.NOTIFICATION_METRICS,
    ),
    Flow(
        "daily-range",
        "Computes the lowest, highest and average price per instrument and day of a time zone.",
        daily_range,
        emit="latest",
        context="trading",
        views=views.DAILY_RANGE,
    ),
    Flow(
        "hotel-reservations",
        "Shows all reservations of a guest and reports bookings that are not confirmed in time.",
        hotel_reservations,
        names="camelCase",
        context="hospitality",
        views=views.HOTEL_RESERVATIONS,
        alerts=(MISSED_CONFIRMATIONS,),
    ),
    Flow(
        "top-movers",
        "Lists the shares whose prices moved most.",
        top_movers,
        names="camelCase",
        context="trading",
        views=views.TOP_MOVERS,
    ),
    Flow(
        "clickstream",
        "Joins clicks with the profiles and the searches of their users.",
        clickstream,
        names="camelCase",
        context="clickstream",
        views=views.CLICKSTREAM,
    ),
    Flow(
        "captcha",
        "Requests a captcha from browsers that act often until they have solved one.",
        captcha,
        names="camelCase",
        context="security",
        views=views.CAPTCHA,
    ),
    Flow(
        "fb-notifications",
        "Notifies users whose last action shows that they are not looking.",
        fb_notifications,
        context="notifications",
        views=views.FB_NOTIFICATIONS,
    ),
    Flow(
        "device-maintenance",
        "Requests maintenance of machines that run hot and rough or fall silent.",
        device_maintenance,
        context="operations",
        views=views.DEVICE_MAINTENANCE,
        alerts=(MAINTENANCE_REQUESTS,),
    ),
    Flow(
        "beaconing",
        "Finds hosts that call an unknown destination at suspiciously regular intervals.",
        beaconing,
        names="camelCase",
        context="security",
        views=views.BEACONING,
        alerts=(BEACONS,),
    ),
    Flow(
        "cdc-table",
        "Replicates a database table from its change events and joins purchases with it.",
        cdc_table,
        names="camelCase",
        context="retail",
        views=views.CDC_TABLE,
    ),
    Flow(
        "search-results",
        "Lists which pages users open after each search query, and counts clicks per page and zip code.",
        search_results,
        names="camelCase",
        context="clickstream",
        views=views.SEARCH_RESULTS,
    ),
    Flow(
        "user-360",
        "Shows who each user is and what it clicked and searched in each minute.",
        user_360,
        names="camelCase",
        context="clickstream",
        views=views.USER_360,
    ),
    Flow(
        "shoe-store",
        "Maintains the stock, the money and the number of transactions of shoe stores, with returns.",
        shoe_store,
        names="camelCase",
        context="retail",
        views=views.SHOE_STORE,
    ),
    Flow(
        "weekly-products",
        "Lists the products of the week, those of which most pieces were ordered.",
        weekly_products,
        emit="latest",
        context="retail",
        views=views.WEEKLY_PRODUCTS,
    ),
    Flow(
        "payment-approval",
        "Decides which payments by card are approved, before any money moves.",
        payment_approval,
        context="payments",
        views=views.PAYMENT_APPROVAL,
        alerts=(REFUSED_PAYMENTS,),
    ),
    Flow(
        "load-percentiles",
        "Computes the median and the 99th percentile of the load per service and window, and reports overloads.",
        load_percentiles,
        context="operations",
        views=views.LOAD_PERCENTILES,
        alerts=(OVERLOADS,),
    ),
    Flow(
        "large-sales",
        "Reports each sale over an amount to the person who made it.",
        large_sales,
        context="sales",
        views=views.LARGE_SALES,
        alerts=(LARGE_SALES,),
    ),
)

SIMULATORS: tuple[Simulator, ...] = (
    Simulator(
        "word-count",
        "Lines of text.",
        ("text-lines",),
        simulate_word_count,
        live={"lines": 18_000},
    ),
    Simulator(
        "clickstream",
        "Clicks, profiles and searches of users.",
        ("clicks", "profiles", "searches"),
        simulate_clickstream,
        live={"users": 600, "visits": 2},
        history_ms=10 * MINUTE,
        delay_ms=2 * SECOND,
    ),
    Simulator(
        "fb-notifications",
        "Users who come and go, and ticks.",
        ("user-actions", "ticks"),
        simulate_fb_notifications,
        live={"minutes": 120},
        history_ms=10 * MINUTE,
    ),
    Simulator(
        "notification-metrics",
        "Notifications to users, some late.",
        ("notifications",),
        simulate_notification_metrics,
        live={"users": 200, "out_of_order": 0.1},
        history_ms=20 * MINUTE,
        delay_ms=15 * MINUTE,
        out_of_order=0.02,
    ),
    Simulator(
        "captcha",
        "Actions of people and robots, and captchas.",
        ("actions", "captchas-solved"),
        simulate_captcha,
        live={"humans": 40, "robots": 50},
    ),
    Simulator(
        "popular-products",
        "Views of pages.",
        ("page-views",),
        simulate_popular_products,
        live={"pages": 12},
        history_ms=265 * SECOND,
    ),
    Simulator(
        "product-counter",
        "Views of products.",
        ("product-views",),
        simulate_product_counter,
        live={"views": 36_000},
    ),
    Simulator(
        "inventory",
        "Restocks and sales of stores.",
        ("items",),
        simulate_inventory,
        live={"sales": 3_600, "skus": 30},
        history_ms=30 * MINUTE,
        delay_ms=MINUTE,
    ),
    Simulator(
        "log-triage",
        "Log entries of services, some in trouble.",
        ("logs",),
        simulate_log_triage,
        live={"entries": 5_000, "incidents": 30},
        history_ms=2 * MINUTE,
    ),
    Simulator(
        "hotel-reservations",
        "Bookings, changes and confirmations.",
        ("bookings", "booking-changes", "cancellations", "confirmations"),
        simulate_hotel_reservations,
        live={"guests": 2_000, "missed": 0.2},
        history_ms=30 * MINUTE,
        delay_ms=20 * SECOND,
        out_of_order=0.05,
    ),
    Simulator(
        "device-maintenance",
        "Sensor readings of machines, and services.",
        ("sensor-readings", "services"),
        simulate_device_maintenance,
        live={"worn": 20, "silent": 20},
        history_ms=30 * MINUTE,
        delay_ms=20 * SECOND,
    ),
    Simulator(
        "beaconing",
        "Connections of hosts, some with malware.",
        ("connections", "known-destinations"),
        simulate_beaconing,
        live={"hosts": 12, "infected": 4, "hours": 24},
        history_ms=13 * HOUR,
        delay_ms=30 * SECOND,
        out_of_order=0.01,
    ),
    Simulator(
        "cdc-table",
        "Change events of a table, and purchases.",
        ("customer-changes", "purchases"),
        simulate_cdc_table,
        live={"steps": 2_000, "restarts": 0.1, "spoilt": 0.3},
    ),
    Simulator(
        "daily-range",
        "Prices of instruments, and crashes.",
        ("prices",),
        simulate_daily_range,
        live={"prices": 7_200, "hours": 1, "crashes": 80},
        delay_ms=MINUTE,
    ),
    Simulator(
        "search-results",
        "Searches, and clicks on their results.",
        ("searches", "clicks", "profiles"),
        simulate_search_results,
        live={"minutes": 60, "trends": 80},
        delay_ms=2 * SECOND,
    ),
    Simulator(
        "user-360",
        "Clicks and searches of users and robots.",
        ("clicks", "searches", "profiles"),
        simulate_user_360,
        live={"minutes": 60, "robots": 80},
        delay_ms=5 * SECOND,
    ),
    Simulator(
        "shoe-store",
        "Shipments, sales and returns of shoes.",
        ("shoe-transactions",),
        simulate_shoe_store,
        live={"sales": 3_600, "frauds": 0.15},
        history_ms=30 * MINUTE,
    ),
    Simulator(
        "weekly-products",
        "Orders of products.",
        ("orders",),
        simulate_weekly_products,
        live={"orders": 7_200, "hours": 1, "hypes": 80},
        delay_ms=HOUR,
    ),
    Simulator(
        "payment-approval",
        "Payments by card, and frauds.",
        ("payments",),
        simulate_payment_approval,
        live={"payments": 3_600, "frauds": 240},
    ),
    Simulator(
        "load-percentiles",
        "The load of services, some overloaded.",
        ("service-loads",),
        simulate_load_percentiles,
        live={"minutes": 60, "overloads": 80},
        delay_ms=5 * SECOND,
    ),
    Simulator(
        "large-sales",
        "Sales, a few of them large.",
        ("sales", "sales-people"),
        simulate_large_sales,
        live={"sales": 3_600, "large": 240},
    ),
)


def find_flow(name: str) -> Flow:
    """Return the sample flow of this name.

    Raises:
        UnknownFlowError: There is no such sample.
    """
    return registry.find_flow(name, FLOWS)
