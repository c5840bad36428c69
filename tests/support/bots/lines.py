"""A bot that reads mjai line by line, and discards the drawn tile when it can act. Usage: lines.py SEAT."""

from __future__ import annotations

import json
import sys


def main() -> None:
    """Play."""
    seat = int(sys.argv[1])
    for line in sys.stdin:
        event = json.loads(line)
        if not event.get("can_act", True):
            continue
        if event["type"] == "tsumo" and event["actor"] == seat:
            reply = {"type": "dahai", "actor": seat, "pai": event["pai"], "tsumogiri": True}
        elif event["type"] in ("dahai", "kakan", "ankan", "kita"):
            reply = {"type": "none"}
        else:
            continue
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
