"""Asks the fork server to run the command of this script's name, and behaves like it: `fork_server` describes both.

It imports little, because each command starts it. The socket of the server is in the script's folder.
"""

import json
import os
import signal
import socket
import sys


def main() -> int:
    """Return the exit code of the command."""
    ignored = [number for number in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(number) == signal.SIG_IGN]
    request = {
        "words": sys.argv,
        "folder": os.getcwd(),  # noqa: PTH109 - pathlib takes as long to import as everything else here
        "environment": dict(os.environ),
        "group": os.getpgid(0),
        "ignored": ignored,
    }
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(f"{sys.argv[0].rpartition('/')[0]}/server")
        socket.send_fds(server, [b"\n"], [0, 1, 2])
        with server.makefile("rw") as lines:
            print(json.dumps(request), file=lines, flush=True)
            process = int(lines.readline())
            for number in (signal.SIGINT, signal.SIGTERM):
                if number not in ignored:
                    signal.signal(number, lambda received, _frame: os.kill(process, received))
            return int(lines.readline())


if __name__ == "__main__":
    code = main()
    if code < 0:  # the number of the signal that ended the command
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)
