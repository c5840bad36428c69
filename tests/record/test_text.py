"""Games as text: what each line shows, and that every game can be written."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.own_games import own_games
from support.rows import each_row
from support.written_record import RECORD

from ump.model.events import GameEnded, HandWon, KanDeclared, TileDrawn
from ump.record.conversion import Conversion, convert, seen_by
from ump.record.formats import read_games
from ump.record.recorded_game import RecordError
from ump.record.text import write_text

WON = """\
C 山: ron on A A
  hand  1m9m1p9p1s9s1z2z3z4z5z6z7z 1m
  yaku  kokushimusou13 13
  value yakuman, 32000 points
  paid  A -32300, C +32300

End
  1. C 山   57300  +68.0
  2. B B    31400  +11.0
  3. D      25000  -15.0
  4. A A   -13700  -64.0
"""


def test_a_game_as_text() -> None:
    """Hands, draws over discards, results with yaku and payments, and the end."""
    text = convert("a", RECORD.encode(), Conversion("text")).games[0].decode()
    assert text.startswith("Rules: ")
    assert "value 3 han 50 fu, 6400 points\n  paid  A -6400, B +6400\n\nEast 2\n" in text
    assert "Draw: nine terminals and honours\n\nEast 2, 1 honba\n" in text
    assert text.endswith(WON)
    block = text.split("\n\n")[3]
    assert [line.rstrip()[:12] for line in block.splitlines()[:3]] == ["East 2, 1 ho", "  dora  9p", "B B   East  "]
    assert "  hand  1m9m1p9p1s9s1z2z3z4z5z6z7z\n  draws 6m\n  gives 6m.\n" in text


@each_row("seat", [None, 1])
def test_every_turn_is_there(seat: int | None) -> None:
    """Of games with kans, open riichi and norths; what a seat did not see is hidden."""
    for game in own_games():
        shown = game if seat is None else seen_by(game, seat)
        text = write_text(shown).decode()
        events = [event for kyoku in game.kyoku for event in kyoku.events]
        draws = [line for line in text.splitlines() if line.startswith("  draws ")]
        assert len(draws) == len(game.names) * len(game.kyoku)
        hidden = sum(event.seat != seat for event in events if isinstance(event, TileDrawn)) if seat is not None else 0
        assert sum(line.split().count("--") for line in draws) == hidden
        assert text.count(" points\n") == sum(isinstance(event, HandWon) for event in events)
        assert text.count("kan ") >= sum(isinstance(event, KanDeclared) for event in events)
        assert max(len(line) for line in text.splitlines()) < 200
    assert any("**" in write_text(game).decode() for game in own_games())


def test_incomplete_games_and_strange_names() -> None:
    """A cut kyoku says so; names cannot rearrange a terminal; an end may have scores alone."""
    (game,) = read_games(RECORD.encode())
    cut = replace(game.kyoku[0], events=game.kyoku[0].events[:-1], complete=False)
    ended = GameEnded((1, 2, 3, 4), (), ())
    text = write_text(replace(game, names=("a\x1b[2J", "", "x" * 50, "d"), kyoku=(cut,), ended=ended)).decode()
    assert "The record of this kyoku ends here.\n" in text
    assert "\x1b" not in text
    assert "x" * 18 + ".." in text
    assert text.splitlines()[-1].split() == ["D", "d", "4"]
    unknown = replace(game, rules_stated=False)
    assert "(assumed: the record does not say)" in write_text(unknown).decode().splitlines()[0]


def test_it_is_only_written() -> None:
    """The error says so."""
    with pytest.raises(RecordError, match="text is only written"):
        convert("a", b"Rules: tenhou", Conversion("mjai", source="text"))
