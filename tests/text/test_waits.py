"""Hints about the own hand: waits, furiten, missing yaku, and the best discards."""

from __future__ import annotations

from support.rows import each_row
from support.told_events import position_after

from ump.model import events as ev
from ump.model.melds import Meld, MeldType
from ump.model.notation import parse_mpsz
from ump.model.notation import parse_ump_face as tile
from ump.rules.ruleset import Kuikae, OwnCopies, Ruleset
from ump.text.board import MAX_DISCARDS, waits_lines

START: list[ev.Event] = [ev.KyokuStarted(0, 1, 0, 0, (25_000,) * 4, (1, 1)), ev.DoraRevealed(tile("9s"))]
"""East 2: the reader in seat 0 is North."""


def hints(*events: ev.Event) -> list[str]:
    """Return the hints for the reader."""
    return waits_lines(position_after(events))


def dealt(hand: str) -> list[ev.Event]:
    """Return a kyoku in which the reader holds a hand, after the first draw of another player."""
    return [*START, ev.HandDealt(0, parse_mpsz(hand)), ev.TileDrawn(1, 69, None)]


def drew(hand: str, drawn: str, left: int = 60) -> list[ev.Event]:
    """Return the same, after a draw of the reader."""
    return [*dealt(hand), ev.TileDrawn(0, left, tile(drawn))]


def discarded(seat: int, *tiles: str) -> list[ev.Event]:
    """Return discards of the drawn tile, each after its draw."""
    return [
        event
        for text in tiles
        for event in (ev.TileDrawn(seat, 50, tile(text)), ev.TileDiscarded(seat, tile(text), True))
    ]


def chi(hand: str) -> list[ev.Event]:
    """Return a kyoku in which the reader calls 9m with 7m and 8m of its hand."""
    meld = Meld(MeldType.CHI, (tile("7m"), tile("8m")), tile("9m"), 3)
    return [*dealt(hand), *discarded(3, "9m"), ev.TileCalled(0, meld)]


TANYAO = "234m678m345s46p88p"
"""Waits for 5p, with a yaku."""
NO_YAKU = "123m678m345s46p99p"
"""Waits for 5p; a ron needs riichi."""


@each_row(
    ("events", "line"),
    [
        (dealt(TANYAO), "tenpai, waits 5p (4 unseen)"),
        (dealt("123m678m345s45p99p"), "tenpai, waits 3p (4 unseen) 6p (4 unseen)"),
        (dealt(NO_YAKU), "tenpai, waits 5p (4 unseen), no yaku for ron"),
        ([*dealt(NO_YAKU), ev.RiichiDeclared(0)], "tenpai, waits 5p (4 unseen)"),
        ([*dealt(TANYAO), *discarded(2, "5p", "1m")], "tenpai, waits 5p (3 unseen), furiten until your next draw"),
        ([*dealt(TANYAO), *discarded(0, "5p")], "tenpai, waits 5p (3 unseen), furiten"),
        (
            [*dealt(TANYAO), ev.RiichiDeclared(0), *discarded(2, "5p"), *discarded(0, "1m")],
            "tenpai, waits 5p (3 unseen), furiten",
        ),
        ([*dealt(TANYAO), *discarded(2, "5p", "5p", "5p", "5p"), *discarded(0, "1m")], "tenpai, waits 5p (0 unseen)"),
        (dealt("147m258p369s1234z"), "6-shanten, improved by 38 unseen tiles: 1m 4m 7m 2p 5p 8p 3s 6s 9s 1z 2z 3z 4z"),
        (dealt("234m678m345s99p11z"), "tenpai, waits 9p (2 unseen, no yaku for ron) 1z (2 unseen)"),
        (
            [*chi("11123m78m345s46p9p"), ev.TileDiscarded(0, tile("9p"), False)],
            "tenpai, waits 5p (4 unseen), no yaku",
        ),
    ],
)
def test_hand_between_turns(events: list[ev.Event], line: str) -> None:
    """Waits have their unseen tiles, a missing yaku, and furiten with its end; other hands their shanten number."""
    assert hints(*events) == [line]


@each_row(
    ("events", "lines"),
    [
        (drew(NO_YAKU, "1z"), ["discard 1z: tenpai, waits 5p (4 unseen), no yaku for ron"]),
        (
            drew("123m678m3459s46p9p", "5p"),
            [
                "discard 9s: tenpai, waits 9p (3 unseen), no yaku for ron",
                "discard 9p: tenpai, waits 9s (2 unseen), no yaku for ron",
            ],
        ),
        ([*drew(TANYAO, "1z"), ev.RiichiDeclared(0)], ["tenpai, waits 5p (4 unseen)"]),
        (drew(TANYAO, "5p"), ["the hand is complete"]),
        (chi("1123m78m345s46p99p"), ["discard 1m: tenpai, waits 5p (4 unseen), no yaku"]),
    ],
)
def test_hand_with_a_tile_to_discard(events: list[ev.Event], lines: list[str]) -> None:
    """Only discards that keep the least shanten are listed; in riichi there is no choice."""
    assert hints(*events) == lines


def test_discard_into_furiten() -> None:
    """A wait that the reader has discarded before makes the hand furiten."""
    events = [*dealt("123m56m678p345s9p9s"), *discarded(0, "7m"), ev.TileDrawn(0, 40, tile("9p"))]
    assert hints(*events) == ["discard 9s: tenpai, waits 4m (4 unseen) 7m (3 unseen), furiten"]


def test_at_most_six_discards_in_one_line_each() -> None:
    """If too many tiles help, their number stands for them."""
    lines = hints(*drew("147m258p369s1234z", "5z"))
    assert lines[0] == "discard 4m: 6-shanten, improved by 62 unseen tiles of 19 kinds"
    assert len(lines) == MAX_DISCARDS


def test_kuikae_is_not_suggested() -> None:
    """After a call of 9m with 7m and 8m, 9m is no discard, unless the rules allow it."""
    events = chi("789m23445p789s55z")
    assert "9m" not in " ".join(line.split(":")[0] for line in hints(*events))
    free = waits_lines(position_after(events, rules=Ruleset(kuikae=Kuikae.ALLOWED)))
    assert free == ["discard 9m: tenpai, waits 3p (3 unseen) 6p (4 unseen), no yaku"]


def test_complete_hand_without_yaku() -> None:
    """An open hand without a yaku cannot win; haitei is one."""
    events = [*chi("11123m78m345s46p9p"), ev.TileDiscarded(0, tile("9p"), False)]
    assert hints(*events, ev.TileDrawn(0, 40, tile("5p")))[:2] == [
        "the hand is complete, but it has no yaku",
        "discard 4p: tenpai, waits 4p (3 unseen) 7p (4 unseen), no yaku, furiten",
    ]
    assert hints(*events, ev.TileDrawn(0, 0, tile("5p"))) == ["the hand is complete"]


def test_wait_for_a_fifth_tile() -> None:
    """If the rules count only concealed copies, a hand may wait for a tile of which it holds all four."""
    pon = ev.TileCalled(0, Meld(MeldType.PON, (tile("4m"), tile("4m")), tile("4m"), 3))
    events = [*dealt("444m4069p123789s"), *discarded(3, "4m"), pon, ev.TileDiscarded(0, tile("9p"), False)]
    assert hints(*events) == ["tenpai, waits 4m (0 unseen)"]
    rules = Ruleset(own_copies=OwnCopies.WITH_MELDS)
    lines = waits_lines(position_after(events, rules=rules))
    assert lines == ["tenpai, but all tiles that complete the hand are in it"]


def test_without_a_hand() -> None:
    """A spectator, and a player before the deal, gets no hints."""
    assert hints(*START) == []
    assert waits_lines(position_after(dealt(TANYAO), None)) == []
