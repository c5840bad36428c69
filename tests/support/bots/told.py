"""A bot that writes what it is told to. Usage: told.py FILE REPLY ...

It copies its input to the file, and answers each line with the next reply, then with ``none``. Words instead of a reply
make it do something else: ``exit``, ``sleep``, ``error:TEXT`` (on standard error, before the next reply), ``silence``
(no answer to this line).
"""

from __future__ import annotations

import sys
import time
from pathlib import Path


def main() -> None:
    """Answer until the input ends."""
    path, *replies = sys.argv[1:]
    with Path(path).open("a", encoding="utf-8") as copy:
        for line in sys.stdin:
            copy.write(line)
            copy.flush()
            reply = replies.pop(0) if replies else '{"type":"none"}'
            while reply.startswith("error:"):
                print(reply.removeprefix("error:"), file=sys.stderr, flush=True)
                reply = replies.pop(0)
            if reply == "exit":
                sys.exit(3)
            if reply == "sleep":
                time.sleep(100)
            if reply != "silence":
                print(reply, flush=True)
    if replies:
        print(replies[0].removeprefix("error:"), file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
