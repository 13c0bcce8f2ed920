"""Mail over SMTP, with the standard library."""
