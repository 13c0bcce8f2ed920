"""Codecs of primitive types, byte for byte as the serializers of Kafka's Java client. Standard library only."""
