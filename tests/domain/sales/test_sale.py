import pytest

from eddyline.domain.sales import LargeSale, Sale, SalesPerson


@pytest.mark.parametrize(("amount", "is_over"), [(10_000.0, False), (10_000.01, True)])
def test_a_sale_of_just_the_limit_is_not_over_it(amount: float, is_over: bool) -> None:
    assert Sale("s1", "north", amount).is_over(10_000.0) == is_over


def test_a_large_sale_has_the_name_and_mail_of_a_person_who_is_known() -> None:
    sale = Sale("s1", "north", 20_000.0)
    assert LargeSale.of("ann", sale, None) == LargeSale("s1", "north", 20_000.0, "ann")
    known = LargeSale("s1", "north", 20_000.0, "ann", "Ann", "ann@example.org")
    assert LargeSale.of("ann", sale, SalesPerson("Ann", "ann@example.org")) == known


@pytest.mark.parametrize("mail", ["", "ann", "@example.org", "ann@", None])
def test_a_mail_has_a_name_and_a_host(mail: str) -> None:
    with pytest.raises(ValueError, match=r"^mail is .*; it must be an address such as ann@example.org$"):
        SalesPerson("Ann", mail)
