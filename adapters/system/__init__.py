"""What the machine itself offers."""
