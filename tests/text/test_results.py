"""Results in words, whole: every kind of win, draw and end of a game."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent

from support.rows import each_row
from support.scenario import Scenario
from support.told_events import lines_of
from support.yakuman import daisangen

from ump.model import events as ev
from ump.model.melds import Meld, MeldType
from ump.model.seats import Seat
from ump.model.tiles import EAST
from ump.model.yaku import HandValue, Yaku
from ump.rules.payments import win_changes
from ump.rules.presets import PRESETS
from ump.rules.score import base_points
from ump.text.layout import TextStyle
from ump.text.narration import DRAWS, worth_of
from ump.text.win import limit_name, yaku_words

TWO_CHARACTERS, NINE_CHARACTERS = 1, 8

TENPAI = "234m678m345s46p88p"
LOOSE = {"A": "147m258p369s1357z", "B": "258m369p147s2467z", "C": "369m147p258s1346z", "D": "148m259p367s2567z"}

START = ev.KyokuStarted(1, 2, 1, 1, (30_000, 24_000, 25_000, 20_000), (1, 1))
"""South 3 with one honba and a riichi stick on the table."""


def text(lines: list[str]) -> str:
    """Return lines as they are written in a test."""
    return "\n".join(lines) + "\n"


def drawn(reason: ev.DrawReason, changes: tuple[int, ...] = (0, 0, 0, 0), reader: Seat | None = 0) -> str:
    """Return the text of a draw in the kyoku of ``START``."""
    return text(lines_of([START, ev.KyokuDrawn(reason, changes)], ev.KyokuDrawn, reader))


def test_two_rons_one_after_the_other() -> None:
    """Each winner has its own value and table; honba and sticks go to the first one."""
    game = Scenario(
        {"A": "5p147m28s1357z19s2p", "B": TENPAI, "C": "234m678m345s46p22p"}, honba=1, kyotaku=2, points=[31_200] * 4
    )
    game("A sute 5p", "B ron", "C ron")
    assert text(lines_of(game.events, ev.HandWon, 3)) == dedent("""
        opposite Ben wins by ron on 5p from right Ann
          2m 3m 4m 6m 7m 8m 4p 6p 8p 8p 3s 4s 5s  [5p]
          dora 1m (indicator 9m)
          All Simples  1 han
          1 han 40 fu, 1,300 points, 300 for honba, 2,000 from sticks
                                before  change   after  place
          right     East   Ann  31,200  -1,600  29,600      4
          opposite  South  Ben  31,200  +3,600  34,800      1
          left      West   Cid  31,200          31,200      2
          you       North  Dan  31,200          31,200      3

        left Cid wins by ron on 5p from right Ann
          2m 3m 4m 6m 7m 8m 2p 2p 4p 6p 3s 4s 5s  [5p]
          dora 1m (indicator 9m)
          All Simples  1 han
          1 han 40 fu, 1,300 points
                                before  change   after  place
          right     East   Ann  29,600  -1,300  28,300      4
          opposite  South  Ben  34,800          34,800      1
          left      West   Cid  31,200  +1,300  32,500      2
          you       North  Dan  31,200          31,200      3
        """)


def test_tsumo_in_riichi_with_ura_dora() -> None:
    """The drawn tile stands apart; dora and ura dora are named with their indicators."""
    game = Scenario({"B": "23406m678p345s88p"}, "9s9p1z2z3z7m", dora="7p", ura="2m", honba=2, kyotaku=1)
    game.turns(1)("B richi 9p").pass_all().turns(3)
    game("B tsumo")
    assert text(lines_of(game.events, ev.HandWon, 1)) == dedent("""
        you win by tsumo
          2m 3m 4m 5M 6m 6p 7p 8p 8p 8p 3s 4s 5s  [7m]
          dora 8p (indicator 7p)
          ura dora 3m (indicator 2m)
          Fully Concealed Hand  1 han
          Double Riichi         2 han
          Ippatsu               1 han
          Pinfu                 1 han
          All Simples           1 han
          Dora                  3 han
          Ura Dora              1 han
          Red Five              1 han
          11 han 20 fu sanbaiman, 24,000 points (6,000/12,000), 600 for honba
          2,000 from sticks
                                before   change   after  place
          right     West   Cid  25,000   -6,200  18,800      2
          opposite  North  Dan  25,000   -6,200  18,800      3
          left      East   Ann  25,000  -12,200  12,800      4
          you       South  Ben  24,000  +26,600  50,600      1
        """)


@each_row(
    ("reader", "liable"), [(1, "opposite Dan is liable (pao)"), (3, "you are liable (pao)"), (None, "North Dan is")]
)
def test_pao_is_named(reader: Seat | None, liable: str) -> None:
    """The liable player and its payment are in the result; melds name the players that gave their tiles."""
    lines = lines_of(daisangen("C", honba=1).events, ev.HandWon, reader)
    assert any(line.startswith(f"  {liable}") for line in lines)


@each_row(
    ("han", "fu", "dealer", "loser", "kiriage", "limit", "shares"),
    [
        (4, 40, 0, 2, False, "mangan", (8_000,)),
        (3, 70, 1, 2, False, "mangan", (12_000,)),
        (4, 30, 0, None, False, None, (2_000, 3_900)),
        (4, 30, 0, None, True, "mangan", (2_000, 4_000)),
        (3, 60, 1, None, True, "mangan", (4_000,)),
        (7, 30, 1, None, False, "haneman", (6_000,)),
        (13, 40, 0, 3, False, "kazoe yakuman", (32_000,)),
    ],
)
def test_parts_of_a_win(
    han: int, fu: int, dealer: Seat, loser: Seat | None, *, kiriage: bool, limit: str | None, shares: tuple[int, ...]
) -> None:
    """The limit follows from base points, and value, honba and sticks are what the payments come to."""
    rules = replace(PRESETS["ump"], kiriage=kiriage)
    worth = HandValue(((Yaku.DORA, han),), han, fu, 0, base_points(rules, han, fu))
    changes = win_changes(rules, worth, winner=1, loser=loser, dealer=dealer, honba=2, kyotaku=1)
    won = ev.HandWon(1, loser, 0, (0,) * 13, (), False, (), worth, changes)
    parts = worth_of(won, dealer)
    assert (limit_name(worth, "en"), parts.shares) == (limit, shares)
    assert (parts.honba, parts.sticks) == (600, 1_000)
    assert parts.points + parts.honba + parts.sticks == changes[1]
    paid = {-change - (200 if loser is None else 600) for change in changes if change < 0}
    assert paid == set(shares)


def test_yakuman_by_ron_with_melds() -> None:
    """Melds have a line of their own where they do not fit; a yakuman has no fu."""
    assert text(lines_of(daisangen("C", honba=1).events, ev.HandWon, 1)) == dedent("""
        you win by ron on 1m from right Cid
          2m 3m 9m 9m  [1m]
          <5z 5z 5z from left> <6z 6z 6z from right> <7z 7z 7z from opposite>
          dora 7s (indicator 6s)
          Big Three Dragons  13 han
          yakuman, 32,000 points, 300 for honba
          opposite Dan is liable (pao)
                                before   change   after  place
          right     West   Cid  25,000  -16,000   9,000      3
          opposite  North  Dan  25,000  -16,300   8,700      4
          left      East   Ann  25,000           25,000      2
          you       South  Ben  25,000  +32,300  57,300      1
        """)


def test_yaku_and_limits_in_japanese() -> None:
    """Only yaku and limits are Japanese if the reader asks for it."""
    lines = lines_of(daisangen("C").events, ev.HandWon, 1, style=TextStyle("ja"))
    assert "  大三元  13 han" in lines
    assert "  役満, 32,000 points" in lines
    assert [line for line in lines if not line.isascii()] == ["  大三元  13 han", "  役満, 32,000 points"]


def test_long_value_wraps() -> None:
    """The value of a hand with many honba and sticks takes two lines."""
    value = HandValue(((Yaku.CHINITSU, 6), (Yaku.DORA, 8)), 14, 110, 0, 8_000)
    won = ev.HandWon(2, 1, 0, (0,) * 13, (), False, (), value, (0, -58_000, 70_000, 0))
    lines = lines_of([replace(START, honba=33, kyotaku=12), ev.DoraRevealed(8), won], ev.HandWon)
    assert lines[6:8] == [
        "  14 han 110 fu kazoe yakuman, 48,000 points, 10,000 for honba",
        "  12,000 from sticks",
    ]


def test_exhaustive_draw_shows_the_tenpai_hands() -> None:
    """Each player declares; the result names tenpai and noten players, and the payments."""
    game = Scenario({**LOOSE, "B": TENPAI, "D": "111m99p345s678p46m"}).to_the_end()("B yes", "D yes")
    assert text(lines_of(game.events, (ev.TenpaiDeclared, ev.KyokuDrawn), 1)) == dedent("""\
        left Ann declares noten
        you declare tenpai:
          2m 3m 4m 6m 7m 8m 4p 6p 8p 8p 3s 4s 5s
        right Cid declares noten
        opposite Dan declares tenpai:
          1m 1m 1m 4m 6m 6p 7p 8p 9p 9p 3s 4s 5s

        Exhaustive draw: no tile is left
          tenpai: you, opposite Dan
          noten: right Cid, left Ann
                                before  change   after  place
          right     West   Cid  25,000  -1,500  23,500      4
          opposite  North  Dan  25,000  +1,500  26,500      2
          left      East   Ann  25,000  -1,500  23,500      3
          you       South  Ben  25,000  +1,500  26,500      1
        """)


def test_exhaustive_draw_without_tenpai() -> None:
    """The result also says that no player is tenpai."""
    assert drawn(ev.DrawReason.EXHAUSTED).splitlines()[2:4] == [
        "  tenpai: nobody",
        "  noten: right Ben, opposite Cid, left Dan, you",
    ]


@each_row("reason", [reason for reason in ev.DrawReason if reason is not ev.DrawReason.EXHAUSTED])
def test_a_draw_has_its_reason(reason: ev.DrawReason) -> None:
    """The reason is in words, and the points follow even if they do not change."""
    lines = drawn(reason).splitlines()
    assert lines[:2] == ["", DRAWS[reason].full]
    assert lines[-1].split() == ["you", "West", "Ann", "30,000", "30,000", "1"]


def test_draw_for_a_spectator() -> None:
    """A spectator knows players by their winds, and nothing changes in an abortive draw."""
    assert drawn(ev.DrawReason.KYUSHU_KYUHAI, reader=None) == dedent("""
        Abortive draw: nine different terminals and honours (kyuushu kyuuhai)
                      before  change   after  place
          East   Cid  25,000          25,000      2
          South  Dan  20,000          20,000      4
          West   Ann  30,000          30,000      1
          North  Ben  24,000          24,000      3
        """)


def test_nagashi_mangan_names_the_players_that_are_paid() -> None:
    """Only rivers of terminals and honours count."""
    pon = ev.TileCalled(0, Meld(MeldType.PON, (EAST, EAST), EAST, 2))
    moves: list[ev.Event] = [
        ev.TileDiscarded(1, NINE_CHARACTERS, tsumogiri=True),
        ev.TileDiscarded(2, EAST, tsumogiri=False),
        pon,
    ]
    moves += [ev.TileDiscarded(seat, TWO_CHARACTERS, tsumogiri=False) for seat in (0, 3)]
    end = ev.KyokuDrawn(ev.DrawReason.NAGASHI_MANGAN, (-2_000, 8_000, -4_000, -2_000))
    lines = lines_of([START, *moves, end], ev.KyokuDrawn, None)
    assert lines[:3] == ["", DRAWS[ev.DrawReason.NAGASHI_MANGAN].full, "  paid to North Ben"]


def test_chombo_names_the_player_that_pays() -> None:
    """The payer is the one that loses."""
    assert drawn(ev.DrawReason.CHOMBO, (2_000, -8_000, 4_000, 2_000)) == dedent("""
        Chombo: a player pays for a foul
          paid by right Ben
                                before  change   after  place
          right     North  Ben  24,000  -8,000  16,000      4
          opposite  East   Cid  25,000  +4,000  29,000      2
          left      South  Dan  20,000  +2,000  22,000      3
          you       West   Ann  30,000  +2,000  32,000      1
        """)


def test_final_result() -> None:
    """Places, points, and results with uma, the best first."""
    end = ev.GameEnded((31_000, 24_000, 25_000, 20_000), (1, 3, 2, 4), (510, -160, 50, -400))
    assert text(lines_of([START, end], ev.GameEnded, 1)) == dedent("""
        The game is over
          place                        points  result
          1      left      West   Ann  31,000   +51.0
          2      right     East   Cid  25,000    +5.0
          3      you       North  Ben  24,000   -16.0
          4      opposite  South  Dan  20,000   -40.0
        """)


def test_shared_places() -> None:
    """Players with the same place share it."""
    end = ev.GameEnded((31_000, 24_500, 24_500, 20_000), (1, 2, 2, 4), (510, -55, -55, -400))
    assert text(lines_of([START, end], ev.GameEnded, None)) == dedent("""
        The game is over
          place                   points  result
          1           West   Ann  31,000   +51.0
          2 (shared)  East   Cid  24,500    -5.5
          2 (shared)  North  Ben  24,500    -5.5
          4           South  Dan  20,000   -40.0
        """)


@each_row("yaku", Yaku)
def test_names_of_yaku(yaku: Yaku) -> None:
    """English names are ASCII, Japanese ones those of the rules."""
    assert yaku_words(yaku, "en").isascii()
    assert yaku_words(yaku, "ja") == yaku.japanese
