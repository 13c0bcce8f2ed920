"""The simulations by the name of the flow that they make input for."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, get_type_hints

from eddyline.domain.simulation.databases import cdc_table
from eddyline.domain.simulation.events import SimulatedEvent
from eddyline.domain.simulation.hotels import hotel_reservations
from eddyline.domain.simulation.machines import device_maintenance
from eddyline.domain.simulation.networks import beaconing
from eddyline.domain.simulation.services import log_triage
from eddyline.domain.simulation.shops import inventory
from eddyline.domain.simulation.texts import word_count
from eddyline.domain.simulation.users import captcha, fb_notifications, notification_metrics
from eddyline.domain.simulation.visits import clickstream, popular_products, product_counter


class SimulatorSetting(NamedTuple):
    """A setting of a simulation: its name, type, default, and what it means."""

    name: str
    type: Any
    default: Any
    meaning: str


@dataclass(frozen=True)
class Simulator:
    """A simulation by name, and the topics that it writes to.

    `generate` takes settings as keyword-only arguments with defaults, each annotated with what it means.
    """

    name: str
    summary: str
    topics: tuple[str, ...]
    generate: Callable[..., Iterator[SimulatedEvent]]

    @property
    def settings(self) -> Mapping[str, SimulatorSetting]:
        """The settings that `generate` takes, by name."""
        hints = get_type_hints(self.generate, include_extras=True)
        return {
            name: SimulatorSetting(name, hints[name].__origin__, parameter.default, hints[name].__metadata__[0])
            for name, parameter in inspect.signature(self.generate).parameters.items()
        }


SIMULATORS: tuple[Simulator, ...] = (
    Simulator("word-count", "Lines of text.", ("text-lines",), word_count),
    Simulator("clickstream", "Clicks, profiles and searches of users.", ("clicks", "profiles", "searches"), clickstream),
    Simulator("fb-notifications", "Users who come and go, and ticks.", ("user-actions", "ticks"), fb_notifications),
    Simulator("notification-metrics", "Notifications of users, some late.", ("notifications",), notification_metrics),
    Simulator("captcha", "Actions of people and robots, and solved captchas.", ("actions", "captchas-solved"), captcha),
    Simulator("popular-products", "Views of pages.", ("page-views",), popular_products),
    Simulator("product-counter", "Views of products.", ("product-views",), product_counter),
    Simulator("inventory", "Restocks and sales of stores.", ("items",), inventory),
    Simulator("log-triage", "Log entries of services, some in trouble.", ("logs",), log_triage),
    Simulator(
        "hotel-reservations",
        "Bookings, changes, cancellations and confirmations of guests.",
        ("bookings", "booking-changes", "cancellations", "confirmations"),
        hotel_reservations,
    ),
    Simulator(
        "device-maintenance",
        "Sensor readings of machines, some worn or silent, and services.",
        ("sensor-readings", "services"),
        device_maintenance,
    ),
    Simulator("beaconing", "Connections of hosts, some with malware.", ("connections", "known-destinations"), beaconing),
    Simulator("cdc-table", "Change events of a table, and purchases.", ("customer-changes", "purchases"), cdc_table),
)
