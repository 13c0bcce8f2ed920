"""The counts of what a producer has delivered."""

from eddyline.application.ports.record_clients import DeliveryCounter, DeliveryTotals


def test_totals_have_the_counts_and_the_percentiles_of_the_latency() -> None:
    counter = DeliveryCounter()
    assert counter.totals() == DeliveryTotals(0, 0, 0.0, 0.0)
    for latency_ms in range(100):
        counter.add(float(latency_ms))
    counter.add(9_999.0, failed=True)
    assert counter.totals() == DeliveryTotals(100, 1, 50.0, 99.0)


def test_percentiles_are_of_the_last_records_and_counts_of_all() -> None:
    counter = DeliveryCounter()
    for latency_ms in (5.0, 1.0):
        for _ in range(100_000):
            counter.add(latency_ms)
    assert counter.totals() == DeliveryTotals(200_000, 0, 1.0, 1.0)
