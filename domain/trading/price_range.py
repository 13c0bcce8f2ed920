"""The range that the prices of a span of time, such as a day, cover."""

from eddyline.domain.value import value


@value
class Price:
    """A price that was seen; one that names no price counts as 0."""

    price: float = 0.0


@value
class PriceRangeSummary:
    """What is told about a set of prices."""

    min: float
    max: float
    average: float
    count: int


@value
class PriceRange:
    """How many prices, their sum, the lowest and the highest. `PriceRange()` has none, and makes a monoid with `merge`."""

    count: int = 0
    sum: float = 0.0
    min: float = 0.0
    max: float = 0.0

    def add(self, seen: Price) -> "PriceRange":
        """This range with one more price."""
        price = seen.price
        if not self.count:
            return PriceRange(1, price, price, price)
        return PriceRange(
            self.count + 1,
            self.sum + price,
            min(self.min, price),
            max(self.max, price),
        )

    def merge(self, other: "PriceRange") -> "PriceRange":
        """The range of the prices of both."""
        if not other.count:
            return self
        if not self.count:
            return other
        return PriceRange(self.count + other.count, self.sum + other.sum, min(self.min, other.min), max(self.max, other.max))

    @property
    def average(self) -> float:
        """The mean price, 0 without prices."""
        return self.sum / self.count if self.count else 0.0

    def summary(self) -> PriceRangeSummary:
        """What is told about these prices."""
        return PriceRangeSummary(self.min, self.max, self.average, self.count)
