"""The sample games: which rules, players and seed each has, and what it shows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from ump.model.events import DrawReason, HandWon, KanDeclared, KitaDeclared, KyokuDrawn, TileCalled
from ump.model.melds import MeldType
from ump.model.value import value
from ump.model.yaku import Yaku
from ump.record.recorded_game import RecordedGame, RecordedKyoku

CATALOGUE = "games.jsonl"  # the file beside the games that lists them
HELPED = "single-minded"  # the policy that gets walls that help rare hands


@value
class Sample:
    """One sample game: its file is ``<rules>-<policy>-<seed>.mjlog.gz``."""

    rules: str
    policy: str
    seed: int
    shows: tuple[str, ...]
    walls: str = ""
    """The rules of the sample with the same seed whose walls and choices this game shares; empty for its own."""

    @property
    def text(self) -> str:
        return f"sample/{self.walls or self.rules}/{self.seed}"

    @property
    def file(self) -> str:
        return f"{self.rules}-{self.policy}-{self.walls}{self.seed}.mjlog.gz"


def read_catalogue(folder: Path) -> list[Sample]:
    listed = [json.loads(line) for line in (folder / CATALOGUE).read_text(encoding="utf-8").splitlines()]
    return [
        Sample(each["rules"], each["policy"], each["seed"], tuple(each["shows"]), each.get("walls", ""))
        for each in listed
    ]


def features(game: RecordedGame) -> Iterator[str]:
    """Yield the names of everything rare that a game has."""
    for kyoku in game.kyoku:
        yield from _of_kyoku(kyoku)


def _of_kyoku(kyoku: RecordedKyoku) -> Iterator[str]:
    wins = [event for event in kyoku.events if isinstance(event, HandWon)]
    if len(wins) > 1:
        yield f"{('double', 'triple')[len(wins) - 2]} ron"
    kans = [event for event in kyoku.events if isinstance(event, KanDeclared | TileCalled) and event.meld.is_kan]
    if len(kans) == 4:
        yield "four kans"
    for event in kyoku.events:
        match event:
            case KyokuDrawn(reason=reason) if reason is not DrawReason.EXHAUSTED:
                yield _DRAWS[reason]
            case KitaDeclared():
                yield "kita"
            case HandWon():
                yield from _of_win(event)
            case _:
                pass
    if kans and any(not won.value.yakuman and Yaku.CHANKAN in dict(won.value.yaku) for won in wins):
        yield "chankan"


def _of_win(won: HandWon) -> Iterator[str]:
    names = dict(won.value.yaku)
    if won.liable is not None:
        yield "pao"
    if won.value.yakuman:
        yield from (yaku.romaji for yaku in names)
        last = won.melds and won.melds[-1].type is MeldType.ANKAN
        if last and Yaku.SUUKANTSU in names:
            yield "four closed kans"
    yield from (name for yaku, name in _YAKU.items() if yaku in names)


_DRAWS: Mapping[DrawReason, str] = {
    DrawReason.KYUSHU_KYUHAI: "nine terminals",
    DrawReason.SUUFON_RENDA: "four winds",
    DrawReason.SUUCHA_RIICHI: "four riichi",
    DrawReason.SUUKAIKAN: "four kans abort",
    DrawReason.SANCHAHO: "three rons abort",
    DrawReason.NAGASHI_MANGAN: "nagashi mangan",
    DrawReason.CHOMBO: "chombo",
}

_YAKU: Mapping[Yaku, str] = {
    Yaku.CHANKAN: "chankan",
    Yaku.RINSHAN: "rinshan",
    Yaku.HAITEI: "haitei",
    Yaku.HOUTEI: "houtei",
    Yaku.DOUBLE_RIICHI: "double riichi",
    Yaku.RENHOU: "renhou",
    Yaku.RYANPEIKOU: "ryanpeikou",
    Yaku.SANKANTSU: "sankantsu",
    Yaku.SANSHOKU_DOUKOU: "sanshokudoukou",
}
