"""The settings of a deployment, named as Kafka names its own and read from the command line, the environment and a TOML file."""

from eddyline.adapters.settings.errors import SETTINGS_ERRORS, SettingsError, invalid_input
from eddyline.adapters.settings.fields import DEFAULT_BOOTSTRAP_SERVERS, CodecName, Settings
from eddyline.adapters.settings.model import setting_names
from eddyline.adapters.settings.sources import flow_modules

__all__ = [
    "DEFAULT_BOOTSTRAP_SERVERS",
    "SETTINGS_ERRORS",
    "CodecName",
    "Settings",
    "SettingsError",
    "flow_modules",
    "invalid_input",
    "setting_names",
]
