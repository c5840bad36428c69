"""Games in words. One module tells what happens, in three forms, so that a word is the same in all of them.

``narrate`` tells each event in sentences, as people at a table read them; ``Turns`` tells a kyoku in a line for each
turn, ``Columns`` in a column for each turn, as people write it down.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias, assert_never

from ump.model import events as ev
from ump.model.melds import Meld, MeldType
from ump.model.notation import UMP_FACES, format_ump_faces, format_ump_hand
from ump.model.seats import LETTERS, WIND_NAMES, Seat, changed, seats_from, wind_of
from ump.model.tiles import KIND_OF, YAOCHU, Face
from ump.model.value import value
from ump.model.yaku import HandValue, up_to_hundreds
from ump.rules.placement import placement
from ump.rules.ruleset import Length
from ump.text.layout import GAP, PLAIN, TextRole, TextStyle, beside_or_below, columns, indented, padded, width, wrapped
from ump.text.position import Position
from ump.text.win import size, yaku_words
from ump.text.wording import (
    YOU,
    does,
    dora_words,
    heading,
    meld_word,
    meld_words,
    name_word,
    place_word,
    player_cells,
    player_words,
    points_word,
    round_words,
    seats_in_order,
    tile_word,
    tile_words,
)

# Words


@value
class DrawWords:
    """The words for the reason of a draw."""

    brief: str
    full: str


DRAWS: Mapping[ev.DrawReason, DrawWords] = {
    ev.DrawReason.EXHAUSTED: DrawWords("Exhaustive draw", "Exhaustive draw: no tile is left"),
    ev.DrawReason.KYUSHU_KYUHAI: DrawWords(
        "Draw: nine terminals and honours", "Abortive draw: nine different terminals and honours (kyuushu kyuuhai)"
    ),
    ev.DrawReason.SUUFON_RENDA: DrawWords(
        "Draw: four winds", "Abortive draw: all discarded the same wind (suufon renda)"
    ),
    ev.DrawReason.SUUCHA_RIICHI: DrawWords(
        "Draw: four riichi", "Abortive draw: all players are in riichi (suucha riichi)"
    ),
    ev.DrawReason.SUUKAIKAN: DrawWords(
        "Draw: four kans", "Abortive draw: four kans by more than one player (suukaikan)"
    ),
    ev.DrawReason.SANCHAHO: DrawWords("Draw: three rons", "Abortive draw: three players declared ron (sanchahou)"),
    ev.DrawReason.NAGASHI_MANGAN: DrawWords(
        "Nagashi mangan", "Nagashi mangan: only terminals and honours discarded, none called"
    ),
    ev.DrawReason.CHOMBO: DrawWords("Chombo", "Chombo: a player pays for a foul"),
}

_CALLS = {
    MeldType.CHI: "chi",
    MeldType.PON: "pon",
    MeldType.DAIMINKAN: "kan",
    MeldType.ANKAN: "kan",
    MeldType.KAKAN: "kan",
}

_KANS = {MeldType.ANKAN: "a closed kan", MeldType.KAKAN: "an added kan"}
"""The kans of a player's own turn, in a sentence."""

_LENGTHS = {Length.KYOKU: "one kyoku", Length.TONPU: "East only", Length.HANCHAN: "East and South"}
"""The lengths of a game."""

# In sentences


def narrate(event: ev.Event, position: Position, style: TextStyle = PLAIN) -> list[str]:
    """Return the lines that tell an event to the position's seat; empty for events that need no words.

    Call it before ``position.see(event)``: results state the points before and after. Lines have at most 79 columns. An
    empty line precedes the start of a game and of a kyoku, results, and the end of the game.
    """
    match event:
        case ev.GameStarted():
            return _game_lines(position, style)
        case ev.KyokuStarted():
            return _kyoku_lines(event, position, style)
        case ev.HandWon():
            return _won_lines(event, position, style)
        case ev.KyokuDrawn():
            return _drawn_lines(event, position, style)
        case ev.GameEnded():
            return _final_lines(event, position, style)
        case ev.HandDealt(faces=faces):
            return [] if faces is None else wrapped("your hand: ", tile_words(faces, style))
        case ev.HandOpened():
            return [does(event.seat, "show", position) + ":", *_shown_hand(event.faces, event.melds, position, style)]
        case ev.TenpaiDeclared():
            return _tenpai_lines(event, position, style)
        case _:
            line = _brief_line(event, position, style)
            return [line] if line else []


_Brief: TypeAlias = (
    ev.TileDrawn
    | ev.TileDiscarded
    | ev.RiichiDeclared
    | ev.RiichiPaid
    | ev.TileCalled
    | ev.KanDeclared
    | ev.KitaDeclared
    | ev.DoraRevealed
    | ev.RonDeclared
    | ev.KyokuEnded
)
"""The events that need one line, or none."""


def _brief_line(event: _Brief, position: Position, style: TextStyle) -> str:
    """Return a move in one line; empty for a draw and for what the board shows soon."""
    match event:
        case ev.TileDiscarded():
            return f"{does(event.seat, 'discard', position)} {tile_word(event.face, style)}"
        case ev.RiichiDeclared():
            return f"{does(event.seat, 'declare', position)} {_riichi_word(event)}"
        case ev.TileCalled():
            meld = meld_word(event.meld, position, style)
            return f"{does(event.seat, 'call', position)} {_CALLS[event.meld.type]}: {meld}"
        case ev.KanDeclared():
            meld = meld_word(event.meld, position, style)
            return f"{does(event.seat, 'declare', position)} {_KANS[event.meld.type]}: {meld}"
        case ev.KitaDeclared():
            return does(event.seat, "set", position) + " a north aside"
        case ev.DoraRevealed():
            label = "new dora" if position.seen.indicators else "dora"
            return dora_words([event.indicator], position, style, label)
        case ev.RonDeclared():
            return does(event.seat, "declare", position) + " ron"
        case ev.TileDrawn() | ev.RiichiPaid() | ev.KyokuEnded():
            return ""
        case _:
            assert_never(event)


def _riichi_word(event: ev.RiichiDeclared) -> str:
    return "open riichi" if event.opened else "riichi"


def _tenpai_lines(event: ev.TenpaiDeclared, position: Position, style: TextStyle) -> list[str]:
    """Return a declaration of tenpai with the hand, or of noten."""
    declared = does(event.seat, "declare", position)
    if event.faces is None:
        return [f"{declared} noten"]
    return [f"{declared} tenpai:", *_shown_hand(event.faces, event.melds, position, style)]


def _game_lines(position: Position, style: TextStyle) -> list[str]:
    """Return the start of a game: its rules and the players."""
    rules = position.seen.ruleset
    length, points = _LENGTHS[rules.length], points_word(rules.start_points)
    start = f"The game begins: {length}, rules {rules.name}, {points} points each"
    seats = seats_in_order(position)
    return ["", heading(start, style), *columns([(place_word(s, position), name_word(s, position)) for s in seats])]


def _kyoku_lines(event: ev.KyokuStarted, position: Position, style: TextStyle) -> list[str]:
    """Return the start of a kyoku, with the dealer and the own wind. The position still shows the kyoku before."""
    seen = position.seen
    parts = [round_words(event.bakaze, event.dealer), f"honba {event.honba}", f"sticks {event.kyotaku}"]
    if seen.seat is None:
        parts.append(f"{name_word(event.dealer, position)} deals")
    else:
        place = place_word(event.dealer, position)
        parts.append("you deal" if place == YOU else f"{place} deals")
        parts.append(f"you are {WIND_NAMES[wind_of(seen.seat, event.dealer, seen.ruleset.seats)]}")
    return ["", heading(f"=== {' | '.join(parts)} ===", style)]


# Results, in sentences


@value
class WinnersPoints:
    """The parts of what a winner receives, in points."""

    points: int
    """The value of the hand alone, which all payers pay together."""
    honba: int
    sticks: int
    shares: tuple[int, ...]
    """The value as it is paid: by one player or by each; or by each of the others and by the dealer."""


def worth_of(event: ev.HandWon, dealer: Seat) -> WinnersPoints:
    """Return the parts of what a winner receives. Every protocol and text takes them from here."""
    seats, base, is_dealer = len(event.changes), event.value.base, event.seat == dealer
    points = event.value.points(seats, is_dealer=is_dealer, is_tsumo=event.loser is None)
    sticks = sum(event.changes)
    if event.loser is not None or event.liable is not None:
        shares: tuple[int, ...] = (points,)
    elif is_dealer:
        shares = (up_to_hundreds(2 * base),)
    else:
        shares = (up_to_hundreds(base), up_to_hundreds(2 * base))
    return WinnersPoints(points, event.changes[event.seat] - points - sticks, sticks, shares)


def _shown_hand(faces: Sequence[Face], melds: Sequence[Meld], position: Position, style: TextStyle) -> list[str]:
    """Return a hand that is shown to all, with its melds."""
    return _hand(" ".join(tile_words(faces, style)), melds, position, style)


def _won_lines(event: ev.HandWon, position: Position, style: TextStyle) -> list[str]:
    """Return a win: winner, hand, dora, yaku, value, who is liable, and the points. The position is that before it."""
    faces = event.faces if event.loser is not None else event.faces[:-1]
    hand = f"{' '.join(tile_words(faces, style))}  [{tile_word(event.tile, style)}]"
    lines = ["", heading(f"{does(event.seat, 'win', position)} {_way(event, position)}", style)]
    lines += _hand(hand, event.melds, position, style)
    if event.norths:
        lines.append(f"  norths set aside: {event.norths}")
    lines.append(f"  {dora_words(position.seen.indicators, position, style)}")
    if event.ura:
        lines.append(f"  {dora_words(event.ura, position, style, 'ura dora')}")
    yaku = [(f"  {yaku_words(name, style.language)}", f"{han} han") for name, han in event.value.yaku]
    lines += [*columns(yaku, right=(1,)), *_worth(event, position, style)]
    if event.liable is not None:
        liable = player_words(event.liable, position)
        lines.append(f"  {liable} {'are' if liable == YOU else 'is'} liable (pao)")
    return [*lines, *_points_table(event.changes, position)]


def _drawn_lines(event: ev.KyokuDrawn, position: Position, style: TextStyle) -> list[str]:
    """Return a draw: its reason, the players concerned, and the points. The position is that before it."""
    lines = ["", heading(DRAWS[event.reason].full, style)]
    seats = seats_in_order(position)
    match event.reason:
        case ev.DrawReason.EXHAUSTED:
            noten = [seat for seat in seats if seat not in position.tenpai]
            lines += _who("tenpai: ", [*position.tenpai], position) + _who("noten: ", noten, position)
        case ev.DrawReason.NAGASHI_MANGAN:
            lines += _who("paid to ", [seat for seat in seats if _is_nagashi(seat, position)], position)
        case ev.DrawReason.CHOMBO:
            lines += _who("paid by ", [min(seats, key=event.changes.__getitem__)], position)
        case _:
            pass  # the reason says it all
    return [*lines, *_points_table(event.changes, position)]


def _final_lines(event: ev.GameEnded, position: Position, style: TextStyle) -> list[str]:
    """Return the end of a game: places, names, points, and results with uma."""
    rows = []
    for seat in sorted(seats_in_order(position), key=event.places.__getitem__):
        shared = " (shared)" if event.places.count(event.places[seat]) > 1 else ""
        numbers = (points_word(event.points[seat]), f"{event.results[seat] / 10:+.1f}")
        rows.append((f"{event.places[seat]}{shared}", *player_cells(seat, position), *numbers))
    head = ("place", *[""] * len(player_cells(0, position)), "points", "result")
    return ["", heading("The game is over", style), *_table(head, rows, numbers=2)]


def _way(event: ev.HandWon, position: Position) -> str:
    """Return how a hand is won: by tsumo, or by ron on which tile and from whom."""
    if event.loser is None:
        return "by tsumo"
    return f"by ron on {tile_word(event.tile, PLAIN)} from {player_words(event.loser, position)}"


def _hand(hand: str, melds: Sequence[Meld], position: Position, style: TextStyle) -> list[str]:
    """Return an indented hand with its melds."""
    return beside_or_below(f"  {hand}", meld_words(melds, position, style), "  ")


def _worth(event: ev.HandWon, position: Position, style: TextStyle) -> list[str]:
    """Return han, fu, limit and points of a win, how they are paid, and what honba and sticks add."""
    if not event.value.base:  # a record may not state it, nor the changes
        return []
    value_words = size(event.value, style.language)
    if not event.changes:
        return [f"  {value_words}"]
    worth = worth_of(event, position.seen.dealer)
    value_words += f", {points_word(worth.points)} points"
    if worth.shares != (worth.points,):
        shares = "/".join(map(points_word, worth.shares))
        if len(worth.shares) == 1:
            shares += " all"
        value_words += f" ({shares})"
    parts = [value_words]
    if worth.honba:
        parts.append(f"{points_word(worth.honba)} for honba")
    if worth.sticks:
        parts.append(f"{points_word(worth.sticks)} from sticks")
    return wrapped("  ", parts, ", ")


def _is_nagashi(seat: Seat, position: Position) -> bool:
    """Tell whether a river has only terminals and honours, none of them called."""
    river = position.seen.rivers[seat]
    return not position.called[seat] and all(KIND_OF[discard.face] in YAOCHU for discard in river)


def _who(label: str, seats: Sequence[Seat], position: Position) -> list[str]:
    """Return a line with players, or several if their names are long."""
    return wrapped(f"  {label}", [player_words(seat, position) for seat in seats] or ["nobody"], ", ")


def _points_table(changes: Sequence[int], position: Position) -> list[str]:
    """Return each player's points before, change, points after and place; changes of 0 are left out."""
    if not changes:  # a record may not state them
        return []
    before = position.seen.points
    after = changed(before, changes)
    places, _ = placement(position.seen.ruleset, after)
    rows = []
    for seat in seats_in_order(position):
        change = f"{changes[seat]:+,}" if changes[seat] else ""
        numbers = (points_word(before[seat]), change, points_word(after[seat]), str(places[seat]))
        rows.append((*player_cells(seat, position), *numbers))
    head = (*[""] * len(player_cells(0, position)), "before", "change", "after", "place")
    return _table(head, rows, numbers=4)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: int) -> list[str]:
    """Return an indented table; its last columns are ``numbers``."""
    right = range(len(head) - numbers, len(head))
    return indented(columns([head, *rows], right=right))


# In turns


_DRAW = len("draw 5m")
"""The width of a draw, so that what follows it is aligned."""

_Deed: TypeAlias = (
    ev.TileDrawn | ev.TileCalled | ev.KanDeclared | ev.KitaDeclared | ev.RiichiDeclared | ev.TileDiscarded
)
"""The events of a turn."""


class KyokuInTurns:
    """Tells a kyoku in turns: one line for what a player draws, calls and discards."""

    def __init__(self, position: Position, style: TextStyle = PLAIN) -> None:
        """Begin a kyoku; ``position`` is that of the reader, None in it is one that sees all hands."""
        self._position = position
        self._style = style
        self._turn: Seat | None = None
        """The player whose turn is being collected."""
        self._deeds: list[str] = []
        """Its actions in this turn."""

    def tell(self, event: ev.Event) -> list[str]:
        """Return the lines that an event completes; call it before ``position.see(event)``."""
        match event:
            case (
                ev.TileDrawn()
                | ev.TileCalled()
                | ev.KanDeclared()
                | ev.KitaDeclared()
                | ev.RiichiDeclared()
                | ev.TileDiscarded()
            ):
                before = self.rest() if event.seat != self._turn else []
                self._turn = event.seat
                self._deeds.append(self._deed(event))
                if isinstance(event, ev.TileDiscarded):
                    return [*before, *self.rest()]
                return before
            case ev.HandDealt(faces=faces) if self._position.seen.seat is None:
                return [] if faces is None else wrapped(self._label(event.seat), tile_words(faces, self._style))
            case ev.RiichiPaid():
                return []
            case _:
                return [*self.rest(), *narrate(event, self._position, self._style)]

    def rest(self) -> list[str]:
        """Return the turn that is being collected, as at the end of a kyoku."""
        deeds, seat = self._deeds, self._turn
        self._deeds, self._turn = [], None
        if seat is None:
            return []
        return wrapped(self._label(seat), deeds, GAP)

    def _deed(self, deed: _Deed) -> str:
        """Return a part of a turn in a word or two."""
        style = self._style
        match deed:
            case ev.TileDrawn(face=face):
                drawn = "draw" if face is None else f"draw {tile_word(face, style)}"
                return drawn if self._deeds else padded(drawn, _DRAW)
            case ev.TileDiscarded():
                return f"discard {tile_word(deed.face, style)}{'.' if deed.tsumogiri else ''}"
            case ev.RiichiDeclared():
                return style.paint(TextRole.RIICHI, _riichi_word(deed))
            case ev.KitaDeclared():
                return "north aside"
            case ev.TileCalled() | ev.KanDeclared():
                return f"{_CALLS[deed.meld.type]} {meld_word(deed.meld, self._position, style)}"

    def _label(self, seat: Seat) -> str:
        """Return a player's place and name, as wide as those of all players."""
        position = self._position
        seats = range(position.seen.ruleset.seats)
        place = max(width(place_word(other, position)) for other in seats)
        name = max(width(name_word(other, position)) for other in seats)
        return f"{padded(place_word(seat, position), place)}{GAP}{padded(name_word(seat, position), name)}{GAP}"


# In columns: for each player the first hand, a row of draws, and a row of discards below it
#
# A column is a turn. A call stands among the draws with the own tiles in brackets, a kan on the own turn and a north
# that is set aside among the discards. ``.`` marks the drawn tile that is discarded at once, ``*`` a discard with
# riichi, ``**`` with open riichi, ``--`` a hidden tile.


_HIDDEN = "--"
"""A hidden tile."""

INDENT = "  "
_ROW = 6
"""The width of the name of a row."""


def seat_label(seat: Seat, names: Sequence[str]) -> str:
    """Return a seat and its name, as wide as those of all."""
    return f"{LETTERS[seat]} {padded(names[seat], max(map(width, names)))}"


class KyokuInColumns:
    """Tells a kyoku in columns."""

    def __init__(self, started: ev.KyokuStarted, events: Sequence[ev.Event], names: Sequence[str]) -> None:
        """Collect the events of a kyoku."""
        self._started = started
        self._events = events
        self._names = names
        self._hands = [_HIDDEN] * len(names)
        self._turns: list[list[list[str]]] = [[] for _ in names]
        """For each seat the draw and the discard of each turn."""
        self._opened: set[Seat] = set()
        self._indicators: list[str] = []
        for event in events:
            self._note(event)

    def _note(self, event: ev.Event) -> None:
        match event:
            case ev.TileDrawn(seat=seat, face=face):
                self._turns[seat].append([_HIDDEN if face is None else UMP_FACES[face], ""])
            case ev.TileDiscarded():
                text = UMP_FACES[event.face]
                if event.tsumogiri:
                    text += "."
                if event.riichi:
                    text += "**" if event.seat in self._opened else "*"
                self._give(event.seat, text)
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
        parts = [round_words(started.bakaze, started.dealer)]
        if started.honba:
            parts.append(f"{started.honba} honba")
        if started.kyotaku:
            sticks = "stick" if started.kyotaku == 1 else "sticks"
            parts.append(f"{started.kyotaku} riichi {sticks}")
        yield ", ".join(parts)
        yield f"{INDENT}{'dora':<{_ROW}}{' '.join(self._indicators)}"
        for seat in seats_from(started.dealer, len(self._names)):
            yield from self._seat_lines(seat)
        yield from self._result_lines()

    def _seat_lines(self, seat: Seat) -> Iterator[str]:
        started = self._started
        wind = WIND_NAMES[wind_of(seat, started.dealer, len(self._names))]
        yield f"{seat_label(seat, self._names)}  {wind:<5}{started.points[seat]:>8}"
        yield f"{INDENT}{'hand':<{_ROW}}{self._hands[seat]}"
        draws, gives = [], []
        for draw, given in self._turns[seat]:
            wide = max(len(draw), len(given))
            draws.append(draw.ljust(wide))
            gives.append(given.ljust(wide))
        for name, cells in (("draws", draws), ("gives", gives)):
            yield f"{INDENT}{name:<{_ROW}}{' '.join(cells)}".rstrip()

    def _result_lines(self) -> Iterator[str]:
        shown: list[str] = []
        for event in self._events:
            match event:
                case ev.TenpaiDeclared(tenpai=True):
                    line = f"{INDENT}tenpai {seat_label(event.seat, self._names)}"
                    if event.faces is not None:
                        line += f"  {format_ump_hand(event.faces, event.melds)}"
                    shown.append(line)
                case ev.HandWon():
                    yield from self._win_lines(event)
                case ev.KyokuDrawn():
                    yield DRAWS[event.reason].brief
                    yield from shown
                    yield from self._payment(event.changes)

    def _win_lines(self, won: ev.HandWon) -> Iterator[str]:
        if won.loser is None:
            concealed, way = won.faces[:-1], "tsumo"
        else:
            concealed, way = won.faces, f"ron on {self._who(won.loser)}"
        if won.liable is not None:
            way += f", {LETTERS[won.liable]} is liable"
        yield f"{self._who(won.seat)}: {way}"
        norths = f" north x{won.norths}" if won.norths else ""
        yield f"{INDENT}{'hand':<{_ROW}}{format_ump_hand(concealed, won.melds)} {UMP_FACES[won.tile]}{norths}"
        if won.ura:
            yield f"{INDENT}{'ura':<{_ROW}}{' '.join(UMP_FACES[face] for face in won.ura)}"
        if won.value.yaku:
            yield f"{INDENT}{'yaku':<{_ROW}}{', '.join(f'{yaku.romaji} {han}' for yaku, han in won.value.yaku)}"
        value = self._value(won)
        if value:
            yield f"{INDENT}{'value':<{_ROW}}{value}"
        yield from self._payment(won.changes)

    def _who(self, seat: Seat) -> str:
        return f"{LETTERS[seat]} {self._names[seat]}".rstrip()

    def _value(self, won: ev.HandWon) -> str:
        worth, seats = won.value, len(self._names)
        is_dealer, is_tsumo = won.seat == self._started.dealer, won.loser is None
        points = worth.points(seats, is_dealer=is_dealer, is_tsumo=is_tsumo)
        parts = _size(worth)
        if worth.base:
            parts.append(f"{points} points")
        return ", ".join(parts)

    def _payment(self, changes: Sequence[int]) -> Iterator[str]:
        if any(changes):
            paid = (f"{LETTERS[seat]} {change:+d}" for seat, change in enumerate(changes) if change)
            yield f"{INDENT}{'paid':<{_ROW}}{', '.join(paid)}"


def _size(worth: HandValue) -> list[str]:
    """Return han and fu as far as they are known: ``3 han 50 fu``."""
    if worth.yakuman:
        return ["yakuman" if worth.yakuman == 1 else f"{worth.yakuman} yakuman"]
    if not worth.han:
        return []
    if not worth.fu:
        return [f"{worth.han} han"]
    return [f"{worth.han} han {worth.fu} fu"]


def _own(meld: Meld) -> str:
    return f"({format_ump_faces(meld.own)})"
