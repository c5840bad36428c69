"""Write recorded games as tenhou.net/6 JSON: a whole game, or a URL for each kyoku."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never
from urllib.parse import quote

from ump.model.events import (
    DoraRevealed,
    DrawReason,
    Event,
    GameEnded,
    GameStarted,
    HandDealt,
    HandOpened,
    HandWon,
    KanDeclared,
    KitaDeclared,
    KyokuDrawn,
    KyokuEnded,
    KyokuStarted,
    RiichiDeclared,
    RiichiPaid,
    RonDeclared,
    TenpaiDeclared,
    TileCalled,
    TileDiscarded,
    TileDrawn,
)
from ump.model.melds import MeldType
from ump.model.seats import wind_of
from ump.model.tiles import Face
from ump.record.own_fields import FIELD, own_fields
from ump.record.recorded_game import RecordedGame, RecordedKyoku
from ump.record.tenhou6.result_texts import ALL_NOTEN, ALL_TENPAI, DRAWS, WON, write_points, write_yaku
from ump.record.tenhou6.tiles import KITA, NUMBERS, SEATS, in_order, write_meld
from ump.rules.ruleset import Length, Ruleset

URL = "https://tenhou.net/6/#json="
"""The viewer; the game follows, percent-encoded."""

SAFE = "-_.,()"
"""What is not encoded besides letters and digits: some readers cut the text at other signs."""

TSUMOGIRI = 60
AFTER_OPEN_KAN = 0


def write_tenhou6(game: RecordedGame) -> bytes:
    """Return the whole game as one object."""
    return json.dumps(_game(game), ensure_ascii=False, separators=(",", ":")).encode()


def write_urls(game: RecordedGame) -> bytes:
    """Return a URL for each kyoku, one per line: the form that NAGA takes."""
    lines = []
    for kyoku in game.kyoku:
        one = replace(game, kyoku=(kyoku,), ended=None)
        text = json.dumps(_game(one), ensure_ascii=False, separators=(",", ":"))
        lines.append(f"{URL}{quote(text, safe=SAFE)}\n")
    return "".join(lines).encode("ascii")


def _game(game: RecordedGame) -> dict[str, object]:
    ended: dict[str, object] = {}
    if game.ended is not None and game.ended.results:
        pairs = zip(game.ended.points, game.ended.results, strict=True)
        numbers = [number for points, result in pairs for number in (points, result / 10)]
        ended = {"sc": [*numbers, *[0] * (2 * SEATS - len(numbers))]}
    own = own_fields(game, with_fu=True)
    return {
        "title": ["", ""],
        "name": [*game.names, *[""] * (SEATS - len(game.names))],
        "rule": _rule(game.ruleset) if game.rules_stated else {"aka": int(any(game.ruleset.red_fives))},
        **ended,
        "log": [_Kyoku(kyoku).written() for kyoku in game.kyoku],
        **({FIELD: own} if own else {}),
    }


def _rule(ruleset: Ruleset) -> dict[str, object]:
    """Return the rules that the format knows: how long the game is, open tanyao, red fives."""
    length = "南" if ruleset.length is Length.HANCHAN else "東"
    reds = any(ruleset.red_fives)
    disp = f"{'三' if ruleset.seats == 3 else ''}般{length}{'喰' if ruleset.kuitan else ''}{'赤' if reds else ''}"
    each = {f"aka5{suit}": count for suit, count in enumerate(ruleset.red_fives, 1)}
    return {"disp": disp, "aka": int(reds), **each}


class _Kyoku:
    """One kyoku, collected event by event."""

    def __init__(self, kyoku: RecordedKyoku) -> None:
        started = kyoku.events[0]
        assert isinstance(started, KyokuStarted)
        self._started = started
        self._players = len(started.points)
        self._indicators: list[Face] = []
        self._ura: tuple[Face, ...] = ()
        self._hands: list[list[int]] = [[] for _ in range(SEATS)]
        self._takes: list[list[int | str]] = [[] for _ in range(SEATS)]
        self._discards: list[list[int | str]] = [[] for _ in range(SEATS)]
        self._tenpai: list[bool] = []
        self._result: list[object] = []
        for event in kyoku.events:
            self._note(event)

    def written(self) -> list[object]:
        """Return the array of the kyoku."""
        started = self._started
        seats = zip(self._hands, self._takes, self._discards, strict=True)
        return [
            [started.bakaze * SEATS + started.dealer, started.honba, started.kyotaku],
            [*started.points, *[0] * (SEATS - self._players)],
            [NUMBERS[face] for face in self._indicators],
            [NUMBERS[face] for face in self._ura],
            *(column for seat in seats for column in seat),
            self._result,
        ]

    def _note(self, event: Event) -> None:
        match event:
            case TileDiscarded():
                number = TSUMOGIRI if event.tsumogiri else NUMBERS[event.face]
                self._discards[event.seat].append(f"r{number}" if event.riichi else number)
            case TileDrawn():
                assert event.face is not None
                self._takes[event.seat].append(NUMBERS[event.face])
            case TileCalled():
                self._takes[event.seat].append(write_meld(event.meld, event.seat))
                if event.meld.type is MeldType.DAIMINKAN:
                    self._discards[event.seat].append(AFTER_OPEN_KAN)
            case KanDeclared():
                self._discards[event.seat].append(write_meld(event.meld, event.seat))
            case KitaDeclared():
                self._discards[event.seat].append(KITA)
            case HandDealt():
                self._hands[event.seat] = [NUMBERS[face] for face in in_order(event.faces or ())]
            case DoraRevealed():
                self._indicators.append(event.indicator)
            case TenpaiDeclared():
                self._tenpai.append(event.tenpai)
            case HandWon():
                self._win(event)
            case KyokuDrawn():
                self._draw(event)
            case (
                GameStarted()
                | KyokuStarted()
                | RiichiDeclared()
                | RiichiPaid()
                | RonDeclared()
                | HandOpened()
                | KyokuEnded()
                | GameEnded()
            ):
                pass
            case _:
                assert_never(event)

    def _win(self, won: HandWon) -> None:
        started, worth = self._started, won.value
        is_tsumo = won.loser is None
        points = write_points(worth, self._players, is_dealer=won.seat == started.dealer, is_tsumo=is_tsumo)
        wind = wind_of(won.seat, started.dealer, self._players)
        yaku = [write_yaku(each, han, worth.yakuman, started.bakaze, wind) for each, han in worth.yaku]
        source = won.seat if won.loser is None else won.loser
        liable = won.seat if won.liable is None else won.liable
        self._ura = max(self._ura, won.ura, key=len)
        self._result = [*(self._result or [WON]), list(won.changes), [won.seat, source, liable, points, *yaku]]

    def _draw(self, drawn: KyokuDrawn) -> None:
        text, changes = DRAWS[drawn.reason], list(drawn.changes)
        if drawn.reason is DrawReason.EXHAUSTED and not any(changes):
            self._result = [ALL_TENPAI if all(self._tenpai) else ALL_NOTEN if not any(self._tenpai) else text]
        else:
            self._result = [text, changes] if any(changes) or drawn.reason in _PAID else [text]


_PAID: Sequence[DrawReason] = (DrawReason.EXHAUSTED, DrawReason.NAGASHI_MANGAN, DrawReason.CHOMBO)
"""The draws whose text the payments follow."""
