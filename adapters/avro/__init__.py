"""The Avro format: values of Python types on one side, Avro's binary encoding on the other; only this package uses fastavro."""
