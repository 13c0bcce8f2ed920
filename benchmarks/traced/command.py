"""The command `eddyline`, whose driver and workers write their moments: `python -m benchmarks.traced.command run …`."""

import sys

from benchmarks.traced.moments import traced, write


def main() -> None:
    """Run the command with the arguments of this program."""
    write("python")
    from benchmarks.traced.driver import trace_driver  # noqa: PLC0415 - imports are a part of the run
    from eddyline.adapters.cli.main import main as command  # noqa: PLC0415

    trace_driver()
    if sys.argv[1:2] == ["demo"]:
        from eddyline.adapters.cli.commands import demo  # noqa: PLC0415 - likewise

        traced(demo, "write_trades", "trades")
    write("imported")
    sys.argv[0] = "eddyline"
    command()


if __name__ == "__main__":
    main()
