"""Reads Tenhou's game records (mjlog XML) as the events that our game must tell when it is played again.

A record names every draw, discard, call and payment with physical tiles; here each becomes the event of
``ump.model.events`` that says the same, in the order in which we tell it. What was decided follows from the events
(``support.decisions``). Four players only; the wall of each round comes from a list beside the records.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

from support.mjlog_melds import read_meld
from support.mjlog_wins import read_value

from ump.model.events import (
    DoraRevealed,
    DrawReason,
    Event,
    GameEnded,
    GameStarted,
    HandDealt,
    HandOpened,
    HandWon,
    KanDeclared,
    KyokuDrawn,
    KyokuEnded,
    KyokuStarted,
    RiichiDeclared,
    RiichiPaid,
    RonDeclared,
    TenpaiDeclared,
    TileCalled,
    TileDiscarded,
    TileDrawn,
)
from ump.model.melds import Meld, MeldType
from ump.model.seats import Seat, others_after, round_from
from ump.model.tiles import Face, Tile, faces_of_tiles, sort_faces
from ump.model.value import value
from ump.rules.ruleset import Length

SEATS = 4
REDS = (1, 1, 1)
FACE = faces_of_tiles(REDS)
LIVE = 70
HANCHAN_BIT = 8
"""Of the number that says what kind of game it is."""

DRAWN = re.compile(r"[TUVW](\d+)")
DISCARDED = re.compile(r"[DEFG](\d+)")

DRAWS = {
    None: DrawReason.EXHAUSTED,
    "yao9": DrawReason.KYUSHU_KYUHAI,
    "kaze4": DrawReason.SUUFON_RENDA,
    "reach4": DrawReason.SUUCHA_RIICHI,
    "kan4": DrawReason.SUUKAIKAN,
    "ron3": DrawReason.SANCHAHO,
    "nm": DrawReason.NAGASHI_MANGAN,
}

AT_THE_END = frozenset((DrawReason.EXHAUSTED, DrawReason.NAGASHI_MANGAN))
"""Draws at which every player is tenpai or noten."""


@value
class RecordedKyoku:
    """One round: how it was dealt and what must happen, from KyokuStarted to KyokuEnded."""

    tiles: tuple[Tile, ...]
    dice: tuple[int, int]
    events: tuple[Event, ...]


@value
class RecordedGame:
    """One whole game."""

    file: str
    length: Length
    started: GameStarted
    kyoku: tuple[RecordedKyoku, ...]
    ended: GameEnded


def read_walls(data: Path, folder: str) -> dict[str, list[list[Tile]]]:
    """Return the walls of each four-player record in a folder of tenhou/, one per round, by file name."""
    with gzip.open(data / "tenhou" / "walls.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return {row["file"]: row["walls"] for row in rows if row["folder"] == folder}


def read_game(path: Path, walls: list[list[Tile]]) -> RecordedGame:
    """Read one record, whose rounds were dealt from these walls."""
    root = ElementTree.fromstring(gzip.decompress(path.read_bytes()))
    elements = iter(root)
    names: tuple[str, ...] = ()
    kind = 0
    rounds: list[list[ElementTree.Element]] = []
    for element in elements:
        if element.tag == "GO":
            kind = int(element.attrib["type"])
        elif element.tag == "UN" and not names:
            names = tuple(unquote(element.attrib[f"n{seat}"]) for seat in range(SEATS))
        elif element.tag == "INIT":
            rounds.append([element])
        elif rounds:
            rounds[-1].append(element)
    return RecordedGame(
        file=path.name,
        length=Length.HANCHAN if kind & HANCHAN_BIT else Length.TONPU,
        started=GameStarted(names),
        kyoku=tuple(_read_kyoku(round_, wall) for round_, wall in zip(rounds, walls, strict=True)),
        ended=_read_end(rounds[-1][-1].attrib["owari"]),
    )


def _read_kyoku(elements: list[ElementTree.Element], wall: list[Tile]) -> RecordedKyoku:
    """Read the elements of one round, the first of which is INIT."""
    reader = _KyokuReader()
    events = tuple(event for element in elements for event in reader.read(element))
    return RecordedKyoku(tuple(wall), reader.dice, (*events, KyokuEnded()))


def _read_end(owari: str) -> GameEnded:
    """Read ``score,result,...``: hundreds of points, and thousands with uma and oka."""
    fields = owari.split(",")
    points = tuple(100 * int(field) for field in fields[::2])
    ranking = sorted(range(SEATS), key=lambda seat: (-points[seat], seat))
    return GameEnded(
        points=points,
        places=tuple(ranking.index(seat) + 1 for seat in range(SEATS)),
        results=tuple(round(10 * float(field)) for field in fields[1::2]),
    )


class _KyokuReader:
    """What one must remember within a round to say whole events: the record names only what is new."""

    def __init__(self) -> None:
        self.dice = (1, 1)
        self.dealer = 0
        self.hands: list[list[Tile]] = []
        self.melds: list[list[Meld]] = [[] for _ in range(SEATS)]
        self.riichi: set[Seat] = set()
        self.declared: Seat | None = None
        """Who has said riichi and not yet discarded."""
        self.kan: Seat | None = None
        """Who has made a kan and not yet drawn for it."""
        self.left = LIVE
        self.turn = 0
        self.last: Tile | None = None
        """The tile drawn or discarded last."""

    def read(self, element: ElementTree.Element) -> Iterator[Event]:
        """Yield the events that an element says; raises KeyError for an element that is not known."""
        if found := DRAWN.fullmatch(element.tag):
            yield self._draw("TUVW".index(element.tag[0]), int(found[1]))
        elif found := DISCARDED.fullmatch(element.tag):
            yield self._discard("DEFG".index(element.tag[0]), int(found[1]))
        else:
            readers = {
                "INIT": self._start,
                "REACH": self._riichi,
                "N": self._call,
                "DORA": self._dora,
                "AGARI": self._win,
                "RYUUKYOKU": self._ryukyoku,
                "BYE": self._nothing,  # the seat goes on by discarding what it draws, and says so
                "UN": self._nothing,
            }
            yield from readers[element.tag](element.attrib)

    def _nothing(self, fields: Mapping[str, str]) -> Iterator[Event]:
        return iter(())

    def _start(self, fields: Mapping[str, str]) -> Iterator[Event]:
        number, honba, kyotaku, die, other, indicator = _numbers(fields["seed"])
        self.dealer = int(fields["oya"])
        self.dice = (die + 1, other + 1)
        self.hands = [list(_numbers(fields[f"hai{seat}"])) for seat in range(SEATS)]
        points = tuple(100 * score for score in _numbers(fields["ten"]))
        yield KyokuStarted(number // SEATS, self.dealer, honba, kyotaku, points, self.dice)
        for seat in round_from(self.dealer, SEATS):
            yield HandDealt(seat, self._concealed(seat))
        yield DoraRevealed(FACE[indicator])

    def _concealed(self, seat: Seat) -> tuple[Face, ...]:
        return sort_faces(FACE[tile] for tile in self.hands[seat])

    def _draw(self, seat: Seat, tile: Tile) -> Event:
        self.left -= 1
        self.turn, self.last = seat, tile
        self.hands[seat].append(tile)
        rinshan, self.kan = self.kan == seat, None
        return TileDrawn(seat, self.left, FACE[tile], rinshan)

    def _discard(self, seat: Seat, tile: Tile) -> Event:
        self.hands[seat].remove(tile)
        tsumogiri, riichi = tile == self.last, self.declared == seat
        self.turn, self.last, self.declared = seat, tile, None
        return TileDiscarded(seat, FACE[tile], tsumogiri, riichi)

    def _riichi(self, fields: Mapping[str, str]) -> Iterator[Event]:
        seat = int(fields["who"])
        if fields["step"] == "1":
            self.declared = seat
            yield RiichiDeclared(seat)
        else:
            self.riichi.add(seat)
            yield RiichiPaid(seat)

    def _call(self, fields: Mapping[str, str]) -> Iterator[Event]:
        seat = int(fields["who"])
        meld, own = read_meld(seat, int(fields["m"]), self.last, self.melds[seat])
        for tile in own:
            self.hands[seat].remove(tile)
        if meld.type is MeldType.KAKAN:
            self.melds[seat] = [meld if old.kind == meld.kind and not old.is_kan else old for old in self.melds[seat]]
        else:
            self.melds[seat].append(meld)
        self.kan = seat if meld.is_kan else None
        self.turn, self.last = seat, None if meld.type is not MeldType.KAKAN else own[0]
        told = KanDeclared if meld.type in (MeldType.ANKAN, MeldType.KAKAN) else TileCalled
        yield told(seat, meld)

    def _dora(self, fields: Mapping[str, str]) -> Iterator[Event]:
        yield DoraRevealed(FACE[int(fields["hai"])])

    def _win(self, fields: Mapping[str, str]) -> Iterator[Event]:
        seat, source, tile = int(fields["who"]), int(fields["fromWho"]), int(fields["machi"])
        rest = sort_faces(FACE[held] for held in _numbers(fields["hai"]) if held != tile)
        liable = fields.get("paoWho")
        yield HandWon(
            seat=seat,
            loser=None if seat == source else source,
            tile=FACE[tile],
            faces=(*rest, FACE[tile]) if seat == source else rest,
            melds=tuple(self.melds[seat]),
            riichi=seat in self.riichi,
            ura=tuple(FACE[indicator] for indicator in _numbers(fields.get("doraHaiUra", ""))),
            value=read_value(fields, dealer=self.dealer),
            changes=_changes(fields),
            liable=None if liable is None else int(liable),
        )

    def _ryukyoku(self, fields: Mapping[str, str]) -> Iterator[Event]:
        reason = DRAWS[fields.get("type")]
        shown = [seat for seat in range(SEATS) if f"hai{seat}" in fields]
        for seat in shown:
            if self._concealed(seat) != sort_faces(FACE[tile] for tile in _numbers(fields[f"hai{seat}"])):
                raise ValueError(f"the record shows another hand of seat {seat} than it dealt")
        if reason in AT_THE_END:
            for seat in round_from(self.dealer, SEATS):
                faces = self._concealed(seat) if seat in shown else None
                yield TenpaiDeclared(seat, seat in shown, faces, tuple(self.melds[seat]))
        else:
            order = shown
            if reason is DrawReason.SANCHAHO:
                order = [seat for seat in others_after(self.turn, SEATS) if seat in shown]
                yield from (RonDeclared(seat) for seat in order)
            yield from (HandOpened(seat, self._concealed(seat), tuple(self.melds[seat])) for seat in order)
        yield KyokuDrawn(reason, _changes(fields))


def _numbers(text: str) -> tuple[int, ...]:
    """Read integers between commas; none in an empty text."""
    return tuple(int(number) for number in text.split(",")) if text else ()


def _changes(fields: Mapping[str, str]) -> tuple[int, ...]:
    """Read what each seat wins or loses from ``score,change,...`` in hundreds."""
    return tuple(100 * change for change in _numbers(fields["sc"])[1::2])
