"""The command line: it knows the container, the settings and the application, and leaves every technology to the container."""
