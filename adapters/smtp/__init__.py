"""E-mail over SMTP, with the standard library."""
