"""The commands: each module defines the function, or the typer application, that `main` adds."""
