"""The ports: abstract classes for everything the application needs from outside. No module here depends on a technology."""
