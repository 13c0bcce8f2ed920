"""What the core needs from outside, as abstract classes; nothing in here knows a technology."""
