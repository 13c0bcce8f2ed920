"""When a process of the local engine says that it falls behind."""

from eddyline.adapters.local.lag import LagWatch


def test_lag_that_grows_for_a_minute_is_noticed_once_a_minute() -> None:
    watch = LagWatch()
    noticed = [second for second in range(0, 130, 5) if watch.is_behind(float(second), 100 + second)]
    assert noticed == [60, 120]


def test_lag_that_shrinks_once_begins_again() -> None:
    watch = LagWatch()
    lags = {second: 50 if second == 40 else 100 + second for second in range(0, 90, 5)}
    assert not any(watch.is_behind(float(second), lag) for second, lag in lags.items())
