"""Notifications: the flows fb-notifications and notification-metrics."""
