"""What the sample flows show on the page of a query server."""

from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Any

from eddyline import Alert, ChartView, FeedView, TableView
from eddyline.application.samples.alert_times import readable_time
from eddyline.application.samples.clickstream.alerts import POPULAR_ALERTS
from eddyline.application.samples.hospitality.alerts import MISSED_CONFIRMATIONS
from eddyline.application.samples.operations.alerts import MAINTENANCE_REQUESTS, OVERLOADS
from eddyline.application.samples.payments.alerts import REFUSED_PAYMENTS
from eddyline.application.samples.security.alerts import BEACONS
from eddyline.domain.clickstream import QueryClicks, UserView
from eddyline.domain.notifications import Notification
from eddyline.domain.retail import Inventory, ProductsOfTheWeek, ProductViews, ShoeStore
from eddyline.domain.trading import Movers


def _pieces(store: str, inventory: Inventory) -> Iterator[Mapping[str, object]]:
    return ({"store": store, "SKU": sku, "pieces": pieces} for sku, pieces in sorted(inventory.stock.items()))


def _movers(group: str, movers: Movers) -> Iterator[Mapping[str, object]]:
    for mover in movers.top(len(movers.by_symbol)):
        yield {"group": group, "symbol": mover.symbol, "change in %": round(mover.change_percent, 2)}


def _count(counted: str) -> Any:
    def rows(key: str, count: int) -> Iterator[Mapping[str, object]]:
        yield {counted: key, "count": count}

    return rows


def _product(product: str, views: ProductViews) -> Iterator[Mapping[str, object]]:
    yield {"product": product, "count": views.count}


def _notification(user: str, notification: Notification) -> Iterator[Mapping[str, object]]:
    yield {"user": user, "notification": notification.message}


def _results(query: str, clicks: QueryClicks) -> Iterator[Mapping[str, object]]:
    found = clicks.results(query, most=3)
    pages = ", ".join(f"{page.page} ({page.clicks})" for page in found.pages)
    yield {"query": query, "clicks": found.clicks, "searches without a click": found.without_click, "best pages": pages}


def _minute(user: str, view: UserView) -> Iterator[Mapping[str, object]]:
    yield {
        "user": user,
        "name": view.user_name or "",
        "zip code": view.zipcode or "",
        "minute": readable_time(view.minute),
        "clicks": view.clicks,
        "pages": ", ".join(view.pages),
        "searches": ", ".join(view.searches),
    }


def _shoes(store: str, after: ShoeStore) -> Iterator[Mapping[str, object]]:
    return ({"store": store, "shoe": shoe, "pairs": pairs} for shoe, pairs in sorted(after.stock.items()))


def _money(store: str, after: ShoeStore) -> Iterator[Mapping[str, object]]:
    yield {"store": store, "money in €": after.money_cents / 100, "transactions": after.transactions}


def _best_products(week: str, best: ProductsOfTheWeek) -> Iterator[Mapping[str, object]]:
    products = ", ".join(f"{product.product} ({product.pieces})" for product in best.products[:3])
    yield {"week": week, "pieces of all products": best.pieces, "best products": products}


def _alerts(title: str, alerts: Alert) -> FeedView:
    def rows(key: Any, value: Any) -> Iterator[Mapping[str, object]]:
        message = alerts.message(key, value)
        yield {"alert": message.subject, "details": message.body}

    return FeedView(title=title, topic=alerts.topic, rows=rows)


STOCK_STATS = (
    ChartView(
        title="Prices",
        topic="stock-stats",
        values={"average price": attrgetter("avg_price"), "lowest price": attrgetter("min_price")},
        unit="per window",
    ),
    ChartView(title="Trades", topic="stock-stats", values={"trades": attrgetter("count_trades")}, unit="per window"),
)
DAILY_RANGE = (
    ChartView(
        title="Prices",
        topic="daily-ranges",
        values={"highest": attrgetter("max"), "average": attrgetter("average"), "lowest": attrgetter("min")},
        unit="per day",
    ),
)
TOP_MOVERS = (TableView(title="Movers", store="movers-store", rows=_movers),)
INVENTORY = (TableView(title="Stock of the stores", store="INVENTORY", rows=_pieces),)
PRODUCT_COUNTER = (TableView(title="Views of products", store="Counts", rows=_product),)
WORD_COUNT = (TableView(title="Words", store="word-count-store", rows=_count("word")),)
POPULAR_PRODUCTS = (
    _alerts("Popular pages", POPULAR_ALERTS),
    TableView(title="Views of pages", store="page-counts", rows=_count("page")),
)
HOTEL_RESERVATIONS = (_alerts("Missed confirmations", MISSED_CONFIRMATIONS),)
DEVICE_MAINTENANCE = (_alerts("Requested maintenance", MAINTENANCE_REQUESTS),)
BEACONING = (_alerts("Beacons", BEACONS),)
FB_NOTIFICATIONS = (FeedView(title="Notifications", topic="notifications", rows=_notification),)
NOTIFICATION_METRICS = (
    ChartView(title="Notifications", topic="notification-metrics", values={"notifications": float}, unit="per window"),
)
LOG_TRIAGE = (FeedView(title="Log events of high severity", topic="logs-high"),)
CAPTCHA = (FeedView(title="Requested captchas", topic="captcha-requests"),)
CDC_TABLE = (TableView(title="Customers", store="customers"), FeedView(title="Rejected changes", topic="rejected-changes"))
CLICKSTREAM = (FeedView(title="Activity of users", topic="user-activity"),)
SEARCH_RESULTS = (
    TableView(title="Results of searches", store="query-clicks", rows=_results),
    TableView(title="Clicks on pages", store="page-clicks", rows=_count("page")),
    TableView(title="Clicks by zip code", store="zip-code-clicks", rows=_count("zip code")),
)
USER_360 = (
    ChartView(title="Clicks", topic="user-minutes", values={"clicks": attrgetter("clicks")}, unit="per minute"),
    FeedView(title="Users by the minute", topic="user-minutes", rows=_minute),
)
SHOE_STORE = (
    TableView(title="Money and transactions", store="shoe-stores-store", rows=_money),
    TableView(title="Stock of the stores", store="shoe-stores-store", rows=_shoes),
    FeedView(title="Refused returns", topic="refused-returns"),
)
WEEKLY_PRODUCTS = (FeedView(title="Products of the week", topic="products-of-the-week", rows=_best_products),)
PAYMENT_APPROVAL = (
    _alerts("Refused payments", REFUSED_PAYMENTS),
    FeedView(title="Approved payments", topic="approved-payments"),
)
LOAD_PERCENTILES = (
    ChartView(
        title="Load",
        topic="load-percentiles",
        values={"highest": attrgetter("highest"), "99th percentile": attrgetter("p99"), "median": attrgetter("median")},
        unit="% of what the hosts can do",
    ),
    _alerts("Overloaded services", OVERLOADS),
)
