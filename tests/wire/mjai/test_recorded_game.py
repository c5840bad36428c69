"""A hanchan recorded at gimite's server, played again here: our server lines against its own, line by line.

The four clients of the record answer what they answered then. Each line that we send must hold all that gimite's server
sent, with the same values; and the game must go the same way to the same scores.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.mjai_record import Said, Wire, read_log, read_wires, walls_of
from support.mjai_table import Mjai, MjaiTable
from support.scenario import deals_of

from ump.game.game import Game
from ump.rules.presets import PRESETS
from ump.wire.mjai.lockstep import LockstepSession
from ump.wire.session import Farewell

LISTS = frozenset(("yakus", "possible_actions", "cannot_dahai", "tehais", "consumed", "hora_tehais"))
"""Where the order of a list means nothing. That of the winning tile does: see ``test_winning_tile_is_last``."""


class Replayed:
    """A client of the record: says what it said then, and holds what it hears against what it heard then."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._place = 0
        self.wrong: list[tuple[int, Said, Said]] = []
        """Places at which something else was heard."""

    def hear(self, message: str) -> Sequence[str]:
        """Compare, and answer as then."""
        recorded, reply = self._wire.lines[self._place]
        said = json.loads(message)
        if not covers(said, recorded):
            self.wrong.append((self._place, said, recorded))
        self._place += 1
        return [] if reply is None else [reply]

    @property
    def has_heard_all(self) -> bool:
        """Whether nothing of the record is left."""
        return self._place == len(self._wire.lines)


def covers(said: Said, recorded: Said) -> bool:
    """Tell whether a message holds all that the recorded one does."""
    return all(key in said and _canonical(key, said[key]) == _canonical(key, recorded[key]) for key in recorded)


def _canonical(key: str, content: object) -> object:
    if key in LISTS and isinstance(content, list):
        return sorted(json.dumps(_sorted(each), sort_keys=True) for each in content)
    return content


def _sorted(content: object) -> object:
    if isinstance(content, dict):
        return {key: _canonical(key, each) for key, each in content.items()}
    return sorted(content) if isinstance(content, list) and all(isinstance(each, str) for each in content) else content


@pytest.fixture(scope="module")
def replayed(data: Path) -> tuple[MjaiTable, list[Replayed], list[Said]]:
    """The game, played again."""
    wires, log = read_wires(data), read_log(data)
    clients = [Replayed(wire) for wire in wires]
    game = Game(PRESETS["tenhou"], log[0]["names"], deals_of(*walls_of(log)))
    seats = [Mjai(LockstepSession(), client) for client in clients]
    return MjaiTable(game, seats).begin().play(), clients, log


def test_every_line_is_as_recorded(replayed: tuple[MjaiTable, list[Replayed], list[Said]]) -> None:
    """What gimite's server said, we say, to the same seat in the same order; nothing more and nothing less."""
    _, clients, _ = replayed
    assert [client.wrong[:3] for client in clients] == [[], [], [], []]
    assert all(client.has_heard_all for client in clients)


def test_nothing_was_amiss(replayed: tuple[MjaiTable, list[Replayed], list[Said]]) -> None:
    """Every recorded reply counts; the replies to the end of the game were left out, as gimite's clients do."""
    table, _, _ = replayed
    assert table.refused == []
    assert table.defaulted == []
    assert [seat.faults() for seat in table.seats if isinstance(seat, Mjai)] == [[], [], [], []]
    assert not any(isinstance(each, Farewell) for seat in table.seats if isinstance(seat, Mjai) for each in seat.received)


def test_winning_tile_is_last(replayed: tuple[MjaiTable, list[Replayed], list[Said]]) -> None:
    """On tsumo the winning tile is the last of the shown hand; on ron it is not among them."""
    table, _, log = replayed
    assert isinstance(table.seats[0], Mjai)
    heard = [said for said in map(json.loads, table.seats[0].heard) if said["type"] == "hora"]
    recorded = [said for said in log if said["type"] == "hora"]
    assert [said["hora_tehais"][-1] for said in heard if said["actor"] == said["target"]] == [
        said["pai"] for said in recorded if said["actor"] == said["target"]
    ]
    assert [len(said["hora_tehais"]) for said in heard] == [len(said["hora_tehais"]) for said in recorded]
