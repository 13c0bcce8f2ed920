"""What the sample flows show on the page of a query server."""

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

from eddyline import Alert, ChartView, FeedView, TableView, Windowed
from eddyline.application.samples.alert_times import readable_time
from eddyline.application.samples.clickstream.alerts import POPULAR_ALERTS
from eddyline.application.samples.hospitality.alerts import MISSED_CONFIRMATIONS
from eddyline.application.samples.operations.alerts import MAINTENANCE_REQUESTS, OVERLOADS
from eddyline.application.samples.payments.alerts import REFUSED_PAYMENTS
from eddyline.application.samples.security.alerts import BEACONS
from eddyline.domain.clickstream import QueryClicks, UserView
from eddyline.domain.hospitality import GuestView
from eddyline.domain.notifications import Notification
from eddyline.domain.retail import Inventory, ProductsOfTheWeek, ProductViews, ShoeStore
from eddyline.domain.trading import Mover, Movers, PriceRangeSummary, TradeSummary


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


def _seen(user: str, view: UserView) -> str:
    return f"{view.user_name or user} made {view.clicks} clicks and {len(view.searches)} searches in a minute"


def _guest(guest: str, view: GuestView) -> Iterator[Mapping[str, object]]:
    for stay in view.reservations:
        story = [event.what for event in view.story if event.reservation == stay.reservation]
        yield {
            "guest": guest,
            "hotel": stay.hotel,
            "room": stay.room,
            "from": stay.arrival,
            "to": stay.departure,
            "state": stay.state,
            "history": "; ".join(story),
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

    return FeedView(title=title, topic=alerts.topic, rows=rows, sentence=lambda key, value: alerts.message(key, value).subject)


def _prices(ticker: Windowed[str], found: TradeSummary) -> str:
    asks = "1 ask" if found.count_trades == 1 else f"{found.count_trades} asks"
    return f"{ticker.key}: {asks} in 5 s, from {found.min_price:,.2f}, on average {found.avg_price:,.2f}"


def _range(share: Windowed[str], found: PriceRangeSummary) -> str:
    return f"{share.key} is between {found.min:,.2f} and {found.max:,.2f} today, on average {found.average:,.2f}"


def _first_mover(_group: str, movers: Sequence[Mover]) -> str:
    return f"{movers[0].symbol} moves most: {movers[0].change_percent:+.1f} %" if movers else "nothing moves"


def _notifications(user: Windowed[str], number: int) -> str:
    return f"{user.key} got {'a notification' if number == 1 else f'{number} notifications'} within 10 minutes"


STOCK_STATS = (
    ChartView(
        title="Prices",
        topic="stock-stats",
        values={"average price": attrgetter("avg_price"), "lowest price": attrgetter("min_price")},
        unit="per window",
    ),
    ChartView(title="Trades", topic="stock-stats", values={"trades": attrgetter("count_trades")}, unit="per window"),
    FeedView(title="Statistics", topic="stock-stats", sentence=_prices),
)
DAILY_RANGE = (
    ChartView(
        title="Prices",
        topic="daily-ranges",
        values={"highest": attrgetter("max"), "average": attrgetter("average"), "lowest": attrgetter("min")},
        unit="per day",
    ),
    FeedView(title="Ranges of the day", topic="daily-ranges", sentence=_range),
)
TOP_MOVERS = (
    TableView(title="Movers", store="movers-store", rows=_movers),
    FeedView(title="Lists of movers", topic="top-movers", sentence=_first_mover),
)
INVENTORY = (
    TableView(title="Stock of the stores", store="INVENTORY", rows=_pieces),
    FeedView(
        title="Stores that have sold what they did not have",
        topic="negative-stock",
        sentence=lambda store, found: f"{store} has sold more than it had of {', '.join(sorted(found.missing))}",
    ),
)
PRODUCT_COUNTER = (
    TableView(title="Views of products", store="Counts", rows=_product),
    FeedView(
        title="Counts", topic="product-counts", sentence=lambda product, count: f"{product} was viewed {count:,} times so far"
    ),
)
WORD_COUNT = (
    TableView(title="Words", store="word-count-store", rows=_count("word")),
    FeedView(title="Counts", topic="word-counts", sentence=lambda word, count: f"“{word}”: {count:,} times so far"),
)
POPULAR_PRODUCTS = (
    _alerts("Popular pages", POPULAR_ALERTS),
    TableView(title="Views of pages", store="page-counts", rows=_count("page")),
)
HOTEL_RESERVATIONS = (
    FeedView(
        title="Guests",
        topic="guest-views",
        rows=_guest,
        sentence=lambda guest, found: f"{guest} {found.story[-1].what}" if found.story else f"{guest} is known",
    ),
    _alerts("Missed confirmations", MISSED_CONFIRMATIONS),
)
DEVICE_MAINTENANCE = (_alerts("Requested maintenance", MAINTENANCE_REQUESTS),)
BEACONING = (_alerts("Beacons", BEACONS),)
FB_NOTIFICATIONS = (
    FeedView(
        title="Notifications",
        topic="notifications",
        rows=_notification,
        sentence=lambda user, _notification: f"{user} is not looking: notified",
    ),
)
NOTIFICATION_METRICS = (
    ChartView(title="Notifications", topic="notification-metrics", values={"notifications": float}, unit="per window"),
    FeedView(title="Numbers of notifications", topic="notification-metrics", sentence=_notifications),
)
LOG_TRIAGE = (
    FeedView(
        title="Log events of high severity",
        topic="logs-high",
        sentence=lambda _key, event: f"{event.service}: {event.message} ({event.severity})",
    ),
)
CAPTCHA = (
    FeedView(
        title="Requested captchas",
        topic="captcha-requests",
        sentence=lambda user, request: f"{user} was asked to solve a captcha after {request.count:,} actions",
    ),
)
CDC_TABLE = (
    TableView(title="Customers", store="customers"),
    FeedView(
        title="Purchases",
        topic="customer-purchases",
        sentence=lambda _key, found: f"{found.name or found.customer} bought a {found.item} for {found.amount:,.2f}",
    ),
    FeedView(
        title="Rejected changes",
        topic="rejected-changes",
        sentence=lambda customer, found: f"a change of {customer} was rejected: {found.reason}",
    ),
)
CLICKSTREAM = (
    FeedView(
        title="Activity of users",
        topic="user-activity",
        sentence=lambda user, found: (
            f"{found.user_name or user} opened {found.page}"
            + (f" after a search for “{found.search_term}”" if found.search_term else "")
        ),
    ),
)
SEARCH_RESULTS = (
    TableView(title="Results of searches", store="query-clicks", rows=_results),
    FeedView(
        title="Searches",
        topic="results-per-query",
        sentence=lambda query, found: f"“{query}” led to {found.clicks:,} clicks, {found.without_click:,} searches to none",
    ),
    TableView(title="Clicks on pages", store="page-clicks", rows=_count("page")),
    TableView(title="Clicks by zip code", store="zip-code-clicks", rows=_count("zip code")),
)
USER_360 = (
    ChartView(title="Clicks", topic="user-minutes", values={"clicks": attrgetter("clicks")}, unit="per minute"),
    FeedView(title="Users by the minute", topic="user-minutes", rows=_minute, sentence=_seen),
)
SHOE_STORE = (
    TableView(title="Money and transactions", store="shoe-stores-store", rows=_money),
    TableView(title="Stock of the stores", store="shoe-stores-store", rows=_shoes),
    FeedView(
        title="Refused returns",
        topic="refused-returns",
        sentence=lambda store, found: f"{store} refused the return of {found.pairs:,} pairs of {found.shoe}",
    ),
)
WEEKLY_PRODUCTS = (
    FeedView(
        title="Products of the week",
        topic="products-of-the-week",
        rows=_best_products,
        sentence=lambda week, best: f"{best.products[0].product} leads in {week} with {best.products[0].pieces:,} pieces",
    ),
)
PAYMENT_APPROVAL = (
    _alerts("Refused payments", REFUSED_PAYMENTS),
    FeedView(
        title="Approved payments",
        topic="approved-payments",
        sentence=lambda card, found: f"{card} paid {found.amount:,.2f} in {found.country}",
    ),
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
