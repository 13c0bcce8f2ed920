"""The workers: they host tasks and keep them between batches."""
