"""The chart of prices draws a bar from the lowest to the highest price of each span of time."""

from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.cli.price_chart import PriceRange, price_chart


def test_bars_are_drawn_at_their_time_and_price() -> None:
    lines = price_chart([PriceRange(0, 10, 11), PriceRange(30_000, 12, 14), PriceRange(60_000, 10, 14)], width=3, height=2)
    assert lines == [
        "14.00 ┤ ██",
        "      ┤▄ █",
        "10.00 ┼───",
        "       00:0000:01",
    ]


def test_without_prices_there_is_no_chart() -> None:
    assert price_chart([]) == []


@given(
    st.lists(
        st.tuples(st.integers(0, 10**12), st.floats(0, 1e6), st.floats(0, 1e3)).map(
            lambda one: PriceRange(one[0], one[1], one[1] + one[2])
        ),
        min_size=1,
    )
)
def test_every_span_with_prices_has_a_bar(ranges: list[PriceRange]) -> None:
    *bars, _axis, _times = price_chart(ranges, width=10, height=4)
    begin, end = min(one.time for one in ranges), max(one.time for one in ranges)
    spans = {min((one.time - begin) * 10 // max(end - begin, 1), 9) for one in ranges}
    start = len(bars[0].partition("┤")[0]) + 1
    drawn = {column for column in range(10) if any(line[start + column : start + column + 1].strip() for line in bars)}
    assert drawn == spans
