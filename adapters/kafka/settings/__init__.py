"""Settings of the Kafka clients by their dotted names; nothing in this package imports the client itself."""

from eddyline.adapters.kafka.settings.client_settings import LOCAL_BROKER, KafkaSettings, SettingValue, is_secret

__all__ = ["LOCAL_BROKER", "KafkaSettings", "SettingValue", "is_secret"]
