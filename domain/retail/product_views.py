"""Views of products."""

from eddyline.domain.value import value


@value
class ProductViews:
    """The number of views of one product."""

    count: int = 0

    def view(self) -> "ProductViews":
        """Return the views with one more."""
        return ProductViews(self.count + 1)
