"""The sink: writes the results of each batch to the event sink."""
