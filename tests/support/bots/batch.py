"""A bot that reads arrays of mjai events and discards the drawn tile. A mode makes it fail.

Usage: batch.py SEAT [MODE [N]]. The mode begins with the N-th array, counted from 0; without one the bot plays to the
end.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Callable, Iterator

SEAT = int(sys.argv[1])
MODE = sys.argv[2] if len(sys.argv) > 2 else ""
BEGIN = int(sys.argv[3]) if len(sys.argv) > 3 else 0


def say(text: str) -> None:
    """Write a line."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def reply(events: list[dict[str, object]]) -> str:
    """Return the reply to an array: discard the drawn tile, pass on everything else."""
    last = events[-1]
    if last["type"] == "tsumo" and last["actor"] == SEAT:
        return json.dumps({"type": "dahai", "actor": SEAT, "pai": last["pai"], "tsumogiri": True})
    return json.dumps({"type": "none"})


def crash() -> None:
    """Exit with status 3."""
    sys.stderr.write("cannot go on\n")
    sys.exit(3)


def hang() -> None:
    """Stop reading and writing."""
    sys.stderr.write("thinking\n")
    sys.stderr.flush()
    while True:
        time.sleep(100)


def flood() -> None:
    """Write endless lines."""
    while True:
        sys.stdout.write("{}\n" * 1_000)


def stream() -> None:
    """Write one endless line."""
    while True:
        sys.stdout.write("x" * 10_000)


def rave() -> None:
    """Write a line that is not mjai."""
    say("\x07[1, 2 \xff}")


def rest() -> None:
    """Ignore SIGTERM; ``main`` also ignores the end of the input."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


MODES: dict[str, Callable[[], None]] = {
    "crash": crash,
    "hang": hang,
    "flood": flood,
    "stream": stream,
    "rave": rave,
    "rest": rest,
}


def arrays() -> Iterator[list[dict[str, object]]]:
    """Yield the arrays of standard input."""
    for line in sys.stdin:
        yield json.loads(line)


def main() -> None:
    """Play."""
    for number, events in enumerate(arrays()):
        if MODE and number >= BEGIN:
            MODES[MODE]()
        if MODE != "rave" or number < BEGIN:
            say(reply(events))
    if MODE == "rest":
        hang()


if __name__ == "__main__":
    main()
