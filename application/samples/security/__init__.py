"""Security: the flows captcha and beaconing."""
