"""Notifications to users who are not looking."""

from eddyline.domain.notifications.notification_state import (
    NOT_VIEWING,
    NOTIFY_WHEN,
    Decision,
    Notification,
    NotificationState,
    Notified,
    StillLooking,
    Unknown,
)

__all__ = [
    "NOTIFY_WHEN",
    "NOT_VIEWING",
    "Decision",
    "Notification",
    "NotificationState",
    "Notified",
    "StillLooking",
    "Unknown",
]
