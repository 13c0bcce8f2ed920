"""What the sample flows show on the page of a query server."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from operator import attrgetter
from typing import Any

from eddyline import Alert, ChartView, DetailPart, DetailView, FeedView, TableView, Windowed
from eddyline.application.samples.alert_times import readable_time
from eddyline.application.samples.clickstream.alerts import POPULAR_ALERTS
from eddyline.application.samples.hospitality.alerts import MISSED_CONFIRMATIONS
from eddyline.application.samples.operations.alerts import MAINTENANCE_REQUESTS, OVERLOADS
from eddyline.application.samples.payments.alerts import REFUSED_PAYMENTS
from eddyline.application.samples.sales.alerts import LARGE_SALES as LARGE_SALES_ALERTS
from eddyline.application.samples.security.alerts import BEACONS
from eddyline.domain.clickstream import QueryClicks, UserView
from eddyline.domain.hospitality import GuestReservations, MissedConfirmation, ReservationView
from eddyline.domain.notifications import Notification
from eddyline.domain.operations import Device, LoadPercentiles, LogEvent, Reading, Service
from eddyline.domain.payments import Approval, Refusal
from eddyline.domain.retail import CustomerPurchase, CustomerRow, Inventory, ProductsOfTheWeek, ProductViews, ShoeStore
from eddyline.domain.sales import LargeSale, SalesPerson
from eddyline.domain.security import BeaconRules, Calls, Route
from eddyline.domain.trading import Mover, Movers, PriceRangeSummary, TradeSummary

_MOST_TIMES = 200
_FEW_CALLS = 6
"""Fewer calls are often regular by chance."""
_ANY_CALLS = BeaconRules(least_calls=3, most_variation=1e9)
_HEALTH = {"rising": "needs maintenance: hotter and rougher", "silent": "needs maintenance: silent", None: "well"}
_STAYS = ("now", "upcoming", "not known yet", "past", "cancelled")
_MOVES = {"RESTOCK": "restocked", "SALE": "sold"}


def _rounded(value: float, digits: int = 2) -> Decimal:
    return Decimal(f"{value:.{digits}f}")


def _key(key: Any) -> Any:
    return key.key if isinstance(key, Windowed) else key


def _at(milliseconds: int) -> datetime | None:
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC) if milliseconds >= 0 else None
    except (ValueError, OverflowError, OSError):
        return None


def _pieces(store: str, inventory: Inventory) -> Iterator[Mapping[str, object]]:
    return ({"store": store, "SKU": sku, "pieces": pieces} for sku, pieces in sorted(inventory.stock.items()))


def _movers(group: str, movers: Movers) -> Iterator[Mapping[str, object]]:
    for mover in movers.top(len(movers.by_symbol)):
        yield {"group": group, "symbol": mover.symbol, "change in %": _rounded(mover.change_percent)}


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


def _stays(guest: str, found: GuestReservations) -> Iterator[Mapping[str, object]]:
    return stays(found.view(guest).reservations, datetime.now(UTC).date())


def stays(reservations: Sequence[ReservationView], today: date) -> Iterator[Mapping[str, object]]:
    """Return the rows of a guest's stays: the one of today, those that come, then the others."""
    for stay in sorted(reservations, key=lambda stay: (_STAYS.index(_when(stay, today)), stay.arrival or date.max)):
        yield {
            "stay": _when(stay, today),
            "hotel": stay.hotel,
            "room": stay.room,
            "from": stay.arrival,
            "to": stay.departure,
            "reservation": stay.reservation,
            "state": stay.state,
        }


def _when(stay: ReservationView, today: date) -> str:
    if stay.state == "cancelled":
        return "cancelled"
    if stay.arrival is None or stay.departure is None:
        return "not known yet"
    if stay.departure < today:
        return "past"
    return "now" if stay.arrival <= today else "upcoming"


def _history(guest: str, found: GuestReservations) -> Iterator[Mapping[str, object]]:
    for event in reversed(found.view(guest).story):
        yield {"at (UTC)": _at(event.at), "what happened": event.what, "reservation": event.reservation}


def _complaint(_guest: str, missed: MissedConfirmation) -> Iterator[Mapping[str, object]]:
    booked, due = _at(missed.booked_at), _at(missed.due_at)
    yield {"reservation": missed.reservation, "hotel": missed.hotel, "booked (UTC)": booked, "confirmation due (UTC)": due}


def _stock(_store: str, inventory: Inventory) -> Iterator[Mapping[str, object]]:
    return ({"SKU": sku, "pieces": pieces} for sku, pieces in sorted(inventory.stock.items()))


def _move(_key: str, item: Any) -> Iterator[Mapping[str, object]]:
    yield {"SKU": item.sku, "move": _MOVES.get(item.type, item.type), "pieces": item.quantity}


def _asked(browser: Any, request: Any) -> Iterator[Mapping[str, object]]:
    yield {"browser": _key(browser), "actions": request.count}


def _solved(browser: str, _answer: Any) -> Iterator[Mapping[str, object]]:
    yield {"browser": browser, "captcha": "solved"}


def _customer(customer: str, row: CustomerRow) -> Iterator[Mapping[str, object]]:
    known = row.customer
    name = "deleted" if known is None else known.name
    yield {"customer": customer, "name": name, "email": known and known.email, "city": known and known.city}


def _sales_person(_number: str, person: SalesPerson) -> Iterator[Mapping[str, object]]:
    yield {"name": person.name, "mail": person.mail}


def _large_sale(_sold_by: str, found: LargeSale) -> Iterator[Mapping[str, object]]:
    yield {"customer": found.customer, "amount": _rounded(found.amount), "sale": found.sale}


def _purchase(_key: str, found: CustomerPurchase) -> Iterator[Mapping[str, object]]:
    yield {"customer": found.name or found.customer, "item": found.item, "amount": _rounded(found.amount)}


def _bought(_key: str, found: CustomerPurchase) -> Iterator[Mapping[str, object]]:
    yield {"item": found.item, "amount": _rounded(found.amount)}


def _board(ticker: Any, stats: Any) -> Iterator[Mapping[str, object]]:
    found = stats.summary()
    lowest, average = _rounded(found.min_price), _rounded(found.avg_price)
    yield {"ticker": _key(ticker), "asks": found.count_trades, "lowest price": lowest, "average price": average}


def _machine(machine: str, device: Device) -> Iterator[Mapping[str, object]]:
    last = device.windows[-1] if device.windows else None
    yield {
        "machine": machine,
        "health": _HEALTH[device.request.sign if device.request else None],
        "since (UTC)": _at(device.request.since) if device.request else None,
        "temperature in °C": None if last is None else _rounded(last.temperature, 1),
        "vibration in mm/s": None if last is None else _rounded(last.vibration),
        "last heard (UTC)": _at(device.last_heard),
        "last serviced (UTC)": _at(device.served_at),
    }


def _health(row: Mapping[str, Any]) -> tuple[bool, str]:
    return row["health"] == _HEALTH[None], row["machine"]


def _reading(_machine: str, reading: Reading) -> Iterator[Mapping[str, object]]:
    yield {"temperature in °C": _rounded(reading.temperature, 1), "vibration in mm/s": _rounded(reading.vibration)}


def _service(_machine: str, service: Service) -> Iterator[Mapping[str, object]]:
    yield {"technician": service.technician or "not named"}


def _suspect(route: Any, calls: Calls) -> Iterator[Mapping[str, object]]:
    host, destination = (each := _key(route)).host, each.destination
    found = Calls(len(calls.times), calls.times[-_MOST_TIMES:]).beacon(Route(host, destination), _ANY_CALLS)
    if found is not None:
        yield {
            "host": host,
            "destination": destination,
            "calls": calls.count,
            "mean interval": timedelta(milliseconds=found.interval_ms),
            "variation in %": _rounded(100 * found.variation, 1),
        }


def _suspicion(row: Mapping[str, Any]) -> tuple[bool, Decimal]:
    return row["calls"] < _FEW_CALLS, row["variation in %"]


def _log_event(_key: str, event: LogEvent) -> Iterator[Mapping[str, object]]:
    yield {"severity": event.severity, "service": event.service, "message": event.message}


def _approval(card: str, found: Approval) -> Iterator[Mapping[str, object]]:
    yield {"card": card, "payment": found.payment, "amount": _rounded(found.amount), "country": found.country}


def _refusal(card: str, found: Refusal) -> Iterator[Mapping[str, object]]:
    yield {"card": card, "payment": found.payment, "amount": _rounded(found.amount), "reason": found.reason}


def _load(_service: Any, found: LoadPercentiles) -> Iterator[Mapping[str, object]]:
    loads = {"median in %": found.median, "99th percentile in %": found.p99, "highest in %": found.highest}
    yield {"service": _key(_service), **{name: _rounded(load, 1) for name, load in loads.items()}}


def _shoes(store: str, after: ShoeStore) -> Iterator[Mapping[str, object]]:
    return ({"store": store, "shoe": shoe, "pairs": pairs} for shoe, pairs in sorted(after.stock.items()))


def _money(store: str, after: ShoeStore) -> Iterator[Mapping[str, object]]:
    yield {"store": store, "money in €": _rounded(after.money_cents / 100), "transactions": after.transactions}


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
    TableView(title="Board", store="trade-aggregates", rows=_board),
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
    DetailView(
        title="Store",
        store="INVENTORY",
        parts=(
            DetailPart(title="Stock", rows=_stock),
            DetailPart(title="Last moves", topic="items", subject=lambda _key, item: item.store_name, rows=_move),
        ),
    ),
    TableView(title="Stock of the stores", store="INVENTORY", rows=_pieces),
    FeedView(
        title="Moves of all stores",
        topic="items",
        sentence=lambda _key, item: f"{item.store_name} {_MOVES.get(item.type, 'reported')} {item.quantity:,} of {item.sku}",
    ),
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
    DetailView(
        title="Guest",
        store="guest-reservations",
        parts=(
            DetailPart(title="Stays", rows=_stays),
            DetailPart(title="History", rows=_history),
            DetailPart(title="Complaints: confirmations that were missed", topic="missed-confirmations", rows=_complaint),
        ),
    ),
    FeedView(
        title="What guests and hotels did",
        topic="guest-views",
        sentence=lambda guest, found: f"{guest} {found.story[-1].what}" if found.story else f"{guest} is known",
    ),
    _alerts("Missed confirmations", MISSED_CONFIRMATIONS),
)
DEVICE_MAINTENANCE = (
    TableView(title="Machines by health", store="devices", rows=_machine, order=_health),
    DetailView(
        title="Machine",
        store="devices",
        parts=(
            DetailPart(title="Last readings", topic="sensor-readings", rows=_reading),
            DetailPart(title="Services", topic="services", rows=_service),
        ),
    ),
    _alerts("Requested maintenance", MAINTENANCE_REQUESTS),
)
BEACONING = (
    TableView(title="Hosts by suspicion", store="calls", rows=_suspect, order=_suspicion),
    _alerts("Beacons", BEACONS),
)
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
        rows=_log_event,
        sentence=lambda _key, event: f"{event.service}: {event.message} ({event.severity})",
    ),
)
CAPTCHA = (
    FeedView(
        title="Captchas asked",
        topic="captcha-requests",
        rows=_asked,
        sentence=lambda user, request: f"{user} was asked to solve a captcha after {request.count:,} actions",
    ),
    FeedView(
        title="Captchas solved",
        topic="captchas-solved",
        rows=_solved,
        sentence=lambda user, _answer: f"{user} solved a captcha",
    ),
)
CDC_TABLE = (
    DetailView(
        title="Customer",
        store="customers",
        parts=(
            DetailPart(title="Row of the table", rows=_customer),
            DetailPart(title="Purchases", topic="customer-purchases", rows=_bought),
        ),
    ),
    TableView(title="Customers", store="customers", rows=_customer),
    FeedView(
        title="Purchases",
        topic="customer-purchases",
        rows=_purchase,
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
    replace(_alerts("Refused payments", REFUSED_PAYMENTS), rows=_refusal),
    FeedView(
        title="Approved payments",
        topic="approved-payments",
        rows=_approval,
        sentence=lambda card, found: f"{card} paid {found.amount:,.2f} in {found.country}",
    ),
)
LARGE_SALES = (
    DetailView(
        title="Sales person",
        store="sales-people",
        parts=(
            DetailPart(title="Address", rows=_sales_person),
            DetailPart(title="Large sales", topic="large-sales", rows=_large_sale),
        ),
    ),
    FeedView(
        title="Large sales",
        topic="large-sales",
        sentence=lambda sold_by, found: f"{found.name or sold_by} has sold for {found.amount:,.2f} to {found.customer}",
    ),
    _alerts("Messages to sales people", LARGE_SALES_ALERTS),
)
LOAD_PERCENTILES = (
    ChartView(
        title="Load",
        topic="load-percentiles",
        values={"highest": attrgetter("highest"), "99th percentile": attrgetter("p99"), "median": attrgetter("median")},
        unit="% of what the hosts can do",
    ),
    FeedView(
        title="Loads",
        topic="load-percentiles",
        rows=_load,
        sentence=lambda service, found: (
            f"half of the load of {_key(service)} is above {found.median:.0f} %, 1 % above {found.p99:.0f} %"
        ),
    ),
    _alerts("Overloaded services", OVERLOADS),
)
