"""Reads captures of Tenhou clients: one player's view of a game, with the actions that the server offered.

Each kyoku becomes the events of ``ump.model.events`` as that player, seat 0, sees them, each with its offers. The
result of a kyoku is left out, because no offers follow it.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Mapping
from enum import IntFlag
from pathlib import Path

from ump.model import events as ev
from ump.model.constants import LIVE_WALL
from ump.model.melds import Meld, MeldType
from ump.model.seats import Seat, seats_from
from ump.model.tiles import Face, Tile, faces_of_tiles, sort_faces
from ump.model.value import value
from ump.record.mjlog_elements import GameType, read_meld

SEATS = 4
ME: Seat = 0
REDS = (1, 1, 1)
FACE = faces_of_tiles(REDS)

RECEIVED = "Get: "
ELEMENT = re.compile(r"<(\w+)([^>]*)>")
FIELD = re.compile(r'(\w+)="([^"]*)"')
DRAWN = re.compile(r"([TUVW])(\d*)")
DISCARDED = re.compile(r"([DEFGdefg])(\d+)")


class Offer(IntFlag):
    """The offers that the server sends with a tile, as it writes them (``t="5"``)."""

    PON = 1
    DAIMINKAN = 2
    CHI = 4
    RON = 8
    TSUMO = 16
    RIICHI = 32
    """Never beside TSUMO."""
    KYUSHU_KYUHAI = 64


NOTHING = Offer(0)


@value
class Resumed:
    """The state of the kyoku when the client reconnected, by seat."""

    melds: tuple[tuple[Meld, ...], ...]
    rivers: tuple[tuple[Face, ...], ...]
    """Without the tiles that were called."""


@value
class CapturedKyoku:
    """One kyoku, as far as it was captured."""

    file: str
    number: int
    """Its place in the file, from 0."""
    events: tuple[ev.Event, ...]
    offers: tuple[Offer, ...]
    """The offers with each event."""
    furiten: tuple[bool, ...]
    """Whether the server had reported furiten by each event."""
    resumed: Resumed | None
    """The state when the client reconnected, if the beginning was not captured."""


def capture_files(data: Path) -> list[Path]:
    """Return the captures in the data folder, sorted by name; none if it has no captures."""
    return sorted((data / "tenhou" / "captures").glob("*.log.gz"))


def read_capture(path: Path) -> Iterator[CapturedKyoku]:
    """Yield the kyoku of the four-player games in one capture."""
    number = 0
    reader: _KyokuReader | None = None
    three_players = False
    for tag, fields in _elements(path):
        if tag == "GO":
            three_players = _has_three_players(fields)
        if tag in _ENDS and reader is not None:
            yield reader.kyoku(path.name, number)
            number += 1
            reader = None
        if tag in _STARTS and not three_players:
            reader = _KyokuReader(fields, None if tag == "INIT" else _resumed(fields))
        elif reader is not None:
            reader.read(tag, fields)
    if reader is not None:
        yield reader.kyoku(path.name, number)


def three_player_rounds(path: Path) -> int:
    """Return how many rounds of a capture belong to three-player games, which ``read_capture`` skips."""
    rounds = 0
    three_players = False
    for tag, fields in _elements(path):
        if tag == "GO":
            three_players = _has_three_players(fields)
        elif tag in _STARTS and three_players:
            rounds += 1
    return rounds


def _has_three_players(fields: Mapping[str, str]) -> bool:
    """Return whether GO announces a game of three players."""
    return GameType(int(fields.get("type", 0))).three_players


_STARTS = frozenset(("INIT", "REINIT"))
_ENDS = _STARTS | {"AGARI", "RYUUKYOKU", "HELO", "GO"}
"""The first element after a round: its result, the next round, or another connection."""


def _elements(path: Path) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield the elements that the client received, each with its fields."""
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        if line.startswith(RECEIVED):
            for tag, fields in ELEMENT.findall(line):
                yield tag, dict(FIELD.findall(fields))


class _KyokuReader:
    """Reads the elements of one kyoku, with the state that complete events need."""

    def __init__(self, start: Mapping[str, str], resumed: Resumed | None) -> None:
        number, honba, kyotaku, die, other, indicator = _numbers(start["seed"])
        self.resumed = resumed
        self.declared: Seat | None = None
        """The seat that has declared riichi and not yet discarded."""
        self.kan: Seat | None = None
        """The seat that has made a kan and not yet drawn for it."""
        self.last: Tile | None = None
        """The tile discarded last, or drawn last by this player."""
        self.left = LIVE_WALL if resumed is None else tiles_left(resumed)
        self.events: list[ev.Event] = []
        self.offers: list[Offer] = []
        self.furiten: list[bool] = []
        self.in_furiten = False
        points = tuple(100 * score for score in _numbers(start["ten"]))
        dealer = int(start["oya"])
        self._tell(ev.KyokuStarted(number // SEATS, dealer, honba, kyotaku, points, (die + 1, other + 1)))
        own = sort_faces(FACE[tile] for tile in _numbers(start["hai"]))
        for seat in seats_from(dealer, SEATS):
            self._tell(ev.HandDealt(seat, own if seat == ME else None))
        self._tell(ev.DoraRevealed(FACE[indicator]))

    def kyoku(self, file: str, number: int) -> CapturedKyoku:
        """Return the kyoku as read so far."""
        return CapturedKyoku(file, number, tuple(self.events), tuple(self.offers), tuple(self.furiten), self.resumed)

    def read(self, tag: str, fields: Mapping[str, str]) -> None:
        """Read an element of the kyoku; ignore elements that are not about tiles or riichi."""
        if found := DRAWN.fullmatch(tag):
            self._draw("TUVW".index(found[1]), found[2], _offer(fields))
        elif found := DISCARDED.fullmatch(tag):
            self._discard("DEFG".index(found[1].upper()), int(found[2]), found[1].islower(), _offer(fields))
        elif tag == "N":
            self._call(int(fields["who"]), int(fields["m"]), _offer(fields))
        elif tag == "REACH":
            self._riichi(int(fields["who"]), fields["step"])
        elif tag == "FURITEN":
            self.in_furiten = fields["show"] == "1"
        elif tag == "DORA":
            self._tell(ev.DoraRevealed(FACE[int(fields["hai"])]))

    def _tell(self, event: ev.Event, offer: Offer = NOTHING) -> None:
        self.events.append(event)
        self.offers.append(offer)
        self.furiten.append(self.in_furiten)

    def _draw(self, seat: Seat, tile: str, offer: Offer) -> None:
        self.left -= 1
        rinshan, self.kan = self.kan == seat, None
        self.last = int(tile) if tile else None
        self._tell(ev.TileDrawn(seat, self.left, None if self.last is None else FACE[self.last], rinshan), offer)

    def _discard(self, seat: Seat, tile: Tile, small: bool, offer: Offer) -> None:
        tsumogiri = tile == self.last if seat == ME else small
        riichi, self.declared, self.last = self.declared == seat, None, tile
        self._tell(ev.TileDiscarded(seat, FACE[tile], tsumogiri, riichi), offer)

    def _riichi(self, seat: Seat, step: str) -> None:
        if step == "1":
            self.declared = seat
            self._tell(ev.RiichiDeclared(seat))
        else:
            self._tell(ev.RiichiPaid(seat))

    def _call(self, seat: Seat, code: int, offer: Offer) -> None:
        meld = read_meld(seat, code).as_meld(REDS)
        self.kan, self.last = seat if meld.is_kan else None, None
        if meld.type in (MeldType.ANKAN, MeldType.KAKAN):
            self._tell(ev.KanDeclared(seat, meld), offer)
        else:
            self._tell(ev.TileCalled(seat, meld))


def _resumed(start: Mapping[str, str]) -> Resumed:
    """Read melds and rivers. A riichi would be marked in the river, but the six such kyoku have none."""
    melds = tuple(
        tuple(read_meld(seat, code).as_meld(REDS) for code in _numbers(start.get(f"m{seat}", "")))
        for seat in range(SEATS)
    )
    rivers = tuple(tuple(FACE[tile] for tile in _numbers(start.get(f"kawa{seat}", ""))) for seat in range(SEATS))
    return Resumed(melds, rivers)


def tiles_left(resumed: Resumed) -> int:
    """Return the number of tiles left in the wall between two turns: each drawn tile is in a river or made a kan."""
    kans = sum(meld.is_kan for melds in resumed.melds for meld in melds)
    return LIVE_WALL - kans - sum(map(len, resumed.rivers))


def _offer(fields: Mapping[str, str]) -> Offer:
    """Read the offers with a tile."""
    return Offer(int(fields.get("t", 0)))


def _numbers(text: str) -> tuple[int, ...]:
    """Read integers separated by commas; none in an empty text."""
    return tuple(map(int, text.split(","))) if text else ()
