"""A recorded game in text: in turns, to read on a terminal, and in columns, as people write it down.

``ump show`` prints it in turns: a block for each kyoku, with its hands, a line for each turn, and its results. The
words are those that people at the server's own table read (``ump.text.narration``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ump.model import events as ev
from ump.model.seats import LETTERS, Seat
from ump.model.value import value
from ump.record.record_format import Carried, Fact, RecordFormat, carrying
from ump.record.recorded_game import RecordedGame, RecordedKyoku, RecordError
from ump.table.view import view
from ump.text.layout import PLAIN, TextStyle, printable, shortened, wrapped
from ump.text.narration import INDENT, KyokuInColumns, KyokuInTurns, narrate, seat_label
from ump.text.position import Position
from ump.text.wording import heading, name_word, points_word, seats_in_order

# In turns


_WINDS = "ESWN"
"""The letters of the prevalent winds."""

_KYOKU = re.compile(r"([ESWN])([1-4])(?:\.(\d{1,3}))?", re.IGNORECASE)
"""A kyoku as a user names it: E3 (with any honba) or E3.1 (with one honba)."""

_CUT = "The record of this kyoku ends here."


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
        match = _KYOKU.fullmatch(text)
        if match is None:
            raise RecordError(f"unknown kyoku {text!a}: expected a wind and a number, E3, or with its honba, E3.1")
        honba: int | None = None
        if match[3] is not None:
            honba = int(match[3])
        return cls(_WINDS.index(match[1].upper()), int(match[2]) - 1, honba)

    def fits(self, started: ev.KyokuStarted) -> bool:
        """Tell whether the name means the kyoku that starts so."""
        place = (started.bakaze, started.dealer)
        return place == (self.bakaze, self.dealer) and self.honba in (None, started.honba)


def game_lines(
    game: RecordedGame, seat: Seat | None = None, chosen: KyokuName | None = None, style: TextStyle = PLAIN
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
    for played in kyoku:
        yield from _turn_lines(played, position, style)
    if chosen is None and game.ended is not None:
        yield from _ending_lines(game.ended, position, style)


def round_word(bakaze: int, dealer: Seat) -> str:
    """Return the name of a kyoku without its honba: ``E3``."""
    return f"{_WINDS[bakaze % len(_WINDS)]}{dealer + 1}"


def kyoku_word(started: ev.KyokuStarted) -> str:
    """Return the name of a kyoku as ``KyokuName.parse`` reads it: ``E3.1``."""
    return f"{round_word(started.bakaze, started.dealer)}.{started.honba}"


def chosen_kyoku(game: RecordedGame, chosen: KyokuName | None) -> Sequence[RecordedKyoku]:
    """Return the kyoku of a name, or all; raise RecordError if there is none."""
    if chosen is None:
        fitting = list(game.kyoku)
    else:
        fitting = [kyoku for kyoku in game.kyoku if chosen.fits(kyoku.started)]
    if not fitting:
        names = ", ".join(dict.fromkeys(kyoku_word(kyoku.started) for kyoku in game.kyoku))
        raise RecordError(f"no such kyoku in this record; it has {names or 'none'}")
    return fitting


def _check_seat(game: RecordedGame, kyoku: Sequence[RecordedKyoku], seat: Seat | None) -> None:
    """Raise RecordError if a seat is not in the game, or if the record hides its tiles."""
    if seat is None:
        return
    if seat >= game.ruleset.seats:
        raise RecordError(f"no seat {LETTERS[seat]} in a game of {game.ruleset.seats}")
    if any(seat in played.hidden for played in kyoku):
        raise RecordError(f"the record does not have the tiles of seat {LETTERS[seat]}")


def _opening_lines(game: RecordedGame, position: Position, style: TextStyle) -> list[str]:
    """Return the rules and the players."""
    lines = narrate(ev.GameStarted(game.names), position, style)[1:]
    if not game.from_start:
        lines[0] = heading("The record begins after the start of the game", style)
    if not game.rules_stated:
        lines += wrapped("", f"The record does not say its rules; {game.ruleset.name}'s are assumed.".split())
    return lines


def _ending_lines(event: ev.GameEnded, position: Position, style: TextStyle) -> list[str]:
    """Return the end of the game; some formats state the points alone."""
    if event.results and event.places:
        return narrate(event, position, style)
    if not event.points:
        return ["", heading("The game is over", style)]
    rows = [f"  {name_word(seat, position)}: {points_word(event.points[seat])}" for seat in seats_in_order(position)]
    return ["", heading("The game is over", style), *rows]


def _turn_lines(kyoku: RecordedKyoku, position: Position, style: TextStyle) -> Iterator[str]:
    """Yield the lines of a kyoku."""
    turns, reader = KyokuInTurns(position, style), position.seen.seat
    for number, event in enumerate(kyoku.events, 1):
        seen = view(event, reader)
        if reader is None:
            yield from turns.tell(event)
        else:
            yield from turns.tell(seen)
        try:
            position.see(seen)
        except ValueError as error:
            where = f"{kyoku_word(kyoku.started)}, event {number}"
            raise RecordError(f"{where} does not fit what happened before; 'ump verify' says more") from error
    yield from turns.rest()
    if kyoku.complete:
        position.see(ev.KyokuEnded())
    else:
        yield from ("", _CUT)


# In columns


def write_text(game: RecordedGame) -> bytes:
    """Return the game as UTF-8, a block of lines for each kyoku."""
    names = list(map(_name_cell, game.names))
    blocks = ["\n".join(_head_lines(game, names))]
    blocks += ["\n".join(_column_lines(kyoku, names)) for kyoku in game.kyoku]
    if game.ended is not None:
        blocks.append("\n".join(_end_lines(game.ended, names)))
    return ("\n\n".join(blocks) + "\n").encode()


def _name_cell(name: str) -> str:
    if not name:
        return ""
    return shortened(printable(name))


def _head_lines(game: RecordedGame, names: Sequence[str]) -> Iterator[str]:
    rules = f"Rules: {game.ruleset.name}"
    if not game.rules_stated:
        rules += " (assumed: the record does not say)"
    yield rules
    for seat, name in enumerate(names):
        yield f"{LETTERS[seat]}: {name}".rstrip()


def _column_lines(kyoku: RecordedKyoku, names: Sequence[str]) -> Iterator[str]:
    yield from KyokuInColumns(kyoku.started, kyoku.events, names).lines()
    if not kyoku.complete:
        yield _CUT


def _end_lines(ended: ev.GameEnded, names: Sequence[str]) -> Iterator[str]:
    yield "End"
    seats = list(range(len(ended.points)))
    if ended.places:
        seats.sort(key=ended.places.__getitem__)
    for seat in seats:
        line = f"{seat_label(seat, names)}{ended.points[seat]:>8}"
        if ended.places:
            line = f"{ended.places[seat]}. {line}"
        if ended.results:
            line += f"  {ended.results[seat] / 10:+.1f}"
        yield f"{INDENT}{line}"


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
    needs=frozenset((Fact.TSUMOGIRI,)),
)
"""A game to read, print or post; ``ump show`` prints one in the order of its moves."""
