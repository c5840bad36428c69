"""Write a recorded game as people do: for each player the first hand, a row of draws, and a row of discards below it.

A column is a turn. A call stands among the draws with the own tiles in brackets, a kan on the own turn and a north that
is set aside among the discards. ``.`` marks the drawn tile that is discarded at once, ``*`` a discard with riichi,
``**`` with open riichi, ``--`` a hidden tile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ump.model.events import (
    DoraRevealed,
    DrawReason,
    Event,
    GameEnded,
    HandDealt,
    HandWon,
    KanDeclared,
    KitaDeclared,
    KyokuDrawn,
    KyokuStarted,
    RiichiDeclared,
    TenpaiDeclared,
    TileCalled,
    TileDiscarded,
    TileDrawn,
)
from ump.model.melds import Meld, MeldType
from ump.model.notation import UMP_FACES, format_ump_faces, format_ump_hand
from ump.model.seats import LETTERS, Seat, seats_from, wind_of
from ump.model.yaku import HandValue
from ump.record.recorded_game import RecordedGame, RecordedKyoku
from ump.text.layout import printable, shortened
from ump.text.text import padded, width

WINDS = ("East", "South", "West", "North")

HIDDEN = "--"
"""A hidden tile."""

INDENT = "  "
ROW = 6
"""The width of the name of a row."""

DRAWS: dict[DrawReason, str] = {
    DrawReason.EXHAUSTED: "Exhaustive draw",
    DrawReason.NAGASHI_MANGAN: "Nagashi mangan",
    DrawReason.KYUSHU_KYUHAI: "Draw: nine terminals and honours",
    DrawReason.SUUFON_RENDA: "Draw: four winds",
    DrawReason.SUUCHA_RIICHI: "Draw: four riichi",
    DrawReason.SANCHAHO: "Draw: three rons",
    DrawReason.SUUKAIKAN: "Draw: four kans",
    DrawReason.CHOMBO: "Chombo",
}

_CALLS = {MeldType.CHI: "chi", MeldType.PON: "pon", MeldType.DAIMINKAN: "kan"}


def write_text(game: RecordedGame) -> bytes:
    """Return the game as UTF-8, a block of lines for each kyoku."""
    names = tuple(shortened(printable(name)) if name else "" for name in game.names)
    blocks = ["\n".join(_head_lines(game, names))]
    blocks += ["\n".join(_Kyoku(each, names).lines()) for each in game.kyoku]
    if game.ended is not None:
        blocks.append("\n".join(_end_lines(game.ended, names)))
    return ("\n\n".join(blocks) + "\n").encode()


def _head_lines(game: RecordedGame, names: Sequence[str]) -> Iterator[str]:
    assumed = "" if game.rules_stated else " (assumed: the record does not say)"
    yield f"Rules: {game.ruleset.name}{assumed}"
    for seat, name in enumerate(names):
        yield f"{LETTERS[seat]}: {name}".rstrip()


def _end_lines(ended: GameEnded, names: Sequence[str]) -> Iterator[str]:
    yield "End"
    order = range(len(ended.points)) if not ended.places else sorted(range(len(names)), key=ended.places.__getitem__)
    for seat in order:
        place = f"{ended.places[seat]}. " if ended.places else ""
        result = f"  {ended.results[seat] / 10:+.1f}" if ended.results else ""
        yield f"{INDENT}{place}{_label(seat, names)}{ended.points[seat]:>8}{result}"


def _label(seat: Seat, names: Sequence[str]) -> str:
    """Return a seat and its name, as wide as those of all."""
    return f"{LETTERS[seat]} {padded(names[seat], max(map(width, names)))}"


class _Kyoku:
    """One kyoku, collected event by event."""

    def __init__(self, kyoku: RecordedKyoku, names: Sequence[str]) -> None:
        started = kyoku.events[0]
        assert isinstance(started, KyokuStarted)
        self._kyoku = kyoku
        self._started = started
        self._names = names
        self._hands = [HIDDEN] * len(names)
        self._turns: list[list[list[str]]] = [[] for _ in names]
        """For each seat the draw and the discard of each turn."""
        self._opened: set[Seat] = set()
        self._indicators: list[str] = []
        for event in kyoku.events:
            self._note(event)

    def _note(self, event: Event) -> None:
        match event:
            case TileDrawn(seat=seat, face=face):
                self._turns[seat].append([HIDDEN if face is None else UMP_FACES[face], ""])
            case TileDiscarded():
                riichi = ("**" if event.seat in self._opened else "*") if event.riichi else ""
                self._give(event.seat, f"{UMP_FACES[event.face]}{'.' if event.tsumogiri else ''}{riichi}")
            case TileCalled(seat=seat, meld=meld):
                assert meld.called is not None
                self._turns[seat].append([f"{_CALLS[meld.type]} {UMP_FACES[meld.called]}{_own(meld)}", ""])
            case KanDeclared(seat=seat, meld=meld):
                added = _own(meld) if meld.added is None else UMP_FACES[meld.added]
                self._give(seat, f"kan {added}")
            case KitaDeclared(seat=seat):
                self._give(seat, "north")
            case HandDealt(seat=seat, faces=faces) if faces is not None:
                self._hands[seat] = format_ump_faces(faces)
            case DoraRevealed(indicator=indicator):
                self._indicators.append(UMP_FACES[indicator])
            case RiichiDeclared(seat=seat, opened=True):
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
                case TenpaiDeclared(tenpai=True):
                    hand = "" if event.faces is None else f"  {format_ump_hand(event.faces, event.melds)}"
                    shown.append(f"{INDENT}tenpai {_label(event.seat, self._names)}{hand}")
                case HandWon():
                    yield from self._win_lines(event)
                case KyokuDrawn():
                    yield DRAWS[event.reason]
                    yield from shown
                    yield from self._payment(event.changes)
        if not self._kyoku.complete:
            yield "The record of this kyoku ends here."

    def _win_lines(self, won: HandWon) -> Iterator[str]:
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

    def _value(self, won: HandWon) -> str:
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
