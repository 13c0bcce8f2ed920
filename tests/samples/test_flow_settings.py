"""Settings of sample flows that are out of range."""

from typing import Any

import pytest

from eddyline import FlowSettingError
from eddyline.application.samples.catalogue import find_flow


@pytest.mark.parametrize(
    ("flow", "settings", "message"),
    [
        ("large-sales", {"limit": 0.0}, "'large-sales': limit is 0.0; it must be a number above 0"),
        ("payment-approval", {"limit": 0.0}, "'payment-approval': limit is 0.0; it must be a number above 0"),
        ("payment-approval", {"most": 101}, "'payment-approval': most is 101; it must be at most 100"),
        ("payment-approval", {"within_ms": -1}, "'payment-approval': within_ms is -1; it must be a whole number of at least 0"),
        ("weekly-products", {"most": 0}, "setting 'most' of flow 'weekly-products' is 0; choose 1 or more"),
        ("search-results", {"most": 0}, "setting 'most' of flow 'search-results' is 0; choose 1 or more"),
    ],
)
def test_a_setting_out_of_range_is_refused_before_the_flow_runs(flow: str, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(FlowSettingError, match=message):
        find_flow(flow).topology(**settings)
