"""Keeps the plots of the last runs beside RESULTS.md: `python -m benchmarks.plots [NAME ...]`.

The benchmarks of growth and of other systems write them to `build/bench`; here they are copied to `benchmarks/plots`. Those that
have not been drawn again stay as they are. Equal results give equal files.
"""

import argparse
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.everything import OUTPUT, ROOT

FOLDER: Final = ROOT / "benchmarks" / "plots"
PLOTS: Final = (
    "growth-records",
    "growth-keys-in-turn",
    "growth-keys-at-random",
    "growth-windows",
    "stock-stats",
    "word-count",
    "clickstream",
    "notifications",
    "latency",
)


def keep(names: Sequence[str], drawn: Path, folder: Path) -> None:
    """Copy plots from the folder where they were drawn, and print when that was."""
    folder.mkdir(exist_ok=True)
    for name in names:
        file = drawn / f"{name}.svg"
        if not file.exists():
            print(f"{name}: not drawn")
            continue
        at = time.strftime("%Y-%m-%d %H:%M", time.localtime(file.stat().st_mtime))
        shutil.copyfile(file, folder / file.name)
        print(f"{name}: drawn on {at}, {file.stat().st_size:,} bytes")


def main() -> None:
    """Keep the plots that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(PLOTS)} [default: all]")
    names = parser.parse_args().names
    if unknown := set(names) - set(PLOTS):
        parser.error(f"unknown plots: {', '.join(sorted(unknown))}; there are {', '.join(PLOTS)}")
    keep(names or PLOTS, OUTPUT, FOLDER)


if __name__ == "__main__":
    main()
