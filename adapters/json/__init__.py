"""JSON codecs: the only room that knows pydantic's JSON; domain types stay plain dataclasses that know nothing of it.

On the wire names are camelCase, as Java programs write them; snake_case is read as well.
"""
