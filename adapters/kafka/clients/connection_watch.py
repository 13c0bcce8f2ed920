"""Notices that a connection of a producer to a broker has broken."""

from confluent_kafka import Producer


class ConnectionWatch:
    """Knows whether all connections of one producer have held; `on_disconnect` is its argument for `new_producer`.

    It does not refer to the producer, which the callback would otherwise keep alive.
    """

    def __init__(self) -> None:
        self._has_broken = False

    def on_disconnect(self) -> None:
        """Note that a connection has broken or could not be made."""
        self._has_broken = True

    def is_connected(self, producer: Producer) -> bool:
        """Return whether no connection to a broker has broken.

        Otherwise the next calls for a transaction may block: the client sends them where its coordinators were (see
        `blocking_calls`).
        """
        producer.poll(0)
        return not self._has_broken
