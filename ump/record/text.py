"""A recorded game in text: in turns, to read on a terminal, and in columns, as people write it down.

``ump show`` prints it in turns: a block for each kyoku, with its hands, a line for each turn, and its results. The
words are those that people at the server's own table read (``ump.text.narration``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ump.model import events as ev
from ump.model.melds import Meld, MeldType
from ump.model.notation import UMP_FACES, format_ump_faces, format_ump_hand
from ump.model.seats import LETTERS, Seat, seats_from, wind_of
from ump.model.value import value
from ump.model.yaku import HandValue
from ump.record.record_format import Carried, Fact, RecordFormat, carrying
from ump.record.recorded_game import RecordedGame, RecordedKyoku, RecordError
from ump.table.view import view
from ump.text.layout import GAP, padded, printable, shortened, width, wrapped
from ump.text.narration import narrate
from ump.text.position import Position
from ump.text.style import PLAIN, Role, Style
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

# In turns


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

    def fits(self, started: ev.KyokuStarted) -> bool:
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
        yield from _KyokuTurns(position, style).lines(each)
    if chosen is None and game.ended is not None:
        yield from _ending_lines(game.ended, position, style)


def kyoku_word(started: ev.KyokuStarted) -> str:
    """Return the name of a kyoku as ``KyokuName.parse`` reads it: ``E3.1``."""
    return f"{_WINDS[started.bakaze]}{started.dealer + 1}.{started.honba}"


def chosen_kyoku(game: RecordedGame, chosen: KyokuName | None) -> Sequence[RecordedKyoku]:
    """Return the kyoku of a name, or all; raise RecordError if there is none."""
    found = [each for each in game.kyoku if chosen is None or chosen.fits(each.started)]
    if not found:
        names = ", ".join(dict.fromkeys(kyoku_word(each.started) for each in game.kyoku))
        raise RecordError(f"no such kyoku in this record; it has {names or 'none'}")
    return found


def _check_seat(game: RecordedGame, kyoku: Sequence[RecordedKyoku], seat: Seat | None) -> None:
    """Raise RecordError if a seat is not in the game, or if the record hides its tiles."""
    if seat is None:
        return
    if seat >= game.ruleset.seats:
        raise RecordError(f"no seat {LETTERS[seat]} in a game of {game.ruleset.seats}")
    for event in (event for each in kyoku for event in each.events):
        hidden = isinstance(event, ev.HandDealt) and event.faces is None
        hidden = hidden or (isinstance(event, ev.TileDrawn) and event.face is None)
        if hidden and isinstance(event, ev.HandDealt | ev.TileDrawn) and event.seat == seat:
            raise RecordError(f"the record does not have the tiles of seat {LETTERS[seat]}")


def _opening_lines(game: RecordedGame, position: Position, style: Style) -> list[str]:
    """Return the rules and the players."""
    lines = narrate(ev.GameStarted(game.names), position, style)[1:]
    if not game.from_start:
        lines[0] = heading("The record begins after the start of the game", style)
    if not game.rules_stated:
        lines += wrapped("", f"The record does not say its rules; {game.ruleset.name}'s are assumed.".split())
    return lines


def _ending_lines(event: ev.GameEnded, position: Position, style: Style) -> list[str]:
    """Return the end of the game; some formats state the points alone."""
    if event.results and event.places:
        return narrate(event, position, style)
    rows = [f"  {name_word(seat, position)}: {points_word(event.points[seat])}" for seat in seats_in_order(position)]
    return ["", heading("The game is over", style), *rows]


class _KyokuTurns:
    """Writes one kyoku."""

    def __init__(self, position: Position, style: Style) -> None:
        self._position = position
        self._style = style
        self._turn: Seat | None = None
        """The player whose turn is being collected."""
        self._deeds: list[str] = []
        """Its actions in this turn."""

    def lines(self, kyoku: RecordedKyoku) -> Iterator[str]:
        """Yield the lines of a kyoku."""
        reader = self._position.seen.seat
        for number, event in enumerate(kyoku.events, 1):
            seen = view(event, reader)
            yield from self._event_lines(event if reader is None else seen)
            try:
                self._position.see(seen)
            except ValueError as error:
                where = f"{kyoku_word(kyoku.started)}, event {number}"
                raise RecordError(f"{where} does not fit what happened before; 'ump verify' says more") from error
        yield from self._turn_lines()
        if kyoku.complete:
            self._position.see(ev.KyokuEnded())
        else:
            yield from ("", "The record of this kyoku ends here.")

    def _event_lines(self, event: ev.Event) -> Iterator[str]:
        """Yield the lines that an event completes."""
        match event:
            case (
                ev.TileDrawn()
                | ev.TileCalled()
                | ev.KanDeclared()
                | ev.KitaDeclared()
                | ev.RiichiDeclared()
                | ev.TileDiscarded() as move
            ):
                if move.seat != self._turn:
                    yield from self._turn_lines()
                self._turn = move.seat
                self._deeds.append(self._deed(move))
                if isinstance(move, ev.TileDiscarded):
                    yield from self._turn_lines()
            case ev.HandDealt(faces=faces) as dealt if self._position.seen.seat is None:
                if faces is not None:
                    yield from wrapped(self._label(dealt.seat), tile_words(faces, self._style))
            case ev.RiichiPaid():
                pass
            case other:
                yield from self._turn_lines()
                yield from narrate(other, self._position, self._style)

    def _deed(
        self,
        move: ev.TileDrawn | ev.TileCalled | ev.KanDeclared | ev.KitaDeclared | ev.RiichiDeclared | ev.TileDiscarded,
    ) -> str:
        """Return a part of a turn in a word or two."""
        style = self._style
        match move:
            case ev.TileDrawn(face=face):
                drawn = "draw" if face is None else f"draw {tile_word(face, style)}"
                return drawn if self._deeds else padded(drawn, _DRAW)
            case ev.TileDiscarded():
                return f"discard {tile_word(move.face, style)}{'.' if move.tsumogiri else ''}"
            case ev.RiichiDeclared():
                return style.paint(Role.RIICHI, "open riichi" if move.opened else "riichi")
            case ev.KitaDeclared():
                return "north aside"
            case ev.TileCalled() | ev.KanDeclared():
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


# In columns: for each player the first hand, a row of draws, and a row of discards below it
#
# A column is a turn. A call stands among the draws with the own tiles in brackets, a kan on the own turn and a north
# that is set aside among the discards. ``.`` marks the drawn tile that is discarded at once, ``*`` a discard with
# riichi, ``**`` with open riichi, ``--`` a hidden tile.


WINDS = ("East", "South", "West", "North")

HIDDEN = "--"
"""A hidden tile."""

INDENT = "  "
ROW = 6
"""The width of the name of a row."""

DRAWS: dict[ev.DrawReason, str] = {
    ev.DrawReason.EXHAUSTED: "Exhaustive draw",
    ev.DrawReason.NAGASHI_MANGAN: "Nagashi mangan",
    ev.DrawReason.KYUSHU_KYUHAI: "Draw: nine terminals and honours",
    ev.DrawReason.SUUFON_RENDA: "Draw: four winds",
    ev.DrawReason.SUUCHA_RIICHI: "Draw: four riichi",
    ev.DrawReason.SANCHAHO: "Draw: three rons",
    ev.DrawReason.SUUKAIKAN: "Draw: four kans",
    ev.DrawReason.CHOMBO: "Chombo",
}


def write_text(game: RecordedGame) -> bytes:
    """Return the game as UTF-8, a block of lines for each kyoku."""
    names = tuple(shortened(printable(name)) if name else "" for name in game.names)
    blocks = ["\n".join(_head_lines(game, names))]
    blocks += ["\n".join(_KyokuColumns(each, names).lines()) for each in game.kyoku]
    if game.ended is not None:
        blocks.append("\n".join(_end_lines(game.ended, names)))
    return ("\n\n".join(blocks) + "\n").encode()


def _head_lines(game: RecordedGame, names: Sequence[str]) -> Iterator[str]:
    assumed = "" if game.rules_stated else " (assumed: the record does not say)"
    yield f"Rules: {game.ruleset.name}{assumed}"
    for seat, name in enumerate(names):
        yield f"{LETTERS[seat]}: {name}".rstrip()


def _end_lines(ended: ev.GameEnded, names: Sequence[str]) -> Iterator[str]:
    yield "End"
    order = range(len(ended.points)) if not ended.places else sorted(range(len(names)), key=ended.places.__getitem__)
    for seat in order:
        place = f"{ended.places[seat]}. " if ended.places else ""
        result = f"  {ended.results[seat] / 10:+.1f}" if ended.results else ""
        yield f"{INDENT}{place}{_label(seat, names)}{ended.points[seat]:>8}{result}"


def _label(seat: Seat, names: Sequence[str]) -> str:
    """Return a seat and its name, as wide as those of all."""
    return f"{LETTERS[seat]} {padded(names[seat], max(map(width, names)))}"


class _KyokuColumns:
    """One kyoku, collected event by event."""

    def __init__(self, kyoku: RecordedKyoku, names: Sequence[str]) -> None:
        self._kyoku = kyoku
        self._started = kyoku.started
        self._names = names
        self._hands = [HIDDEN] * len(names)
        self._turns: list[list[list[str]]] = [[] for _ in names]
        """For each seat the draw and the discard of each turn."""
        self._opened: set[Seat] = set()
        self._indicators: list[str] = []
        for event in kyoku.events:
            self._note(event)

    def _note(self, event: ev.Event) -> None:
        match event:
            case ev.TileDrawn(seat=seat, face=face):
                self._turns[seat].append([HIDDEN if face is None else UMP_FACES[face], ""])
            case ev.TileDiscarded():
                riichi = ("**" if event.seat in self._opened else "*") if event.riichi else ""
                self._give(event.seat, f"{UMP_FACES[event.face]}{'.' if event.tsumogiri else ''}{riichi}")
            case ev.TileCalled(seat=seat, meld=meld):
                assert meld.called is not None
                self._turns[seat].append([f"{_CALLS[meld.type]} {UMP_FACES[meld.called]}{_own(meld)}", ""])
            case ev.KanDeclared(seat=seat, meld=meld):
                added = _own(meld) if meld.added is None else UMP_FACES[meld.added]
                self._give(seat, f"kan {added}")
            case ev.KitaDeclared(seat=seat):
                self._give(seat, "north")
            case ev.HandDealt(seat=seat, faces=faces) if faces is not None:
                self._hands[seat] = format_ump_faces(faces)
            case ev.DoraRevealed(indicator=indicator):
                self._indicators.append(UMP_FACES[indicator])
            case ev.RiichiDeclared(seat=seat, opened=True):
                self._opened.add(seat)

    def _give(self, seat: Seat, text: str) -> None:
        """Enter what a player gives away in its last turn; a record may begin without its draw."""
        if not self._turns[seat] or self._turns[seat][-1][1]:
            self._turns[seat].append(["", ""])
        self._turns[seat][-1][1] = text

    def lines(self) -> Iterator[str]:
        """Yield the lines of the kyoku."""
        started = self._started
        sticks = f", {started.kyotaku} riichi stick{'' if started.kyotaku == 1 else 's'}" if started.kyotaku else ""
        honba = f", {started.honba} honba" if started.honba else ""
        yield f"{WINDS[started.bakaze]} {started.dealer + 1}{honba}{sticks}"
        yield f"{INDENT}{'dora':<{ROW}}{' '.join(self._indicators)}"
        for seat in seats_from(started.dealer, len(self._names)):
            yield from self._seat_lines(seat)
        yield from self._result_lines()

    def _seat_lines(self, seat: Seat) -> Iterator[str]:
        started = self._started
        wind = WINDS[wind_of(seat, started.dealer, len(self._names))]
        yield f"{_label(seat, self._names)}  {wind:<5}{started.points[seat]:>8}"
        yield f"{INDENT}{'hand':<{ROW}}{self._hands[seat]}"
        turns = self._turns[seat]
        widths = [max(map(len, turn)) for turn in turns]
        for row, name in enumerate(("draws", "gives")):
            cells = (f"{turn[row]:<{wide}}" for turn, wide in zip(turns, widths, strict=True))
            yield f"{INDENT}{name:<{ROW}}{' '.join(cells)}".rstrip()

    def _result_lines(self) -> Iterator[str]:
        shown: list[str] = []
        for event in self._kyoku.events:
            match event:
                case ev.TenpaiDeclared(tenpai=True):
                    hand = "" if event.faces is None else f"  {format_ump_hand(event.faces, event.melds)}"
                    shown.append(f"{INDENT}tenpai {_label(event.seat, self._names)}{hand}")
                case ev.HandWon():
                    yield from self._win_lines(event)
                case ev.KyokuDrawn():
                    yield DRAWS[event.reason]
                    yield from shown
                    yield from self._payment(event.changes)
        if not self._kyoku.complete:
            yield "The record of this kyoku ends here."

    def _win_lines(self, won: ev.HandWon) -> Iterator[str]:
        loser = "tsumo" if won.loser is None else f"ron on {self._who(won.loser)}"
        liable = "" if won.liable is None else f", {LETTERS[won.liable]} is liable"
        yield f"{self._who(won.seat)}: {loser}{liable}"
        concealed = won.faces[:-1] if won.loser is None else won.faces
        norths = f" north x{won.norths}" if won.norths else ""
        yield f"{INDENT}{'hand':<{ROW}}{format_ump_hand(concealed, won.melds)} {UMP_FACES[won.tile]}{norths}"
        if won.ura:
            yield f"{INDENT}{'ura':<{ROW}}{' '.join(UMP_FACES[face] for face in won.ura)}"
        if won.value.yaku:
            yield f"{INDENT}{'yaku':<{ROW}}{', '.join(f'{yaku.romaji} {han}' for yaku, han in won.value.yaku)}"
        yield f"{INDENT}{'value':<{ROW}}{self._value(won)}"
        yield from self._payment(won.changes)

    def _who(self, seat: Seat) -> str:
        return f"{LETTERS[seat]} {self._names[seat]}".rstrip()

    def _value(self, won: ev.HandWon) -> str:
        worth, seats = won.value, len(self._names)
        is_dealer, is_tsumo = won.seat == self._started.dealer, won.loser is None
        points = worth.points(seats, is_dealer=is_dealer, is_tsumo=is_tsumo)
        return f"{_size(worth)}{points} points"

    def _payment(self, changes: Sequence[int]) -> Iterator[str]:
        if any(changes):
            paid = (f"{LETTERS[seat]} {change:+d}" for seat, change in enumerate(changes) if change)
            yield f"{INDENT}{'paid':<{ROW}}{', '.join(paid)}"


def _size(worth: HandValue) -> str:
    """Return han and fu as far as they are known: ``3 han 50 fu, ``."""
    if worth.yakuman:
        return f"{worth.yakuman if worth.yakuman > 1 else ''} yakuman, ".lstrip()
    fu = f" {worth.fu} fu" if worth.fu else ""
    return f"{worth.han} han{fu}, " if worth.han else ""


def _own(meld: Meld) -> str:
    return f"({format_ump_faces(meld.own)})"


# The format


TEXT = RecordFormat(
    key="text",
    name="text",
    suffix=".txt",
    sniff=lambda data: False,
    read=None,
    write=write_text,
    players=(3, 4),
    carries=carrying(
        {
            Carried.YES: (
                *(Fact.HANDS, Fact.NAMES, Fact.RESULTS, Fact.SCORES),
                *(Fact.YAKU, Fact.FU, Fact.URA, Fact.OPEN),
            ),
            Carried.PARTLY: (Fact.RULES,),
        }
    ),
)
"""A game to read, print or post; ``ump show`` prints one in the order of its moves."""
