"""The table of situations in docs/check-client.md.

PYTHONPATH=. .venv/bin/python tests/support/check_page.py      # writes it anew after a situation has changed
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ump.bots.check.situations import CALLS, CONNECTION, EVENTS, OF_THREE, TURNS

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "check-client.md"
START, END = "<!-- situations -->\n", "<!-- end of situations -->\n"
GROUPS = (
    ("own turns", TURNS),
    ("tiles of other players", CALLS),
    ("what others do", EVENTS),
    ("the connection", CONNECTION),
    ("three players, with `--players 3`", OF_THREE),
)


def page(text: str) -> str:
    """Return the page with its table written anew."""
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    return before + START + "".join(line + "\n" for line in _table()) + END + after


def _table() -> Iterator[str]:
    yield from ("| situation | what it shows | expected |", "|---|---|---|")
    for title, situations in GROUPS:
        yield f"| **{title}** | | |"
        for situation in situations:
            yield f"| `{situation.name}` | {situation.teaches} | {situation.expected} |"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
