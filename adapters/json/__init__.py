"""The JSON codecs; pydantic serializes standard dataclasses, so that domain types need not know it."""
