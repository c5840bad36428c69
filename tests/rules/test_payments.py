"""Payments: wins, honba, sticks, pao, noten penalties, nagashi mangan."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.kobalab_cases import read_cases, read_win, read_worth
from support.rows import each_row

from ump.model.events import DrawReason, HandWon, KyokuDrawn, KyokuStarted, RiichiPaid, TenpaiDeclared
from ump.model.melds import Meld
from ump.model.notation import parse_majiang_meld
from ump.model.yaku import HandValue, Yaku
from ump.record.mjlog import read_game
from ump.record.mjlog_elements import read_elements
from ump.record.recorded_game import RecordedKyoku
from ump.rules.payments import Pao, liabilities, nagashi_changes, noten_changes, win_changes
from ump.rules.ruleset import PaoCover, PaoHonba, Ruleset
from ump.rules.score import hand_value

TENHOU = Ruleset()
OWN = Ruleset(pao_cover=PaoCover.OWN, pao_honba=PaoHonba.DISCARDER)
THREE = Ruleset(uma=(15, 0, -15))

SAMPLE = 60
"""The number of Tenhou's games that are checked here; docs/evidence.md has the results of all 420."""


def ordinary(base: int) -> HandValue:
    """Return a hand of this many base points."""
    return HandValue(((Yaku.RIICHI, 1),), 1, 30, 0, base)


def yakuman(*yaku: Yaku, double: Sequence[Yaku] = ()) -> HandValue:
    """Return a hand with these yakuman."""
    named = tuple((each, 26 if each in double else 13) for each in yaku)
    times = sum(han for _, han in named) // 13
    return HandValue(named, 13 * times, 0, times, 8000 * times)


@each_row(
    ("base", "winner", "loser", "changes"),
    [
        (240, 1, None, (-500, 1100, -300, -300)),
        (240, 1, 0, (-1000, 1000, 0, 0)),
        (240, 0, None, (1500, -500, -500, -500)),
        (240, 0, 2, (1500, 0, -1500, 0)),
        (320, 3, None, (-700, -400, -400, 1500)),
        (400, 2, 3, (0, 0, 1600, -1600)),
        (1920, 0, 1, (11600, -11600, 0, 0)),
        (2000, 1, None, (-4000, 8000, -2000, -2000)),
        (8000, 0, None, (48000, -16000, -16000, -16000)),
        (16000, 2, 1, (0, -64000, 64000, 0)),
    ],
)
def test_payments_of_a_win(base: int, winner: int, loser: int | None, changes: tuple[int, ...]) -> None:
    """On ron the discarder pays 4 or 6 shares, on tsumo each pays 1 or 2; each payment is rounded up to a hundred."""
    paid = win_changes(TENHOU, ordinary(base), winner=winner, loser=loser, dealer=0, honba=0, kyotaku=0)
    assert paid == changes


@each_row(
    ("loser", "changes"),
    [(None, (-700, 4700, -500, -500)), (0, (-1600, 4600, 0, 0)), (2, (0, 4600, -1600, 0))],
)
def test_honba_and_sticks(loser: int | None, changes: tuple[int, ...]) -> None:
    """A honba is 300 points, from one player or 100 from each; a stick is 1,000 from the table."""
    paid = win_changes(TENHOU, ordinary(240), winner=1, loser=loser, dealer=0, honba=2, kyotaku=3)
    assert paid == changes


@each_row(
    ("winner", "loser", "changes"),
    [(1, None, (-4100, 6200, -2100)), (1, 2, (0, 8200, -8200)), (0, None, (8200, -4100, -4100))],
)
def test_three_players(winner: int, loser: int | None, changes: tuple[int, ...]) -> None:
    """With three seats the fourth share is not paid, and a honba is 200 points on ron."""
    assert win_changes(THREE, ordinary(2000), winner=winner, loser=loser, dealer=0, honba=1, kyotaku=0) == changes


BIG_THREE = yakuman(Yaku.DAISANGEN)
WITH_HONOURS = yakuman(Yaku.DAISANGEN, Yaku.TSUUIISOU)
FOUR_WINDS = yakuman(Yaku.DAISUUSHII, Yaku.TSUUIISOU, double=[Yaku.DAISUUSHII])
BY_TWO = (Pao(2, Yaku.DAISANGEN), Pao(3, Yaku.SUUKANTSU))
FOUR_KANS = yakuman(Yaku.DAISANGEN, Yaku.SUUKANTSU)


@each_row(
    ("ruleset", "value", "dealer", "loser", "pao", "changes"),
    [
        (TENHOU, BIG_THREE, 0, None, (Pao(2, Yaku.DAISANGEN),), (48600, 0, -48600, 0)),
        (TENHOU, BIG_THREE, 1, None, (Pao(2, Yaku.DAISANGEN),), (32600, 0, -32600, 0)),
        (TENHOU, BIG_THREE, 0, 1, (Pao(2, Yaku.DAISANGEN),), (48600, -24000, -24600, 0)),
        (OWN, BIG_THREE, 0, 1, (Pao(2, Yaku.DAISANGEN),), (48600, -24600, -24000, 0)),
        (TENHOU, BIG_THREE, 0, 2, (Pao(2, Yaku.DAISANGEN),), (48600, 0, -48600, 0)),
        (OWN, BIG_THREE, 0, 2, (Pao(2, Yaku.DAISANGEN),), (48600, 0, -48600, 0)),
        (TENHOU, ordinary(2000), 0, 1, (Pao(2, Yaku.DAISANGEN),), (12600, -12600, 0, 0)),
        (TENHOU, WITH_HONOURS, 0, None, (Pao(2, Yaku.DAISANGEN),), (96600, 0, -96600, 0)),
        (OWN, WITH_HONOURS, 0, None, (Pao(2, Yaku.DAISANGEN),), (96600, -16000, -64600, -16000)),
        (TENHOU, WITH_HONOURS, 0, 1, (Pao(2, Yaku.DAISANGEN),), (96600, -48000, -48600, 0)),
        (OWN, WITH_HONOURS, 1, 3, (Pao(2, Yaku.DAISANGEN),), (64600, 0, -16000, -48600)),
        (OWN, FOUR_WINDS, 0, 1, (Pao(2, Yaku.DAISUUSHII),), (144600, -96600, -48000, 0)),
        (OWN, FOUR_KANS, 1, None, BY_TWO, (64600, 0, -32600, -32000)),
        (OWN, FOUR_KANS, 1, 1, BY_TWO, (64600, -32600, -16000, -16000)),
        (TENHOU, FOUR_KANS, 1, None, BY_TWO, (64600, 0, -64600, 0)),
        (TENHOU, ordinary(2000), 1, None, (Pao(3, None),), (8600, 0, 0, -8600)),
        (OWN, ordinary(240), 1, None, (Pao(3, None),), (1700, 0, 0, -1700)),
    ],
)
def test_pao(
    ruleset: Ruleset,
    value: HandValue,
    dealer: int,
    loser: int | None,
    pao: tuple[Pao, ...],
    changes: tuple[int, ...],
) -> None:
    """A liable player pays all of a tsumo and half of a ron; for the whole hand or one yakuman; honba by the ruleset.

    The payments of several yakuman are those of smly/RiichiEnv for Tenhou and Mahjong Soul.
    """
    assert win_changes(ruleset, value, winner=0, loser=loser, dealer=dealer, honba=2, kyotaku=0, pao=pao) == changes


VALUES = [ordinary(240), ordinary(1920), BIG_THREE, WITH_HONOURS, FOUR_KANS]


@given(
    ruleset=st.sampled_from([TENHOU, OWN]),
    value=st.sampled_from(VALUES),
    winner=st.integers(0, 3),
    others=st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3)),
    tsumo=st.booleans(),
    dealer=st.integers(0, 3),
    honba=st.integers(0, 20),
    kyotaku=st.integers(0, 20),
)
def test_points_are_conserved(
    ruleset: Ruleset,
    value: HandValue,
    winner: int,
    others: tuple[int, int, int],
    tsumo: bool,
    dealer: int,
    honba: int,
    kyotaku: int,
) -> None:
    """Only sticks come from the table, only the winner gains, and the winner's sum is the same with pao."""
    loser, first, second = ((winner + step) % 4 for step in others)
    pao = (Pao(first, Yaku.DAISANGEN), Pao(second, Yaku.SUUKANTSU))
    paid = [
        win_changes(
            ruleset,
            value,
            winner=winner,
            loser=None if tsumo else loser,
            dealer=dealer,
            honba=honba,
            kyotaku=kyotaku,
            pao=liable,
        )
        for liable in ((), pao)
    ]
    assert [sum(changes) for changes in paid] == [1000 * kyotaku] * 2
    assert all(change <= 0 for changes in paid for seat, change in enumerate(changes) if seat != winner)
    assert paid[0][winner] == paid[1][winner]
    assert all(change % 100 == 0 for changes in paid for change in changes)


@each_row(
    ("ruleset", "tenpai", "changes"),
    [
        (TENHOU, [], (0, 0, 0, 0)),
        (TENHOU, [2], (-1000, -1000, 3000, -1000)),
        (TENHOU, [0, 3], (1500, -1500, -1500, 1500)),
        (TENHOU, [0, 1, 3], (1000, 1000, -3000, 1000)),
        (TENHOU, [0, 1, 2, 3], (0, 0, 0, 0)),
        (Ruleset(noten_penalty=0), [1], (0, 0, 0, 0)),
        (Ruleset(uma=(15, 0, -15), noten_penalty=2000), [1], (-1000, 2000, -1000)),
    ],
)
def test_noten_payments(ruleset: Ruleset, tenpai: list[int], changes: tuple[int, ...]) -> None:
    """The noten players share the penalty, and the tenpai players the gain; if all are alike, nobody pays."""
    assert noten_changes(ruleset, tenpai) == changes


@each_row(
    ("ruleset", "players", "dealer", "changes"),
    [
        (TENHOU, [2], 3, (-2000, -2000, 8000, -4000)),
        (TENHOU, [3], 3, (-4000, -4000, -4000, 12000)),
        (TENHOU, [1, 2], 0, (-8000, 6000, 6000, -4000)),
        (THREE, [1], 0, (-4000, 6000, -2000)),
    ],
)
def test_nagashi_mangan(ruleset: Ruleset, players: list[int], dealer: int, changes: tuple[int, ...]) -> None:
    """Each one is paid like a mangan tsumo without honba; several add up. The first is a real result of Tenhou."""
    assert nagashi_changes(ruleset, players, dealer) == changes


ALL = Ruleset(pao_suukantsu=True)


@each_row(
    ("ruleset", "melds", "expected"),
    [
        (ALL, "z555+ z666= z777-", [(3, Yaku.DAISANGEN)]),
        (ALL, "z555+ z777- z6666=", [(2, Yaku.DAISANGEN)]),
        (ALL, "z555+ m12-3 z777- z666=6", [(2, Yaku.DAISANGEN)]),
        (ALL, "z555+5 z777- z666=", [(2, Yaku.DAISANGEN)]),
        (ALL, "z555+ z777- z6666", []),
        (ALL, "z5555 z666= z7777", []),
        (ALL, "z5555 z7777 z666=", [(2, Yaku.DAISANGEN)]),
        (ALL, "z555+ z666=", []),
        (ALL, "z111+ z222= z333- z444+", [(1, Yaku.DAISUUSHII)]),
        (ALL, "z111+ z222= z333- z5555", []),
        (ALL, "m1111 p222+2 s3333= z4444-", [(3, Yaku.SUUKANTSU)]),
        (ALL, "m1111 p222+2 z4444- s3333", []),
        (ALL, "m1111 p222+2 z4444- s333=3", []),
        (ALL, "m1111 z5555 z6666= z7777+", [(1, Yaku.DAISANGEN), (1, Yaku.SUUKANTSU)]),
        (Ruleset(), "m1111 z5555 z6666= z7777+", [(1, Yaku.DAISANGEN)]),
        (Ruleset(pao_daisangen=False), "z555+ z666= z777-", []),
        (Ruleset(pao_daisuushii=False), "z111+ z222= z333- z444+", []),
    ],
)
def test_liable_players(ruleset: Ruleset, melds: str, expected: list[tuple[int, Yaku]]) -> None:
    """The giver of the last dragon or wind set or of the fourth kan is liable, unless the owner draws it."""
    assert liabilities(ruleset, read(melds)) == tuple(Pao(liable, yaku) for liable, yaku in expected)


def read(melds: str) -> tuple[Meld, ...]:
    """Return melds of seat 0 in Majiang's notation: + is seat 1, = seat 2, - seat 3."""
    return tuple(parse_majiang_meld(meld, 0) for meld in melds.split())


@pytest.mark.no_cover
def test_changes_as_in_kobalabs_tables(data: Path) -> None:
    """Points with honba, sticks and pao of 2,500 wins, and of the wins in kobalab's unit tests."""
    table = [
        (case["in"]["shoupai"], case["in"].get("rongpai"), case["in"]["param"], case["out"])
        for case in read_cases(data / "kobalab" / "hule.json.gz")
    ]
    recorded = [
        (case["args"][0]["shoupai"], *case["args"][1:], case["out"])
        for case in read_cases(data / "kobalab" / "unit-recorded" / "Util.hule.json.gz")
        if (case.get("out") or {}).get("hupai")
    ]
    for shoupai, rongpai, param, out in [*table, *recorded]:
        win = read_win(shoupai, rongpai, param)
        value = hand_value(win.ruleset, win.faces, win.hand.melds, win.tile, win.circumstances)
        assert value is not None
        paid = win_changes(
            win.ruleset,
            value,
            winner=win.winner,
            loser=win.loser,
            dealer=0,
            honba=win.honba,
            kyotaku=win.kyotaku,
            pao=liabilities(win.ruleset, win.hand.melds),
        )
        assert paid == read_worth(out).changes, (shoupai, rongpai)


def test_changes_as_in_tenhous_records(data: Path) -> None:
    """The payments of every win and exhaustive draw; the first of two winners gets honba and sticks."""
    for path in sorted((data / "tenhou" / "games").iterdir())[:SAMPLE]:
        for kyoku in read_game(read_elements(path.read_bytes())).kyoku:
            assert recorded_changes(kyoku) == our_changes(kyoku), path.name


def recorded_changes(kyoku: RecordedKyoku) -> list[tuple[int, ...]]:
    """Return the payments of a kyoku in the record; abortive draws have none."""
    return [event.changes for event in kyoku.events if isinstance(event, HandWon | KyokuDrawn)]


def our_changes(kyoku: RecordedKyoku) -> list[tuple[int, ...]]:
    """Return the payments of the same kyoku by our rules."""
    (start,) = (event for event in kyoku.events if isinstance(event, KyokuStarted))
    kyotaku = start.kyotaku + sum(isinstance(event, RiichiPaid) for event in kyoku.events)
    tenpai = [event.seat for event in kyoku.events if isinstance(event, TenpaiDeclared) and event.tenpai]
    found: list[tuple[int, ...]] = []
    for event in kyoku.events:
        if isinstance(event, HandWon):
            found.append(
                win_changes(
                    TENHOU,
                    event.value,
                    winner=event.seat,
                    loser=event.loser,
                    dealer=start.dealer,
                    honba=0 if found else start.honba,
                    kyotaku=0 if found else kyotaku,
                    pao=liabilities(TENHOU, event.melds),
                )
            )
        elif isinstance(event, KyokuDrawn):
            found.append(noten_changes(TENHOU, tenpai if event.reason is DrawReason.EXHAUSTED else ()))
    return found
