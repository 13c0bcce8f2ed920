"""What the sample flows show on the page of a query server."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from operator import attrgetter, itemgetter
from typing import Any

from eddyline import Alert, ChartView, DetailPart, DetailView, FeedView, TableView, Windowed
from eddyline.application.samples.clickstream.alerts import POPULAR_ALERTS
from eddyline.application.samples.hospitality.alerts import MISSED_CONFIRMATIONS
from eddyline.application.samples.operations.alerts import MAINTENANCE_REQUESTS, OVERLOADS
from eddyline.application.samples.payments.alerts import REFUSED_PAYMENTS
from eddyline.application.samples.sales.alerts import LARGE_SALES as LARGE_SALES_ALERTS
from eddyline.application.samples.security.alerts import BEACONS
from eddyline.domain.clickstream import Activity, Profile, QueryClicks, UserView
from eddyline.domain.hospitality import GuestReservations, MissedConfirmation, ReservationView
from eddyline.domain.notifications import Notification, NotificationState, StillLooking
from eddyline.domain.operations import Device, LoadPercentiles, LogEvent, Reading, Service
from eddyline.domain.payments import Approval, Refusal
from eddyline.domain.retail import (
    CustomerPurchase,
    CustomerRow,
    Inventory,
    ProductsOfTheWeek,
    ProductViews,
    ShoeStore,
    ShoeTransaction,
    WeekOfOrders,
)
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


def _of_subject(rows: Any) -> Any:
    """Return a function whose rows are without the first column, the subject of a detail view."""

    def without_subject(key: Any, found: Any) -> Iterator[Mapping[str, object]]:
        return (dict(list(row.items())[1:]) for row in rows(key, found))

    return without_subject


def _pieces(store: str, inventory: Inventory) -> Iterator[Mapping[str, object]]:
    return ({"store": store, "SKU": sku, "pieces": pieces} for sku, pieces in sorted(inventory.stock.items()))


def _movers(group: str, movers: Movers) -> Iterator[Mapping[str, object]]:
    for mover in movers.top(len(movers.by_symbol)):
        yield {"symbol": mover.symbol, "change in %": _rounded(mover.change_percent), "group": group}


def _count(of: str, counted: str) -> Any:
    def rows(key: str, count: int) -> Iterator[Mapping[str, object]]:
        yield {of: key, counted: count}

    return rows


def _product(product: str, views: ProductViews) -> Iterator[Mapping[str, object]]:
    yield {"product": product, "views": views.count}


def _notification(user: str, notification: Notification) -> Iterator[Mapping[str, object]]:
    yield {"user": user, "notification": notification.message}


def _results(query: str, clicks: QueryClicks) -> Iterator[Mapping[str, object]]:
    found = clicks.results(query, most=3)
    pages = ", ".join(f"{page.page} ({page.clicks})" for page in found.pages)
    yield {"query": query, "clicks": found.clicks, "searches without a click": found.without_click, "best pages": pages}


def _minute(user: str, view: UserView) -> Iterator[Mapping[str, object]]:
    yield {
        "user": view.user_name or user,
        "minute from": _at(view.minute),
        "clicks": view.clicks,
        "pages": ", ".join(view.pages) or None,
        "searches": ", ".join(view.searches) or None,
    }


def _profile(_user: str, profile: Profile) -> Iterator[Mapping[str, object]]:
    yield {"name": profile.user_name, "zip code": profile.zipcode, "interests": ", ".join(profile.interests or ())}


def _activity(user: str, found: Activity) -> Iterator[Mapping[str, object]]:
    yield {"user": found.user_name or user, "page": found.page, "after a search for": found.search_term or None}


def _seen(user: str, view: UserView) -> str:
    clicks, searches = _counted(view.clicks, "click"), _counted(len(view.searches), "search", "searches")
    return f"{view.user_name or user} made {clicks} and {searches} in a minute"


def _counted(number: int, one: str, several: str = "") -> str:
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"


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
        yield {"time": _at(event.at), "what happened": event.what, "reservation": event.reservation}


def _complaint(_guest: str, missed: MissedConfirmation) -> Iterator[Mapping[str, object]]:
    booked, due = _at(missed.booked_at), _at(missed.due_at)
    yield {"reservation": missed.reservation, "hotel": missed.hotel, "booked": booked, "confirmation due": due}


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


def _board(ticker: Any, stats: Any) -> Iterator[Mapping[str, object]]:
    return _statistics(ticker, stats.summary())


def _statistics(ticker: Windowed[str], found: TradeSummary) -> Iterator[Mapping[str, object]]:
    yield {
        "ticker": ticker.key,
        "from": _at(ticker.window.start),
        "to": _at(ticker.window.end),
        "asks": found.count_trades,
        "lowest price": _rounded(found.min_price),
        "average price": _rounded(found.avg_price),
    }


def _day(share: Windowed[str], prices: Any) -> Iterator[Mapping[str, object]]:
    found = prices.summary()
    yield {
        "share": share.key,
        "from": _at(share.window.start),
        "to": _at(share.window.end),
        "lowest price": _rounded(found.min),
        "highest price": _rounded(found.max),
        "average price": _rounded(found.average),
        "prices": found.count,
    }


def _notified(user: Windowed[str], number: int) -> Iterator[Mapping[str, object]]:
    yield {"user": user.key, "from": _at(user.window.start), "to": _at(user.window.end), "notifications": number}


def _looking(user: str, state: NotificationState) -> Iterator[Mapping[str, object]]:
    is_looking = isinstance(state.decide(), StillLooking)
    yield {"user": user, "last action": state.last_action, "looking": "yes" if is_looking else "no: notified"}


def _action(_user: str, action: str) -> Iterator[Mapping[str, object]]:
    yield {"action": action}


def _best(week: str, orders: WeekOfOrders) -> Iterator[Mapping[str, object]]:
    best = orders.best(week, most=10)
    for rank, product in enumerate(best.products, start=1):
        share = _rounded(100 * product.pieces / best.pieces, 1)
        yield {"week": week, "rank": rank, "product": product.product, "pieces": product.pieces, "share in %": share}


def _of_browser(browser: Any, _request: Any) -> Any:
    return _key(browser)


def _asked_after(_browser: str, request: Any) -> Iterator[Mapping[str, object]]:
    yield {"asked after": f"{request.count:,} actions"}


def _most_moved(row: Mapping[str, Any]) -> Any:
    return -abs(row["change in %"])


def _most(name: str) -> Callable[[Mapping[str, Any]], Any]:
    return lambda row: -row[name]


def _machine(machine: str, device: Device) -> Iterator[Mapping[str, object]]:
    last = device.windows[-1] if device.windows else None
    yield {
        "machine": machine,
        "health": _HEALTH[device.request.sign if device.request else None],
        "since": _at(device.request.since) if device.request else None,
        "temperature in °C": None if last is None else _rounded(last.temperature, 1),
        "vibration in mm/s": None if last is None else _rounded(last.vibration),
        "last heard": _at(device.last_heard),
        "last serviced": _at(device.served_at),
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


def _transaction(_store: str, found: ShoeTransaction) -> Iterator[Mapping[str, object]]:
    amount = _rounded(found.pairs * found.price_cents / 100)
    yield {"transaction": found.type.lower(), "shoe": found.shoe, "pairs": found.pairs, "amount in €": amount}


def _money(store: str, after: ShoeStore) -> Iterator[Mapping[str, object]]:
    yield {"store": store, "money in €": _rounded(after.money_cents / 100), "transactions": after.transactions}


def _latest_week(row: Mapping[str, Any]) -> Any:
    year, _, week = row["week"].partition("-W")
    return -int(year), -int(week), row["rank"]


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
    since = _at(user.window.start)
    from_ = "" if since is None else f" from {since:%H:%M} UTC"
    return f"{user.key} got {_counted(number, 'notification')} within 10 minutes{from_}"


STOCK_STATS = (
    TableView(title="Board", store="trade-aggregates", rows=_board),
    ChartView(
        title="Prices",
        topic="stock-stats",
        values={"average price": attrgetter("avg_price"), "lowest price": attrgetter("min_price")},
        unit="per window",
    ),
    ChartView(title="Trades", topic="stock-stats", values={"trades": attrgetter("count_trades")}, unit="per window"),
    FeedView(title="Statistics", topic="stock-stats", rows=_statistics, sentence=_prices),
)
DAILY_RANGE = (
    TableView(title="Ranges of the day", store="daily-ranges-store", rows=_day),
    ChartView(
        title="Prices",
        topic="daily-ranges",
        values={"highest": attrgetter("max"), "average": attrgetter("average"), "lowest": attrgetter("min")},
        unit="per day",
    ),
    FeedView(title="Changes of the ranges", topic="daily-ranges", sentence=_range),
)
TOP_MOVERS = (
    TableView(title="Movers", store="movers-store", rows=_movers, order=_most_moved),
    FeedView(title="Lists of movers", topic="top-movers", sentence=_first_mover),
)
INVENTORY = (
    DetailView(
        title="Store",
        store="INVENTORY",
        parts=(
            DetailPart(title="Stock", rows=_of_subject(_pieces)),
            DetailPart(title="Last moves", topic="items", subject=lambda _key, item: item.store_name, rows=_move),
        ),
    ),
    TableView(title="Stock of the stores, the lowest first", store="INVENTORY", rows=_pieces, order=lambda row: row["pieces"]),
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
    TableView(title="Views of products", store="Counts", rows=_product, order=_most("views")),
    FeedView(
        title="Counts", topic="product-counts", sentence=lambda product, count: f"{product} was viewed {count:,} times so far"
    ),
)
WORD_COUNT = (
    TableView(
        title="Words, the most frequent first", store="word-count-store", rows=_count("word", "count"), order=_most("count")
    ),
    FeedView(title="Counts", topic="word-counts", sentence=lambda word, count: f"“{word}”: {count:,} times so far"),
)
POPULAR_PRODUCTS = (
    _alerts("Popular pages", POPULAR_ALERTS),
    TableView(title="Views of pages", store="page-counts", rows=_count("page", "views"), order=_most("views")),
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
    DetailView(
        title="User",
        store="user-state",
        parts=(
            DetailPart(title="State", rows=_of_subject(_looking)),
            DetailPart(title="Last actions", topic="user-actions", rows=_action),
            DetailPart(title="Notifications of the user", topic="notifications", rows=_of_subject(_notification)),
        ),
    ),
    TableView(title="Users, those who are not looking first", store="user-state", rows=_looking, order=itemgetter("looking")),
    FeedView(
        title="Notifications of all users",
        topic="notifications",
        rows=_notification,
        sentence=lambda user, _notification: f"{user} is not looking: notified",
    ),
)
NOTIFICATION_METRICS = (
    TableView(
        title="Users by notifications in the latest window",
        store="notification-counts",
        rows=_notified,
        order=_most("notifications"),
    ),
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
    DetailView(
        title="Browser",
        store="action-counts",
        parts=(
            DetailPart(title="Actions so far", rows=_of_subject(_count("browser", "actions"))),
            DetailPart(title="Captchas asked of the browser", topic="captcha-requests", subject=_of_browser, rows=_asked_after),
            DetailPart(title="Captchas that it solved", topic="captchas-solved", rows=_of_subject(_solved)),
        ),
    ),
    TableView(title="Browsers by actions", store="action-counts", rows=_count("browser", "actions"), order=_most("actions")),
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
            DetailPart(title="Purchases", topic="customer-purchases", rows=_of_subject(_purchase)),
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
    DetailView(
        title="User",
        store="profiles-store",
        parts=(
            DetailPart(title="Profile", rows=_profile),
            DetailPart(title="Last activity", topic="user-activity", rows=_of_subject(_activity)),
        ),
    ),
    FeedView(
        title="Activity of all users",
        topic="user-activity",
        rows=_activity,
        sentence=lambda user, found: (
            f"{found.user_name or user} opened {found.page}"
            + (f" after a search for “{found.search_term}”" if found.search_term else "")
        ),
    ),
)
SEARCH_RESULTS = (
    TableView(title="Results of searches", store="query-clicks", rows=_results, order=_most("clicks")),
    FeedView(
        title="Searches",
        topic="results-per-query",
        sentence=lambda query, found: f"“{query}” led to {found.clicks:,} clicks, {found.without_click:,} searches to none",
    ),
    TableView(title="Clicks on pages", store="page-clicks", rows=_count("page", "clicks"), order=_most("clicks")),
    TableView(title="Clicks by zip code", store="zip-code-clicks", rows=_count("zip code", "clicks"), order=_most("clicks")),
)
USER_360 = (
    DetailView(
        title="User",
        store="profiles-store",
        parts=(
            DetailPart(title="Profile", rows=_profile),
            DetailPart(title="Minutes", topic="user-minutes", rows=_of_subject(_minute)),
        ),
    ),
    ChartView(title="Clicks", topic="user-minutes", values={"clicks": attrgetter("clicks")}, unit="per minute"),
    FeedView(title="Users by the minute", topic="user-minutes", rows=_minute, sentence=_seen),
)
SHOE_STORE = (
    TableView(title="Money and transactions", store="shoe-stores-store", rows=_money),
    DetailView(
        title="Store",
        store="shoe-stores-store",
        parts=(
            DetailPart(title="Stock", rows=_of_subject(_shoes)),
            DetailPart(title="Last transactions", topic="shoe-transactions", rows=_transaction),
        ),
    ),
    TableView(
        title="Stock of the stores, the lowest first", store="shoe-stores-store", rows=_shoes, order=lambda row: row["pairs"]
    ),
    FeedView(
        title="Refused returns",
        topic="refused-returns",
        sentence=lambda store, found: f"{store} refused the return of {found.pairs:,} pairs of {found.shoe}",
    ),
)
WEEKLY_PRODUCTS = (
    TableView(title="Best products, the latest week first", store="weeks", rows=_best, order=_latest_week),
    FeedView(
        title="Products of the week",
        topic="products-of-the-week",
        rows=_best_products,
        sentence=lambda week, best: f"{best.products[0].product} leads in {week} with {best.products[0].pieces:,} pieces",
    ),
)
PAYMENT_APPROVAL = (
    DetailView(
        title="Card",
        store="cards",
        parts=(
            DetailPart(title="Approved", topic="approved-payments", rows=_of_subject(_approval)),
            DetailPart(title="Refused", topic="refused-payments", rows=_of_subject(_refusal)),
        ),
    ),
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
