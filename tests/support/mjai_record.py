"""The recorded game of gimite's server: what went over the wire, and the walls with which it can be played again."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from support.scenario import laid

from ump.model.notation import format_mpsz, parse_mjai_face
from ump.model.seats import LETTERS
from ump.model.tiles import Tile

Said = dict[str, Any]


class Wire:
    """One seat's connection: what the server sent and what the client answered, line by line."""

    def __init__(self) -> None:
        self.lines: list[tuple[Said, str | None]] = []
        """Each message of the server, and the reply to it; None where there was none."""


def read_wires(data: Path) -> list[Wire]:
    """Return the four connections in the order of their seats, from the hello on."""
    folder = data / "mjai"
    wires = {name: Wire() for name in ("c0", "c1", "c2", "c3")}
    for line in gzip.decompress((folder / "gimite-transcript.txt.gz").read_bytes()).decode().splitlines():
        if line.startswith("#"):
            continue
        _, name, direction, text = line.split(None, 3)
        lines = wires[name].lines
        if text == "<EOF>":
            continue
        if direction == "S->C":
            lines.append((json.loads(text), None))
        else:
            lines[-1] = (lines[-1][0], text)
    return sorted(wires.values(), key=lambda wire: int(wire.lines[1][0]["id"]))


def read_log(data: Path) -> list[Said]:
    """Return the server's own log of the same game, all hands open."""
    text = gzip.decompress((data / "mjai" / "gimite-game.mjson.gz").read_bytes()).decode()
    return [json.loads(line) for line in text.splitlines()]


def walls_of(log: list[Said]) -> list[tuple[Tile, ...]]:
    """Lay out the walls with which the game of a log is played again; tiles that nobody saw are any."""
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
    return laid(hands, _mpsz(draws), _mpsz(rinshan), _mpsz(markers), _mpsz(ura), dealer=dealer)


def _mpsz(tiles: list[str]) -> str:
    return "".join(format_mpsz([parse_mjai_face(tile)]) for tile in tiles)
