"""The errors of the services; every message says what to do.

ServiceError
├── MissingToolError    Maven or a Java runtime is not installed
├── DownloadError       Maven could not download a service
└── ServiceStartError   a service ended while starting, or was not ready in time
"""


class ServiceError(RuntimeError):
    """The base class: a service could not be downloaded, started or stopped."""


class MissingToolError(ServiceError):
    """A program that must be installed on this machine is missing; the message says what to install."""


class DownloadError(ServiceError):
    """A failed download; the message contains the last lines of Maven's output."""


class ServiceStartError(ServiceError):
    """A service that did not start; the message contains the end of its log."""
