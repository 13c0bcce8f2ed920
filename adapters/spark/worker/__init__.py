"""The workers: they run tasks and cache them between batches."""
