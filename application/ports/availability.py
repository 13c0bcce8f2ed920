"""What ports have in common that depend on a service outside of the process."""


class ServiceUnavailableError(RuntimeError):
    """A service did not answer, or cannot do its work at the moment; a later attempt may succeed."""
