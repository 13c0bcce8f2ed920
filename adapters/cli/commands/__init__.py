"""The commands, a module each; a module defines the function or the typer application that `main` adds."""
