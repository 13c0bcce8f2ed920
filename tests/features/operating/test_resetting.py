"""Resetting a flow, over topics on files."""

from pytest_bdd import scenarios

scenarios("resetting/resetting.feature")
