"""Run as a script: becomes the given command, which the kernel kills as soon as the process that started it is gone.

usage: guard.py PARENT_PID COMMAND...
On systems other than Linux the command runs without this guard.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Guards itself, then becomes the command."""
    parent, command = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            sys.exit("the process that asked for this one is gone")
    os.execv(command[0], command)  # noqa: S606 - the whole point


if __name__ == "__main__":
    main()
