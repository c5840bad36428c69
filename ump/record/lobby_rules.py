"""The rules of Tenhou's tournament lobbies, which their records have as ``csrule``.

``csrule`` is a list of texts: two words of flags in hexadecimal (two more are reserved), points, and an uma for each
number of players below the points that count. Everything that is empty or 0 is as in a ranked game, so a flag always
says how the lobby differs: where two of the sources disagree about a flag, this decides. Sources:
Longhorn-Riichi/InjusticeJudge (``example_arml_game.json``), Mystouille/kandora-tournaments
(``ruleSetToTenhouConfig.ts``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ump.model.constants import STICK_POINTS
from ump.model.value import value
from ump.record.mjlog_elements import CHIPS, GameType
from ump.record.record_format import read_rules, written_rules
from ump.record.recorded_game import RecordError
from ump.rules.options import contradictions_in
from ump.rules.ruleset import (
    EqualScores,
    ExtraRound,
    KanDoraTime,
    LeftSticks,
    MultipleRon,
    Nagashi,
    OwnCopies,
    Renchan,
    Renhou,
    RiichiKan,
    Rounding,
    Ruleset,
)

TSUMO_LOSS = 1 << 23
"""The flag of games of three in which both players pay a tsumo with the share of the third one. Ours have none."""

FLAGS: Sequence[Mapping[int, dict[str, Any]]] = (
    {
        1 << 0: {"nagashi": Nagashi.NO},
        1 << 1: {"kiriage": True},
        1 << 2: {"tobi": False},
        1 << 3: {"open_kan_dora": KanDoraTime.AT_ONCE},
        1 << 5: {"kan_dora": False, "kan_ura": False},
        1 << 6: {"ura_dora": False, "kan_ura": False},
        1 << 7: {"kan_ura": False},
        1 << 8: {"suufon_renda": False},
        1 << 9: {"suukaikan": False},
        1 << 10: {"suucha_riichi": False},
        1 << 11: {"kyushu_kyuhai": False},
        1 << 12: {"multiple_ron": MultipleRon.ALL},
        1 << 13: {"multiple_ron": MultipleRon.HEAD_BUMP},
        1 << 14: {"agari_yame": False},
        1 << 15: {"tenpai_yame": False},
        1 << 17: {"renchan": Renchan.WIN},
        1 << 18: {"rounding": Rounding.WHOLE},
        1 << 19: {"ippatsu": False},
        1 << 21: {"extra_round": ExtraRound.NONE},
        1 << 22: {"kita": False},
        1 << 24: {"renhou": Renhou.MANGAN},
        1 << 25: {"riichi_tiles": 1},
        1 << 26: {"riichi_kan": RiichiKan.SAME_SHAPE},
        1 << 27: {"own_copies": OwnCopies.WITH_MELDS},
        1 << 30: {},  # hides a button
    },
    {
        1 << 0: {"double_wind_fu": 2},
        1 << 1: {"equal_scores": EqualScores.SHARE},
        1 << 2: {"left_sticks": LeftSticks.LOST},
        1 << 3: {"pao_suukantsu": True},
        1 << 4: {"kazoe_yakuman": False},
        1 << 6: {},  # the time of a move
    },
    {},
    {},
)
"""The change of the rules by each known flag, by the entry in ``csrule``."""

POINTS = {4: "start_points", 5: "target", 6: "return_points"}
"""The entries that are points, and their fields."""

USUAL = {7: 0, 8: 0, 9: 0, 10: STICK_POINTS, 11: 100, **dict.fromkeys((12, 13, 14, 15, 20), 0)}
"""Entries of which one value is understood: a limit of points, numbers of rounds, points of sticks and honba."""

NOTEN = 16
"""The first of three entries: what each noten player pays if one, two and three players are tenpai."""

UMA = 21
"""The first of the uma: for nobody below the points that count, one player, and so on; each without the first place."""

UMA_PLACES = 3

TIMES = 36
"""The first of nine entries about time, which mean nothing for the game."""

END = 45
"""The number of entries that are known to exist."""

_WORD = re.compile("[0-9A-Fa-f]{1,8}", re.ASCII)
_NUMBER = re.compile("-?[0-9]{1,7}", re.ASCII)
_SHOWN = 20


@value
class LobbyRules:
    """The rules of a lobby as far as they are understood."""

    ruleset: Ruleset
    unknown: tuple[str, ...] = ()
    """The settings that are not understood, as ``csrule[0] 00000010``."""


def read_lobby_rules(game_type: GameType, entries: Sequence[str]) -> LobbyRules:
    """Return the rules of a lobby from the type of its games and its ``csrule``."""
    plain = GameType(game_type.bits & ~CHIPS).ruleset()
    reading = _Reading(plain, [entry.strip() for entry in entries])
    ruleset = replace(plain, **reading.changes)
    try:
        contradictions = contradictions_in(read_rules(written_rules(ruleset)))
    except RecordError as error:  # a number that is out of range
        contradictions = [str(error)]
    if contradictions:
        return LobbyRules(plain, (*reading.unknown, f"csrule: {contradictions[0]}"))
    if ruleset != plain:
        ruleset = replace(ruleset, name=f"{plain.name}*")
    return LobbyRules(ruleset, tuple(reading.unknown))


class _Reading:
    """The entries of one ``csrule``, read into changes of the usual rules."""

    def __init__(self, usual: Ruleset, entries: Sequence[str]) -> None:
        self._usual = usual
        self._entries = [*entries, *[""] * (END - len(entries))]
        self.changes: dict[str, Any] = {}
        self.unknown: list[str] = []
        for place in range(len(FLAGS)):
            self._read_flags(place)
        for place, field in POINTS.items():
            points = self._number(place, getattr(usual, field))
            if points is not None:
                self.changes[field] = points
        for place, number in USUAL.items():
            if self._number(place, number) not in (number, None):
                self._note(place)
        self._read_noten()
        self._read_uma()
        for place in range(END, len(self._entries)):
            if self._entries[place]:
                self._note(place)
                break

    def _note(self, place: int) -> None:
        self.unknown.append(f"csrule[{place}] {ascii(self._entries[place])[1:-1][:_SHOWN]}")

    def _number(self, place: int, usual: int) -> int | None:
        """Return the number of an entry, by default the usual one; None, which is noted, if it is none."""
        text = self._entries[place]
        if not text:
            return usual
        if _NUMBER.fullmatch(text) is None:
            self._note(place)
            return None
        return int(text)

    def _read_flags(self, place: int) -> None:
        text = self._entries[place] or "0"
        if _WORD.fullmatch(text) is None:
            self._note(place)
            return
        word = int(text, 16)
        if place == 0 and self._usual.seats != 3:
            word &= ~(TSUMO_LOSS | 1 << 22)
        for flag, changes in FLAGS[place].items():
            if word & flag:
                self.changes |= changes
                word &= ~flag
        if word:
            self.unknown.append(f"csrule[{place}] {word:08X}")

    def _read_noten(self) -> None:
        """Read the noten payments; ours are one sum, which the noten players pay together."""
        seats = self._usual.seats
        total = self._usual.noten_penalty
        sums = set()
        for tenpai in range(1, seats):
            noten = seats - tenpai
            paid = self._number(NOTEN + tenpai - 1, total // noten)
            if paid is None:
                return
            sums.add(paid * noten)
        if len(sums) == 1:
            self.changes["noten_penalty"] = sums.pop()
        else:
            self.unknown.append(f"csrule[{NOTEN}] {','.join(self._entries[NOTEN : NOTEN + seats - 1])}"[: 3 * _SHOWN])

    def _read_uma(self) -> None:
        """Read the uma by the number of players below the points that count."""
        seats = self._usual.seats
        rows = []
        for below in range(seats + 1):
            row = list(self._uma_row(UMA + UMA_PLACES * below))
            if None in row:
                return
            rows.append(tuple(row))
        if len(set(rows)) == 1:
            self.changes["uma"] = rows[0]
            return
        is_clear = rows[0] == rows[-1] and seats == UMA_PLACES + 1
        if is_clear and self.changes.get("start_points") == self.changes.get("return_points"):
            self.changes |= {"uma": rows[0], "floating_uma": tuple(reversed(rows[1:-1]))}
        else:
            self._note(UMA)

    def _uma_row(self, first: int) -> Iterator[int | None]:
        """Yield the uma of all places, the first of which receives what the others pay."""
        others = [self._number(first + place, usual) for place, usual in enumerate(self._usual.uma[1:])]
        known = [number for number in others if number is not None]
        if len(known) == len(others):
            yield -sum(known)
        yield from others
