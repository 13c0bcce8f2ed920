"""Eddyline as a program of the suite, with moments of driver and workers: `python -m benchmarks.traced.program WORKLOAD`."""

from benchmarks.suite.eddyline_program import main
from benchmarks.traced.driver import trace_driver

if __name__ == "__main__":
    trace_driver()
    main()
