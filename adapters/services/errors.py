"""What can go wrong with a service; every message names the cure.

ServiceError
├── MissingToolError    Maven or a Java runtime is not installed
├── DownloadError       Maven could not fetch what a service consists of
└── ServiceStartError   a service ended, or was not ready in time
"""


class ServiceError(RuntimeError):
    """A service could not be fetched, started or stopped."""


class MissingToolError(ServiceError):
    """A tool that must be on this machine is missing; the message says what to install."""


class DownloadError(ServiceError):
    """Maven could not fetch the parts of a service; the message holds its last lines."""


class ServiceStartError(ServiceError):
    """A service did not come up; the message holds the end of its log."""
