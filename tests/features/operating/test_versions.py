"""Versions side by side, over topics on files."""

from pytest_bdd import scenarios

scenarios("versions/side_by_side.feature")
