"""The recorded game of gimite's server: its messages, and the walls to play it again."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ump.game.arranged_wall import build_wall
from ump.model.notation import format_mpsz, parse_mjai_face
from ump.model.seats import LETTERS
from ump.model.tiles import Tile

Said = dict[str, Any]


UNORDERED = frozenset(("yakus", "possible_actions", "cannot_dahai", "tehais", "consumed", "hora_tehais"))
"""Fields with lists in any order, except that a winning tile stands last."""


BATCH_URA = ("", "", "2m", "", "")
"""The ura indicators of the batch game, by kyoku. No bot received them; with these the scores are right."""


class RecordedConnection:
    """One seat's connection: what the server sent and what the client answered, line by line."""

    def __init__(self) -> None:
        self.lines: list[tuple[Said, str | None]] = []
        """Each message of the server and the reply to it, or None."""


def read_connections(data: Path) -> list[RecordedConnection]:
    """Return the four connections in the order of their seats, from the hello on."""
    folder = data / "mjai"
    connections = {name: RecordedConnection() for name in ("c0", "c1", "c2", "c3")}
    for line in gzip.decompress((folder / "gimite-transcript.txt.gz").read_bytes()).decode().splitlines():
        if line.startswith("#"):
            continue
        _, name, direction, text = line.split(None, 3)
        lines = connections[name].lines
        if text == "<EOF>":
            continue
        if direction == "S->C":
            lines.append((json.loads(text), None))
        else:
            lines[-1] = (lines[-1][0], text)
    return sorted(connections.values(), key=lambda connection: int(connection.lines[1][0]["id"]))


def read_log(data: Path) -> list[Said]:
    """Return the server's own log of the same game, all hands open."""
    text = gzip.decompress((data / "mjai" / "gimite-game.mjson.gz").read_bytes()).decode()
    return [json.loads(line) for line in text.splitlines()]


def walls_of(log: list[Said]) -> list[tuple[Tile, ...]]:
    """Return the walls to play the game of a log again; tiles that nobody saw are arbitrary."""
    return [_wall_of(kyoku) for kyoku in _kyokus(log)]


def _kyokus(log: list[Said]) -> Iterator[list[Said]]:
    kyoku: list[Said] = []
    for said in log:
        if said["type"] == "start_kyoku":
            kyoku = []
        kyoku.append(said)
        if said["type"] == "end_kyoku":
            yield kyoku


def _wall_of(kyoku: list[Said]) -> tuple[Tile, ...]:
    start = kyoku[0]
    draws: list[str] = []
    rinshan: list[str] = []
    markers = [start["dora_marker"]]
    ura: list[str] = []
    after_kan = False
    for said in kyoku:
        if said["type"] == "tsumo":
            (rinshan if after_kan else draws).append(said["pai"])
            after_kan = False
        after_kan = after_kan or said["type"] in ("daiminkan", "ankan", "kakan")
        if said["type"] == "dora":
            markers.append(said["dora_marker"])
        if said["type"] == "hora":
            ura = said["uradora_markers"] or ura
    hands = {LETTERS[seat]: _mpsz(hand) for seat, hand in enumerate(start["tehais"])}
    dealer = LETTERS[start["oya"]]
    return build_wall(hands, _mpsz(draws), _mpsz(rinshan), _mpsz(markers), _mpsz(ura), dealer=dealer)


def _mpsz(tiles: list[str]) -> str:
    return "".join(format_mpsz([parse_mjai_face(tile)]) for tile in tiles)


def read_batches(data: Path) -> list[RecordedConnection]:
    """Return the arrays of each seat of the recorded batch game, under ``events``, and their replies."""
    text = gzip.decompress((data / "mjai" / "mjai-app-batch-transcript.txt.gz").read_bytes()).decode()
    connections = [RecordedConnection() for _ in range(4)]
    for line in text.splitlines():
        seat, direction, content = line.split(None, 2)
        lines = connections[int(seat)].lines
        if direction == "<-":
            lines.append(({"events": json.loads(content)}, None))
        else:
            lines[-1] = (lines[-1][0], content)
    return connections


def walls_of_batches(connections: list[RecordedConnection], ura: Sequence[str] = BATCH_URA) -> list[tuple[Tile, ...]]:
    """Return the walls of the batch game, from the draws that each seat saw."""
    streams = [[event for said, _ in connection.lines for event in said["events"]] for connection in connections]
    kyokus = zip(*map(_kyokus, streams), strict=True)
    return [_joined(views, marker) for views, marker in zip(kyokus, ura, strict=True)]


def _joined(views: Sequence[list[Said]], ura: str) -> tuple[Tile, ...]:
    """Return one wall from what the four seats saw of the kyoku; nobody called, so they drew in turn."""
    start = views[0][0]
    dealer = start["oya"]
    drawn = [
        [said["pai"] for said in view if said["type"] == "tsumo" and said["actor"] == seat]
        for seat, view in enumerate(views)
    ]
    own = [iter(each) for each in drawn]
    draws = [next(own[(dealer + turn) % 4]) for turn in range(sum(map(len, drawn)))]
    hands = {LETTERS[seat]: _mpsz(view[0]["tehais"][seat]) for seat, view in enumerate(views)}
    return build_wall(hands, _mpsz(draws), "", _mpsz([start["dora_marker"]]), ura, dealer=LETTERS[dealer])


def covers(said: Said, recorded: Said) -> bool:
    """Tell whether a message has all fields of the recorded one, with the same values."""
    return all(key in said and _canonical(key, said[key]) == _canonical(key, recorded[key]) for key in recorded)


def _canonical(key: str, content: object) -> object:
    if key in UNORDERED and isinstance(content, list):
        return sorted(json.dumps(_sorted(each), sort_keys=True) for each in content)
    return content


def _sorted(content: object) -> object:
    if isinstance(content, dict):
        return {key: _canonical(key, each) for key, each in content.items()}
    return sorted(content) if isinstance(content, list) and all(isinstance(each, str) for each in content) else content
