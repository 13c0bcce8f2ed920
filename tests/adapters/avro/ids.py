"""Names of parametrized tests."""


def readable(value: object) -> str:
    """Return a value as text without backslashes.

    pytest escapes them again whenever it collects the tests in one process, as mutmut does, and then no longer finds them.
    """
    return str(value).encode("ascii", "ignore").decode().replace("\\", "")
