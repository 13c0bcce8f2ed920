"""Simulations contain what the flows are there to find."""

from collections import Counter
from typing import Any

from eddyline.domain.clickstream import QueryClicks
from tests.samples.simulated import SEEDS, last_values, run, simulate


@SEEDS
def test_every_fraud_is_refused_and_nearly_every_other_payment_approved(seed: int) -> None:
    engine = run("payment-approval", simulate("payment-approval", seed=seed, frauds=30))
    rules = Counter(refused.value.rule for refused in engine.outputs("refused-payments"))
    assert rules["limit"] == 10
    assert rules["velocity"] >= 30
    assert rules["country"] >= 8
    assert len(engine.outputs("approved-payments")) >= 1_980
    assert {reason for _, reason in engine.drops} == {"repeated"}


@SEEDS
def test_every_large_sale_is_reported_also_those_of_somebody_without_a_mail(seed: int) -> None:
    found = run("large-sales", simulate("large-sales", seed=seed, large=25)).outputs("large-sales")
    assert len({output.value.sale for output in found}) == 25
    assert len({output.value.mail for output in found}) >= 5
    assert any(output.value.mail is None for output in found)


@SEEDS
def test_returns_of_shoes_that_were_never_sold_are_refused_and_all_others_taken(seed: int) -> None:
    events = simulate("shoe-store", seed=seed, frauds=0.05)
    refused = [output.value.pairs for output in run("shoe-store", events).outputs("refused-returns")]
    returns = [event.value.pairs for event in events if event.value.type == "RETURN"]
    assert refused == [pairs for pairs in returns if pairs >= 1_000]
    assert len(refused) > 20
    assert len(returns) > len(refused) + 50


@SEEDS
def test_the_overloads_of_services_raise_the_99th_percentile_alone(seed: int) -> None:
    events = simulate("load-percentiles", seed=seed, overloads=5)
    engine = run("load-percentiles", events)
    overloads = engine.outputs("overloads")
    assert 10 <= len(overloads) <= 15
    percentiles = [output.value for output in engine.outputs("load-percentiles")]
    assert all(found.median < 70 for found in percentiles)
    assert sum(found.p99 > 90 for found in percentiles) == len(overloads)


@SEEDS
def test_trends_are_the_queries_without_a_click(seed: int) -> None:
    stored = {row.key: row.value for row in run("search-results", simulate("search-results", seed=seed)).store("query-clicks")}
    trend: QueryClicks = stored.pop("eclipse glasses")
    assert trend.without_click > max(20, 2 * sum(trend.pages.values()))
    assert all(sum(clicks.pages.values()) > clicks.without_click for clicks in stored.values())


@SEEDS
def test_robots_click_more_in_a_minute_than_any_user(seed: int) -> None:
    views = run("user-360", simulate("user-360", seed=seed)).outputs("user-minutes")
    clicks = Counter[str]()
    for view in views:
        clicks[view.key] = max(clicks[view.key], view.value.clicks)
    robots = {user: most for user, most in clicks.items() if user.startswith("robot")}
    assert len(robots) == 3
    assert min(robots.values()) > 30 > max(clicks[user] for user in clicks.keys() - robots.keys())
    assert all((view.value.user_name is None) for view in views if view.key in robots)


@SEEDS
def test_a_hype_changes_the_products_of_the_week(seed: int) -> None:
    events = simulate("weekly-products", seed=seed)
    weeks = last_values(run("weekly-products", events, emit="latest"), "products-of-the-week")
    pieces = {week: best.pieces for week, best in weeks.items()}
    assert list(pieces) == ["2026-W02", "2026-W03", "2026-W04", "2026-W05"]
    assert sum(pieces.values()) == sum(event.value.pieces for event in events)
    calm = simulate("weekly-products", seed=seed, hypes=0)
    without = last_values(run("weekly-products", calm, emit="latest"), "products-of-the-week")
    assert {best.products[0].product for best in without.values()} == {"product-01"}
    assert all(best.products[0].product > "product-10" for best in list(weeks.values())[:3])


@SEEDS
def test_a_crash_is_the_lowest_price_of_its_day(seed: int) -> None:
    def widest(crashes: int) -> Any:
        engine = run("daily-range", simulate("daily-range", seed=seed, crashes=crashes))
        return max(found.max / found.min for found in last_values(engine, "daily-ranges").values())

    assert widest(crashes=3) > 1.45 > widest(crashes=0)
