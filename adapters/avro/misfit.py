"""The one error of this room that travels: a value, or a schema, is not what the type says."""


class MisfitError(ValueError):
    """Something is not of its declared type; `place` is where, from the outside in, as `.legs[].price`."""

    def __init__(self, reason: str, place: str = "") -> None:
        super().__init__(f"{place.lstrip('.')}: {reason}" if place else reason)
        self.reason = reason
        self.place = place

    def within(self, outer: str) -> "MisfitError":
        """The same misfit, seen from further outside."""
        return MisfitError(self.reason, outer + self.place)
