"""The settings of a deployment, named as Kafka names its own and read from the command line, the environment and a TOML file."""

from eddyline.adapters.codecs.installed import BUILT_IN as CODEC_NAMES
from eddyline.adapters.codecs.installed import codec_names
from eddyline.adapters.settings.errors import SETTINGS_ERRORS, SettingsError, invalid_input
from eddyline.adapters.settings.fields import DEFAULT_BOOTSTRAP_SERVERS, Settings
from eddyline.adapters.settings.files import TomlError, read_text_file, read_toml_file, reason_of
from eddyline.adapters.settings.model import setting_names
from eddyline.adapters.settings.sources import flattened, flow_modules, settings_file

__all__ = [
    "CODEC_NAMES",
    "DEFAULT_BOOTSTRAP_SERVERS",
    "SETTINGS_ERRORS",
    "Settings",
    "SettingsError",
    "TomlError",
    "codec_names",
    "flattened",
    "flow_modules",
    "invalid_input",
    "read_text_file",
    "read_toml_file",
    "reason_of",
    "setting_names",
    "settings_file",
]
