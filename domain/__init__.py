"""The business of the samples: values, aggregates and rules, written with the standard library alone."""
