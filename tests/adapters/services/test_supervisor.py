from pathlib import Path

import pytest

from eddyline.adapters.services.errors import ServiceError
from eddyline.adapters.services.supervisor import Service, Supervisor


@pytest.mark.parametrize("port", [-1, 0, 65_536])
def test_an_invalid_port_is_rejected_with_the_valid_range(tmp_path: Path, port: int) -> None:
    with pytest.raises(ServiceError, match=f"'{port}' is not a valid port for the broker; choose one from 1 to 65535"):
        Supervisor(tmp_path).up([Service.BROKER], ports={Service.BROKER: port})


def test_a_damaged_list_of_services_is_reported_with_its_path(tmp_path: Path) -> None:
    (tmp_path / "services.json").write_text('{"broker": {"pid"')
    with pytest.raises(ServiceError, match=r"services\.json' is not valid JSON; .* delete it and try again"):
        Supervisor(tmp_path).status()
