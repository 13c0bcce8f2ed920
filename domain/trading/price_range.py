"""The range of the prices in a period such as a day."""

from eddyline.domain.exact_sum import merged, plus
from eddyline.domain.value import above_zero, value


@value
class Price:
    """A price that was observed."""

    price: float

    def __post_init__(self) -> None:
        above_zero(price=self.price)


@value
class PriceRangeSummary:
    """The range of a set of prices as it is published, with the average price."""

    min: float
    max: float
    average: float
    count: int


@value
class PriceRange:
    """The number of prices, their sum, the lowest and the highest. `PriceRange()` has none; with `merge` it is a monoid.

    For that the sum is exact: `sum_rest` is what rounding `sum` has left.
    """

    count: int = 0
    sum: float = 0.0
    min: float = 0.0
    max: float = 0.0
    sum_rest: tuple[float, ...] = ()

    def add(self, observed: Price) -> "PriceRange":
        """Return this range with one more price."""
        price = observed.price
        if not self.count:
            return PriceRange(1, price, price, price)
        total, rest = plus(self.sum, self.sum_rest, price)
        return PriceRange(self.count + 1, total, min(self.min, price), max(self.max, price), rest)

    def merge(self, other: "PriceRange") -> "PriceRange":
        """Return the range of the prices of both."""
        if not other.count:
            return self
        if not self.count:
            return other
        total, rest = merged(self.sum, self.sum_rest, other.sum, other.sum_rest)
        return PriceRange(self.count + other.count, total, min(self.min, other.min), max(self.max, other.max), rest)

    @property
    def average(self) -> float:
        """The mean price, 0 without prices."""
        return self.sum / self.count if self.count else 0.0

    def summary(self) -> PriceRangeSummary:
        """Return the range to publish."""
        return PriceRangeSummary(self.min, self.max, self.average, self.count)
