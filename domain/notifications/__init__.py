"""Notifications to users."""

from eddyline.domain.notifications.notification_state import NOT_VIEWING, NOTIFY_WHEN, Notification, should_notify

__all__ = ["NOTIFY_WHEN", "NOT_VIEWING", "Notification", "should_notify"]
