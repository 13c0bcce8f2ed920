"""A script that replaces itself by a command, which the kernel kills when the process that started it ends.

usage: guard.py PARENT_PID COMMAND...
On systems other than Linux the command is not killed.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Request a SIGKILL for the death of the parent, and replace this process by the command."""
    parent, command = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            sys.exit("the parent process has ended")
    os.execv(command[0], command)  # noqa: S606 - the purpose of this script


if __name__ == "__main__":
    main()
