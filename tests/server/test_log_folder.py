"""The logs of games: their first line, the notes of bots, and disks that fail."""

from __future__ import annotations

import json
import os
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.carried_client import CarriedClient
from support.memory_server import memory_server, room
from support.mjai_bots import NONE, LockstepBot, Said

from ump.model.events import GameEnded, GameStarted, KyokuStarted, TileDiscarded, TileDrawn
from ump.model.installation import installed_version
from ump.record.lint.lint import lint
from ump.record.mjai import read_mjai
from ump.rules.options import OPTIONS
from ump.server.log_folder import GameLog, LogFolder
from ump.server.seeds import Seals, SeedSource, at_once
from ump.wire.json_text import write
from ump.wire.mjai.lockstep_session import LockstepSession
from ump.wire.session import Note

KYOKU = room(length="kyoku", house=["tsumogiri:3"], house_after=0)


def read_log(folder: Path) -> list[dict[str, Any]]:
    """Return the events of the only log in a folder."""
    (log,) = folder.iterdir()
    return [json.loads(line) for line in log.read_text(encoding="ascii").splitlines()]


def test_a_log_of_each_game(tmp_path: Path) -> None:
    """Each game has a log of its own with one event per line and no hidden tiles."""
    with memory_server(KYOKU, logs=LogFolder(tmp_path, Seals())) as server:
        server.play(server.robots("a", options="_games=2"))
    logs = sorted(tmp_path.iterdir())
    assert [log.name for log in logs] == ["1970-01-01-000000-main-1.mjson", "1970-01-01-000000-main-2.mjson"]
    for log in logs:
        assert log.stat().st_mode & 0o077 == 0
        events = [json.loads(line) for line in log.read_text(encoding="ascii").splitlines()]
        assert [events[0]["type"], events[-1]["type"]] == ["start_game", "end_game"]
        assert "id" not in events[0]
        assert all("?" not in json.dumps(event) for event in events if event["type"] in ("start_kyoku", "tsumo"))


def test_a_log_describes_its_game(tmp_path: Path) -> None:
    """The first line has the names, and what is needed to play the game again: rules, seed and versions."""
    with memory_server(KYOKU, seed="lucky", logs=LogFolder(tmp_path, Seals())) as server:
        server.play(server.robots("a"))
    start = read_log(tmp_path)[0]
    assert sorted(start) == ["names", "type", "ump"]
    assert "a" in start["names"]
    about = start["ump"]
    assert (about["table"], about["room"], about["date"]) == ("main-1", "main", "1970-01-01T00:00:00Z")
    assert about["seed"] == SeedSource("lucky").secret_of("main-1")
    assert about["rules"]["name"] == KYOKU.ruleset.name
    assert {option.name: option.format(KYOKU.ruleset) for option in OPTIONS.values()}.items() <= about["rules"].items()
    assert about["versions"] == {"ump": installed_version()}


def test_a_disk_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games go on without logs if the disk fails, and nothing is left of a log that it had no room for."""
    log = GameLog(tmp_path / "game.mjson", {}, at_once)
    log.note(GameStarted(("a", "b", "c", "d")))
    assert log._file is not None
    os.dup2(os.open("/dev/full", os.O_WRONLY), log._file.fileno())
    log.close()
    assert not [*tmp_path.iterdir()]
    with memory_server(KYOKU, logs=LogFolder(tmp_path / "gone", Seals())) as server:
        (robot,) = server.robots("a")
        server.play([robot])
        assert robot.peer.words()[-1] == "bye"


# Notes


def test_a_note_stands_at_the_event_that_was_answered(tmp_path: Path) -> None:
    """The logs of all seats stand in one field, as at gimite's server, and their objects in another."""
    log = GameLog(tmp_path / "game.mjson", {}, at_once)
    log.note(GameStarted(("a", "b", "c", "d")))
    log.note(KyokuStarted(0, 0, 0, 0, (25_000,) * 4, (1, 1)))
    log.note(TileDrawn(0, 69, 0))
    log.add_note(0, Note("I keep 1m", None))
    log.note(TileDiscarded(0, 0, tsumogiri=True))
    log.add_note(1, Note("no", '{"q_values":[0.5]}'))
    log.add_note(3, Note(None, '{"shanten":2}'))
    log.note(TileDrawn(1, 68, 0))
    log.note(GameEnded((25_000,) * 4, (1, 2, 3, 4), (0,) * 4))
    _, draw, discard, last, _ = read_log(tmp_path)
    assert (draw["logs"], draw["metas"]) == (["I keep 1m", None, None, None], [None] * 4)
    assert discard["logs"] == [None, "no", None, None]
    assert discard["metas"] == [None, {"q_values": [0.5]}, None, {"shanten": 2}]
    assert last == {"type": "tsumo", "actor": 1, "pai": "1m"}


def test_a_game_that_is_broken_off_has_its_last_event(tmp_path: Path) -> None:
    """The event that is held back is written when the log is closed."""
    log = GameLog(tmp_path / "game.mjson", {}, at_once)
    log.note(GameStarted(("a", "b", "c", "d")))
    log.close()
    assert [event["type"] for event in read_log(tmp_path)] == ["start_game"]


class NotingBot(LockstepBot):
    """A bot that adds a note to every reply."""

    def __init__(self) -> None:
        super().__init__(Random(1))
        self.decisions = 0

    def _reply(self, said: Said) -> Said:
        reply = super()._reply(said)
        self.decisions += reply != NONE
        return {**reply, "log": "a secret thought", "meta": {"shanten": self.decisions}}


def test_notes_are_in_the_log_and_nowhere_else(tmp_path: Path) -> None:
    """The notes on a bot's decisions are in the record of the game; no other player receives any."""
    with memory_server(room(length="kyoku"), logs=LogFolder(tmp_path, Seals())) as server:
        clients = [CarriedClient(server, LockstepSession(), NotingBot().hear) for _ in range(4)]
        for _ in range(2_000):
            for client in clients:
                client.play()
        server.clock.advance(1.0)
    received = [message for client in clients for message in client.heard]
    events = read_log(tmp_path)
    assert events[-1]["type"] == "end_game"
    noted = [event for event in events if "logs" in event]
    own = [event for event in noted if event["type"] == "tsumo"]
    assert len(own) > 10
    for event in own:
        assert event["logs"][event["actor"]] == "a secret thought"
        assert event["metas"][event["actor"]]["shanten"] > 0
    (path,) = tmp_path.iterdir()
    (game,) = read_mjai(path.read_bytes())
    read = [[remark.kind, remark.seat, remark.text] for kyoku in game.kyoku for remark in kyoku.remarks]
    written = [
        [kind, seat, note if kind == "log" else write(note)]
        for event in noted
        for seat in range(4)
        for kind, note in (("log", event["logs"][seat]), ("meta", event["metas"][seat]))
        if note is not None
    ]
    assert read == written
    assert list(lint(path.name, path.read_bytes()).findings) == []
    assert received
    assert not any("secret" in message or "shanten" in message for message in received)


def test_the_log_of_a_running_game_is_hidden(tmp_path: Path) -> None:
    """It holds all hands: only the server's user can read it, and no list of files that a web server makes shows it."""
    log = GameLog(tmp_path / "game.mjson", {}, at_once)
    log.note(GameStarted(("a", "b", "c", "d")))
    (running,) = tmp_path.iterdir()
    assert (running.name, running.stat().st_mode & 0o777) == (".game.mjson.running", 0o600)
    log.suspend()
    assert running.exists()
    log.close()
    assert [path.name for path in tmp_path.iterdir()] == [".game.mjson.running"]
