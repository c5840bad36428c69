"""Moves in words: a table of events with what a player and a spectator read."""

from __future__ import annotations

from support.rows import each_row
from support.told_events import NAMES, lines_of, position_after

from ump.model import events as ev
from ump.model.melds import Meld, MeldType
from ump.model.notation import parse_ump_face as tile
from ump.model.tiles import Face
from ump.rules.ruleset import Length, Ruleset
from ump.text.narration import narrate


def faces(text: str) -> tuple[Face, ...]:
    """Return written tiles."""
    return tuple(map(tile, text.split()))


START = ev.KyokuStarted(1, 2, 1, 2, (25_000,) * 4, (1, 1))
"""South 3: seat 2 deals, seat 0 is West."""

PON = Meld(MeldType.PON, faces("8p 8p"), tile("8p"), 0)


@each_row(
    ("event", "to_ann", "to_spectator"),
    [
        (ev.TileDiscarded(1, tile("3m"), False), "right Ben discards 3m", "North Ben discards 3m"),
        (ev.TileDiscarded(0, tile("5S"), True), "you discard 5S", "West Ann discards 5S"),
        (ev.RiichiDeclared(2), "opposite Cid declares riichi", "East Cid declares riichi"),
        (ev.RiichiDeclared(0, opened=True), "you declare open riichi", "West Ann declares open riichi"),
        (
            ev.TileCalled(3, PON),
            "left Dan calls pon: <8p 8p 8p from you>",
            "South Dan calls pon: <8p 8p 8p from West>",
        ),
        (
            ev.TileCalled(0, Meld(MeldType.CHI, faces("6m 8m"), tile("7m"), 3)),
            "you call chi: <6m 8m 7m from left>",
            "West Ann calls chi: <6m 8m 7m from South>",
        ),
        (
            ev.TileCalled(1, Meld(MeldType.DAIMINKAN, faces("5M 5m 5m"), tile("5m"), 2)),
            "right Ben calls kan: <5M 5m 5m 5m from opposite>",
            "North Ben calls kan: <5M 5m 5m 5m from East>",
        ),
        (
            ev.KanDeclared(2, Meld(MeldType.ANKAN, faces("7z 7z 7z 7z"))),
            "opposite Cid declares a closed kan: (7z 7z 7z 7z)",
            "East Cid declares a closed kan: (7z 7z 7z 7z)",
        ),
        (
            ev.KanDeclared(3, Meld(MeldType.KAKAN, faces("8p 8p"), tile("8p"), 0, tile("8p"))),
            "left Dan declares an added kan: <8p 8p 8p from you + 8p>",
            "South Dan declares an added kan: <8p 8p 8p from West + 8p>",
        ),
        (ev.DoraRevealed(tile("9p")), "dora 1p (indicator 9p)", "dora 1p (indicator 9p)"),
        (ev.RonDeclared(3), "left Dan declares ron", "South Dan declares ron"),
        (ev.TenpaiDeclared(2, False, None, ()), "opposite Cid declares noten", "East Cid declares noten"),
    ],
)
def test_moves(event: ev.Event, to_ann: str, to_spectator: str) -> None:
    """Each move is one line; a player knows the others by where they sit, a spectator by their winds."""
    assert narrate(event, position_after([START], 0)) == [to_ann]
    assert narrate(event, position_after([START], None)) == [to_spectator]


@each_row(
    ("event", "lines"),
    [
        (ev.TenpaiDeclared(1, True, faces("1m 2m 3m 9s"), (PON,)), ["right Ben declares tenpai:"]),
        (ev.HandOpened(1, faces("1m 2m 3m 9s"), (PON,)), ["right Ben shows:"]),
    ],
)
def test_shown_hands(event: ev.Event, lines: list[str]) -> None:
    """A hand that is shown to all follows with its melds."""
    assert lines_of([START, event], type(event)) == [*lines, "  1m 2m 3m 9s   <8p 8p 8p from you>"]


@each_row("event", [ev.TileDrawn(1, 20, tile("1m")), ev.RiichiPaid(1), ev.KyokuEnded()])
def test_events_without_words(event: ev.Event) -> None:
    """The board shows draws, sticks and points; no line is needed."""
    assert lines_of([START, event], type(event)) == []


def test_later_dora_are_new() -> None:
    """The first indicator belongs to the deal, another one is news."""
    events: list[ev.Event] = [START, ev.DoraRevealed(tile("9p")), ev.DoraRevealed(tile("4z"))]
    assert lines_of(events, ev.DoraRevealed) == ["dora 1p (indicator 9p)", "new dora 1z (indicator 4z)"]


def test_deal() -> None:
    """The own hand is named, others are not."""
    hand = faces("1m 9m 1p 9p 1s 9s 1z 2z 3z 4z 5z 6z 7z")
    deal: list[ev.Event] = [START, *(ev.HandDealt(seat, hand) for seat in range(4))]
    assert lines_of(deal, ev.HandDealt) == ["your hand: 1m 9m 1p 9p 1s 9s 1z 2z 3z 4z 5z 6z 7z"]
    assert lines_of(deal, ev.HandDealt, None) == []


@each_row(
    ("reader", "heading"),
    [
        (0, "=== South 3 | honba 1 | sticks 2 | opposite deals | you are West ==="),
        (2, "=== South 3 | honba 1 | sticks 2 | you deal | you are East ==="),
        (None, "=== South 3 | honba 1 | sticks 2 | Cid deals ==="),
    ],
)
def test_a_kyoku_has_a_heading(reader: int | None, heading: str) -> None:
    """The heading names the dealer and the own wind, also after a kyoku with another dealer."""
    before = ev.KyokuStarted(1, 1, 0, 0, (25_000,) * 4, (1, 1))
    position = position_after([before], reader)
    assert narrate(START, position) == ["", heading]


@each_row(
    ("length", "words"), [(Length.KYOKU, "one kyoku"), (Length.TONPU, "East only"), (Length.HANCHAN, "East and South")]
)
def test_start_of_a_game(length: Length, words: str) -> None:
    """The start of a game names its length, its rules and the players."""
    start = ev.GameStarted(NAMES)
    rules = Ruleset(length=length)
    assert lines_of([start], ev.GameStarted, 3, rules=rules) == [
        "",
        f"The game begins: {words}, rules ump, 25,000 points each",
        "right     Ann",
        "opposite  Ben",
        "left      Cid",
        "you       Dan",
    ]
