"""A recorded game to read on a terminal: a block for each kyoku, with its hands, a line for each turn, and its results.

The words are those that people at the server's own table read (``ump.text.narration``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ump.model.events import (
    Event,
    GameEnded,
    GameStarted,
    HandDealt,
    KanDeclared,
    KitaDeclared,
    KyokuEnded,
    KyokuStarted,
    RiichiDeclared,
    RiichiPaid,
    TileCalled,
    TileDiscarded,
    TileDrawn,
)
from ump.model.melds import MeldType
from ump.model.seats import LETTERS, Seat
from ump.model.value import value
from ump.record.recorded_game import RecordedGame, RecordedKyoku, RecordError
from ump.table.view import view
from ump.text.layout import wrapped
from ump.text.narration import narrate
from ump.text.position import Position
from ump.text.style import PLAIN, Role, Style
from ump.text.text import GAP, padded, width
from ump.text.wording import (
    heading,
    meld_word,
    name_word,
    place_word,
    points_word,
    seats_in_order,
    tile_word,
    tile_words,
)

_WINDS = "ESWN"
"""The letters of the prevalent winds."""

_KYOKU = re.compile(r"([ESWN])([1-4])(?:\.(\d{1,3}))?", re.IGNORECASE)
"""A kyoku as a user names it: E3 (with any honba) or E3.1 (with one honba)."""

_CALLS = {
    MeldType.CHI: "chi",
    MeldType.PON: "pon",
    MeldType.DAIMINKAN: "kan",
    MeldType.ANKAN: "kan",
    MeldType.KAKAN: "kan",
}

_DRAW = len("draw 5m")
"""The width of a draw, so that what follows it is aligned."""


@value
class KyokuName:
    """The name of a kyoku on the command line."""

    bakaze: int
    """0 east, 1 south, 2 west, 3 north."""
    dealer: Seat
    honba: int | None
    """None stands for any."""

    @classmethod
    def parse(cls, text: str) -> KyokuName:
        """Read ``E3`` or ``E3.1``, in either case; raise RecordError."""
        found = _KYOKU.fullmatch(text)
        if found is None:
            raise RecordError(f"unknown kyoku {text!a}: expected a wind and a number, E3, or with its honba, E3.1")
        wind, number, honba = found.groups()
        return cls(_WINDS.index(wind.upper()), int(number) - 1, None if honba is None else int(honba))

    def fits(self, started: KyokuStarted) -> bool:
        """Tell whether the name means the kyoku that starts so."""
        place = (started.bakaze, started.dealer)
        return place == (self.bakaze, self.dealer) and self.honba in (None, started.honba)


def game_lines(
    game: RecordedGame, seat: Seat | None = None, chosen: KyokuName | None = None, style: Style = PLAIN
) -> Iterator[str]:
    """Yield a game in lines of at most 79 columns.

    ``seat`` is the reader, who sees no more than that player saw; None sees all hands. ``chosen`` leaves out all kyoku
    with another name, and the end of the game. Raises RecordError, before the first line, if the record has no such
    seat or kyoku, or lacks the hand of the seat; later, if an event does not fit what happened before.
    """
    kyoku = chosen_kyoku(game, chosen)
    _check_seat(game, kyoku, seat)
    position = Position(seat, game.names, game.ruleset)
    yield from _opening_lines(game, position, style)
    for each in kyoku:
        yield from _KyokuText(position, style).lines(each)
    if chosen is None and game.ended is not None:
        yield from _ending_lines(game.ended, position, style)


def kyoku_word(started: KyokuStarted) -> str:
    """Return the name of a kyoku as ``KyokuName.parse`` reads it: ``E3.1``."""
    return f"{_WINDS[started.bakaze]}{started.dealer + 1}.{started.honba}"


def _started(kyoku: RecordedKyoku) -> KyokuStarted:
    started = kyoku.events[0]
    assert isinstance(started, KyokuStarted)
    return started


def chosen_kyoku(game: RecordedGame, chosen: KyokuName | None) -> Sequence[RecordedKyoku]:
    """Return the kyoku of a name, or all; raise RecordError if there is none."""
    found = [each for each in game.kyoku if chosen is None or chosen.fits(_started(each))]
    if not found:
        names = ", ".join(dict.fromkeys(kyoku_word(_started(each)) for each in game.kyoku))
        raise RecordError(f"no such kyoku in this record; it has {names or 'none'}")
    return found


def _check_seat(game: RecordedGame, kyoku: Sequence[RecordedKyoku], seat: Seat | None) -> None:
    """Raise RecordError if a seat is not in the game, or if the record hides its tiles."""
    if seat is None:
        return
    if seat >= game.ruleset.seats:
        raise RecordError(f"no seat {LETTERS[seat]} in a game of {game.ruleset.seats}")
    for event in (event for each in kyoku for event in each.events):
        hidden = isinstance(event, HandDealt) and event.faces is None
        hidden = hidden or (isinstance(event, TileDrawn) and event.face is None)
        if hidden and isinstance(event, HandDealt | TileDrawn) and event.seat == seat:
            raise RecordError(f"the record does not have the tiles of seat {LETTERS[seat]}")


def _opening_lines(game: RecordedGame, position: Position, style: Style) -> list[str]:
    """Return the rules and the players."""
    lines = narrate(GameStarted(game.names), position, style)[1:]
    if not game.from_start:
        lines[0] = heading("The record begins after the start of the game", style)
    if not game.rules_stated:
        lines += wrapped("", f"The record does not say its rules; {game.ruleset.name}'s are assumed.".split())
    return lines


def _ending_lines(event: GameEnded, position: Position, style: Style) -> list[str]:
    """Return the end of the game; some formats state the points alone."""
    if event.results and event.places:
        return narrate(event, position, style)
    rows = [f"  {name_word(seat, position)}: {points_word(event.points[seat])}" for seat in seats_in_order(position)]
    return ["", heading("The game is over", style), *rows]


class _KyokuText:
    """Writes one kyoku."""

    def __init__(self, position: Position, style: Style) -> None:
        self._position = position
        self._style = style
        self._turn: Seat | None = None
        """The player whose turn is being collected."""
        self._deeds: list[str] = []
        """What it has done in this turn."""

    def lines(self, kyoku: RecordedKyoku) -> Iterator[str]:
        """Yield the lines of a kyoku."""
        reader = self._position.seen.seat
        for number, event in enumerate(kyoku.events, 1):
            seen = view(event, reader)
            yield from self._event_lines(event if reader is None else seen)
            try:
                self._position.see(seen)
            except ValueError as error:
                where = f"{kyoku_word(_started(kyoku))}, event {number}"
                raise RecordError(f"{where} does not fit what happened before; 'ump verify' says more") from error
        yield from self._turn_lines()
        if kyoku.complete:
            self._position.see(KyokuEnded())
        else:
            yield from ("", "The record of this kyoku ends here.")

    def _event_lines(self, event: Event) -> Iterator[str]:
        """Yield the lines that an event completes."""
        match event:
            case (
                TileDrawn() | TileCalled() | KanDeclared() | KitaDeclared() | RiichiDeclared() | TileDiscarded() as move
            ):
                if move.seat != self._turn:
                    yield from self._turn_lines()
                self._turn = move.seat
                self._deeds.append(self._deed(move))
                if isinstance(move, TileDiscarded):
                    yield from self._turn_lines()
            case HandDealt(faces=faces) as dealt if self._position.seen.seat is None:
                if faces is not None:
                    yield from wrapped(self._label(dealt.seat), tile_words(faces, self._style))
            case RiichiPaid():
                pass
            case other:
                yield from self._turn_lines()
                yield from narrate(other, self._position, self._style)

    def _deed(self, move: TileDrawn | TileCalled | KanDeclared | KitaDeclared | RiichiDeclared | TileDiscarded) -> str:
        """Return a part of a turn in a word or two."""
        style = self._style
        match move:
            case TileDrawn(face=face):
                drawn = "draw" if face is None else f"draw {tile_word(face, style)}"
                return drawn if self._deeds else padded(drawn, _DRAW)
            case TileDiscarded():
                return f"discard {tile_word(move.face, style)}{'.' if move.tsumogiri else ''}"
            case RiichiDeclared():
                return style.paint(Role.RIICHI, "open riichi" if move.opened else "riichi")
            case KitaDeclared():
                return "north aside"
            case TileCalled() | KanDeclared():
                return f"{_CALLS[move.meld.type]} {meld_word(move.meld, self._position, style)}"

    def _turn_lines(self) -> list[str]:
        """Return the collected turn, and begin to collect the next one."""
        deeds, seat = self._deeds, self._turn
        self._deeds, self._turn = [], None
        if seat is None:
            return []
        return wrapped(self._label(seat), deeds, GAP)

    def _label(self, seat: Seat) -> str:
        """Return a player's place and name, as wide as those of all players."""
        position = self._position
        seats = range(position.seen.ruleset.seats)
        place = max(width(place_word(each, position)) for each in seats)
        name = max(width(name_word(each, position)) for each in seats)
        return f"{padded(place_word(seat, position), place)}{GAP}{padded(name_word(seat, position), name)}{GAP}"
