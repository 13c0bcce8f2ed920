"""What is told on a screen."""
