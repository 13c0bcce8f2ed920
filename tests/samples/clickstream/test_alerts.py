from eddyline.application.flows.alerts import AlertMessage
from eddyline.application.samples.clickstream.alerts import POPULAR_ALERTS
from eddyline.domain.clickstream import PopularPage


def test_a_popular_page_has_one_message_whatever_its_number_of_views() -> None:
    message = POPULAR_ALERTS.message("/shoes", PopularPage("/shoes", 1000))
    assert message == AlertMessage("/shoes", "/shoes is popular", "The page /shoes has been seen 1000 times.")
    assert POPULAR_ALERTS.message(None, PopularPage("/shoes", 2000)).identity == message.identity
