"""The business itself: values, aggregates and rules, written with the standard library alone."""
