"""Text: the flow word-count."""
