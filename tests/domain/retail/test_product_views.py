from eddyline.domain.retail import ProductViews


def test_a_new_product_has_no_views() -> None:
    assert ProductViews().count == 0


def test_every_view_counts() -> None:
    assert ProductViews().view().view() == ProductViews(2)
