"""Machines and services in operation."""
