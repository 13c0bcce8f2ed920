"""Views of products."""

from eddyline.domain.value import at_least, value


@value
class ProductViews:
    """The number of views of one product."""

    count: int = 0

    def __post_init__(self) -> None:
        at_least(0, count=self.count)

    def view(self) -> "ProductViews":
        """Return the views with one more."""
        return ProductViews(self.count + 1)
