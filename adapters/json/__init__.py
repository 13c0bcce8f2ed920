"""The JSON codecs; pydantic serializes standard dataclasses, so that domain types need not know it.

Field names are camelCase in JSON, as Java programs write them; snake_case names are accepted when decoding.
"""
