"""Games recorded at other servers, played again here: our lines are compared with theirs.

The clients of the records answer what they answered then. Each line that we send must hold all that was sent then, with
the same values; so the game goes the same way to the same scores.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.hosted_table import HostedTable, SessionSeat
from support.mjai_record import (
    RecordedConnection,
    Said,
    covers,
    read_batches,
    read_connections,
    read_log,
    walls_of,
    walls_of_batches,
)
from support.scenario import deals_of

from ump.game.game import Game
from ump.rules.presets import PRESETS
from ump.wire.mjai.lockstep_session import LockstepSession
from ump.wire.mjai.piped_session import BatchSession
from ump.wire.session import Farewell, Introduction


class Replayed:
    """A client of the record: sends its recorded replies, and compares what it receives with the record."""

    def __init__(self, connection: RecordedConnection) -> None:
        self._wire = connection
        self._place = 0
        self.wrong: list[tuple[int, Said, Said]] = []
        """The places at which it received something else."""

    def hear(self, message: str) -> Sequence[str]:
        """Compare a message, and send the recorded reply."""
        recorded, reply = self._wire.lines[self._place]
        said = json.loads(message)
        if not covers(said, recorded):
            self.wrong.append((self._place, said, recorded))
        self._place += 1
        return [] if reply is None else [reply]

    @property
    def has_heard_all(self) -> bool:
        """Whether the record is used up."""
        return self._place == len(self._wire.lines)


@pytest.fixture(scope="module")
def replayed(data: Path) -> tuple[HostedTable, list[Replayed], list[Said]]:
    """Play the recorded game again."""
    connections, log = read_connections(data), read_log(data)
    clients = [Replayed(connection) for connection in connections]
    game = Game(PRESETS["tenhou"], log[0]["names"], deals_of(*walls_of(log)))
    seats = [SessionSeat(LockstepSession(), client) for client in clients]
    return HostedTable(game, seats).begin().play(), clients, log


def test_every_line_is_as_recorded(replayed: tuple[HostedTable, list[Replayed], list[Said]]) -> None:
    """Each seat receives exactly the lines that gimite's server sent, in the same order."""
    _, clients, _ = replayed
    assert [client.wrong[:3] for client in clients] == [[], [], [], []]
    assert all(client.has_heard_all for client in clients)


def test_no_reply_is_a_fault(replayed: tuple[HostedTable, list[Replayed], list[Said]]) -> None:
    """Every recorded reply counts; as with gimite's clients, only the end of the game has no reply."""
    table, _, _ = replayed
    assert table.refused == []
    assert table.defaulted == []
    assert [seat.faults() for seat in table.seats if isinstance(seat, SessionSeat)] == [[], [], [], []]
    assert not any(
        isinstance(each, Farewell) for seat in table.seats if isinstance(seat, SessionSeat) for each in seat.received
    )


def test_winning_tile_is_last(replayed: tuple[HostedTable, list[Replayed], list[Said]]) -> None:
    """On tsumo the winning tile is the last of the shown hand; on ron it is not among them."""
    table, _, log = replayed
    assert isinstance(table.seats[0], SessionSeat)
    heard = [said for said in map(json.loads, table.seats[0].heard) if said["type"] == "hora"]
    recorded = [said for said in log if said["type"] == "hora"]
    assert [said["hora_tehais"][-1] for said in heard if said["actor"] == said["target"]] == [
        said["pai"] for said in recorded if said["actor"] == said["target"]
    ]
    assert [len(said["hora_tehais"]) for said in heard] == [len(said["hora_tehais"]) for said in recorded]


class ReplayedBatches(Replayed):
    """A bot of the batch game."""

    def hear(self, message: str) -> Sequence[str]:
        """Compare an array, and send the recorded reply."""
        recorded, reply = self._wire.lines[self._place]
        events = json.loads(message)
        expected = [_without_names(event) for event in recorded["events"]]
        if len(events) != len(expected) or not all(map(covers, events, expected)):
            self.wrong.append((self._place, {"events": events}, recorded))
        self._place += 1
        return [] if reply is None else [reply]


def _without_names(event: Said) -> Said:
    """Leave out the names, which are seat numbers in the record."""
    return {key: content for key, content in event.items() if key != "names"}


def test_every_batch_is_as_recorded(data: Path) -> None:
    """Arrays begin and end as at mjai.app, with the same events, and every reply counts."""
    connections = read_batches(data)
    clients = [ReplayedBatches(connection) for connection in connections]
    game = Game(PRESETS["tenhou"], "0123", deals_of(*walls_of_batches(connections)))
    seats = [SessionSeat(BatchSession(Introduction(name=str(seat))), client) for seat, client in enumerate(clients)]
    table = HostedTable(game, seats).begin().play()
    assert [client.wrong[:2] for client in clients] == [[], [], [], []]
    assert all(client.has_heard_all for client in clients)
    assert not table.refused
    assert not table.defaulted
    assert [type(seat.received[-1]) for seat in seats] == [Farewell] * 4
