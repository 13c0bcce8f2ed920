"""Runs the command: `python -m eddyline`."""

from eddyline.adapters.cli.main import main

if __name__ == "__main__":
    main()
