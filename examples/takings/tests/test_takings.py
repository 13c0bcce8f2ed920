from adapters.till_files import payments_in
from domain.takings import BusyShop, Payment, Takings


def test_takings_add_up() -> None:
    takings = Takings().add(Payment("north", 8.0)).add(Payment("north", 4.0))
    assert takings == Takings(payments=2, total=12.0)
    assert takings.merge(Takings(1, 1.0)) == Takings(3, 13.0)


def test_takings_at_the_limit_do_not_exceed_it() -> None:
    assert not Takings(1, 10.0).exceed(10.0)
    assert Takings(1, 10.01).exceed(10.0)
    assert Takings(1, 10.01).busy("north") == BusyShop("north", 1, 10.01)


def test_exported_payments_are_read() -> None:
    lines = ["till,shop,amount,paid_at", "till 1,north,7.50,1970-01-01T00:00:01+00:00"]
    assert list(payments_in(lines)) == [("till 1", Payment("north", 7.5), 1_000)]
