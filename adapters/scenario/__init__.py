"""Tables of text as records: what Gherkin steps, or any other tests, need to talk to an engine in the words of a feature."""
