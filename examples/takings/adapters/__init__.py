"""What connects the project to the outside."""
