"""The banner: what a person at the terminal reads when the server has started, in one block after the log lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ump.net.listener import Listener
from ump.rules.ruleset import Length
from ump.server.settings import RoomSettings

LENGTHS = {Length.KYOKU: "one kyoku", Length.TONPU: "east round", Length.HANCHAN: "hanchan"}
"""The lengths of games in words."""

GAP = 3
"""Spaces between the two columns, at least."""


def banner(
    listeners: Iterable[Listener], rooms: Sequence[RoomSettings], record_folder: Path | None, log_folder: Path | None
) -> str:
    """Return the block: what to type for each protocol, the rooms, and where the logs of games are."""
    rows = [(reached.label, reached.text) for listener in listeners for reached in listener.reached]
    rows += _rooms(rooms)
    rows.append(("records of games", str(record_folder or "none; --record-dir FOLDER keeps them")))
    if log_folder is not None:
        rows.append(("logs of games", str(log_folder)))
    width = max(len(label) for label, _ in rows) + GAP
    return "\n".join(["The server is ready.", *(f"  {label.ljust(width)}{text}" for label, text in rows)])


def _rooms(rooms: Sequence[RoomSettings]) -> Iterator[tuple[str, str]]:
    for room in rooms:
        ruleset = room.ruleset
        bots = min(sum(seats.most for seats in room.house), ruleset.seats - 1)
        with_bots = f"{bots or 'no'} built-in bot{'' if bots == 1 else 's'}"
        if bots:
            with_bots += f": {', '.join(dict.fromkeys(seats.label for seats in room.house))}"
        length = LENGTHS[ruleset.length] + (", duplicate" if room.duplicate else "")
        if room.rated:
            length += f", rated each {room.rated_every:g} s"
        yield f"room {room.name}", f"{length}, rules {ruleset.name}, time {room.times}, {with_bots}"
