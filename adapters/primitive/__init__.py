"""Codecs of single values and of windowed keys, byte for byte as Kafka's own serializers write them. Standard library only."""
