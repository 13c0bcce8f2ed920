"""Avro: the only room that knows fastavro; values are domain dataclasses on one side and Confluent's wire format on the other."""
