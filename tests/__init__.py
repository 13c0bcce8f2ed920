"""The proof: a folder a room, a file a thing; what Spark's workers must find again is importable from here."""
