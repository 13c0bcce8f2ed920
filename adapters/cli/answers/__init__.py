"""How the answers of commands are shown as tables."""
