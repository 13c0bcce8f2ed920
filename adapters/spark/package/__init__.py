"""The package of an application: what executors need, in an archive that travels with it."""
