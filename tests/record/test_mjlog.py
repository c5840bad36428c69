"""Reading records as games, refusing damaged ones, and counting what real records contain."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support.budgets import some
from support.rows import each_row
from support.written_record import EAST_1, EAST_2, EAST_2_AGAIN, HEAD, RECORD, TAIKYOKU, TAIL

from ump.model.events import (
    DoraRevealed,
    Event,
    HandWon,
    KanDeclared,
    KyokuDrawn,
    RiichiDeclared,
    TileCalled,
    TileDiscarded,
    TileDrawn,
)
from ump.record.mjlog import DRAWS, MOST_KYOKU, read_game
from ump.record.mjlog_elements import OF_GAME, GameType, read_elements
from ump.record.recorded_game import RecordedGame, RecordError
from ump.rules.ruleset import Length

SAMPLE = 60


def read(text: str) -> RecordedGame:
    """Read a record from its text."""
    return read_game(read_elements(text.encode()))


def test_names_are_decoded() -> None:
    """UN has the names in percent-encoded UTF-8; a name may be empty."""
    assert read(RECORD).names == ("A", "B", "山", "")


def test_a_record_may_lack_kyoku() -> None:
    """A record may start later and stop earlier; the game says so."""
    game = read(HEAD + TAIKYOKU + EAST_2_AGAIN + TAIL)
    assert (game.from_start, game.ended is not None, len(game.kyoku)) == (False, True, 1)
    cut = read(HEAD + EAST_1 + EAST_2.partition("<RYUUKYOKU")[0] + TAIL)
    assert ([kyoku.complete for kyoku in cut.kyoku], cut.ended) == ([True, False], None)


@each_row(
    ("bits", "length", "reds", "kuitan", "own_counting"),
    [
        (169, Length.HANCHAN, (1, 1, 1), True, False),
        (225, Length.TONPU, (1, 1, 1), True, False),
        (11, Length.HANCHAN, (0, 0, 0), True, False),
        (7, Length.TONPU, (0, 0, 0), False, False),
        (553, Length.HANCHAN, (1, 1, 1), True, True),
        (2113, Length.TONPU, (1, 1, 1), True, True),
    ],
)
def test_the_type_determines_the_ruleset(
    bits: int, length: Length, reds: tuple[int, ...], kuitan: bool, own_counting: bool
) -> None:
    """The bits of GO type give length, red fives, open tanyao, and whether the lobby counts more than points."""
    game_type = GameType(bits)
    ruleset = game_type.ruleset()
    assert (ruleset.length, ruleset.red_fives, ruleset.kuitan) == (length, reds, kuitan)
    assert (game_type.own_counting, game_type.three_players) == (own_counting, False)


@each_row(
    ("old", "new", "why"),
    [
        ('<GO type="1" lobby="0"/>', "", "GO element is missing"),
        ('type="1"', 'type="x"', "type: expected numbers separated by commas, got 'x'"),
        ('type="1"', 'type="17"', "kyoku 3: element 6, W24: a fourth player in a game of 3"),
        (EAST_1 + EAST_2 + EAST_2_AGAIN, "", "no kyoku"),
        (TAIKYOKU, TAIKYOKU + "<T5/>", "unexpected element T5 before the first kyoku"),
        ("<T109/>", "<T136/>", "kyoku 1: element 1, T136: unexpected element in a kyoku"),
        ("<T109/>", "<T0109/>", "kyoku 1: element 1, T0109: unexpected element in a kyoku"),
        ("<T109/>", "<X/>", "kyoku 1: element 1, X: unexpected element in a kyoku"),
        ('oya="0" hai', 'oya="4" hai', "kyoku 1: element 0, INIT: oya: expected a number from 0 to 3, got '4'"),
        ('oya="0" hai', 'hai="0" hai', "kyoku 1: element 0, INIT: oya is missing"),
        ('ten="250,250,250,250"', 'ten="250,250"', "kyoku 1: element 0, INIT: ten: expected 4 numbers, got 2"),
        ('seed="0,0,0,2,4,69"', 'seed="0,0,0,2,6,69"', "kyoku 1: element 0, INIT: seed: impossible numbers in"),
        ('hai="4,8,12,', 'hai="4,4,12,', "kyoku 1: element 3, AGARI: hai has a tile twice"),
        ('yaku="20,1,25,2"', 'yaku="20,1,55,2"', ""),
        ('yaku="20,1,25,2"', 'yaku="20,999"', "kyoku 1: element 3, AGARI: yaku: impossible han in"),
        ('ten="50,6400,0"', 'ten="50,6400,9"', "kyoku 1: element 3, AGARI: ten: expected fu, points and limit, got"),
        ('type="yao9"', 'type="yao8"', "kyoku 2: element 2, RYUUKYOKU: unknown type of draw 'yao8'"),
        ('type="yao9"', 'owari="1"', "the game goes on after its end"),
        ("-137,-64.0,", "-137,", "owari: expected 4 scores and results"),
        ("-64.0", "-64.05", "owari: expected a number with at most one decimal place, got '-64.05'"),
        ("<mjloggm", f'<mjloggm x="{9}"', ""),
        (TAIKYOKU, f'<SHUFFLE seed="{OF_GAME}AA" ref=""/>', "the seed is not base64"),
        (EAST_1, EAST_1 * (MOST_KYOKU + 1), f"more than {MOST_KYOKU} kyoku"),
    ],
)
def test_damage_is_reported_in_one_line(old: str, new: str, why: str) -> None:
    """The line says where the record is damaged: missing, malformed, out of range or out of place."""
    altered = RECORD.replace(old, new, 1)
    assert altered != RECORD
    if not why:
        read(altered)
        return
    with pytest.raises(RecordError) as caught:
        read(altered)
    assert str(caught.value).startswith(why)


def counted(game: RecordedGame) -> Counter[str]:
    """Count a game in the same way as counts.json of the data folder."""
    names = {reason: kind or "exhaustive" for kind, reason in DRAWS.items()}
    counts: Counter[str] = Counter(games=1, games_to_end=game.ended is not None, rounds=len(game.kyoku))
    for kyoku in game.kyoku:
        counts["rounds_with_result"] += kyoku.complete
        counts["rounds_with_2_rons"] += sum(isinstance(event, HandWon) for event in kyoku.events) == 2
        for event in kyoku.events:
            counts.update(_counts_of(event, names))
        counts["kan_dora"] += sum(isinstance(event, DoraRevealed) for event in kyoku.events) - 1
    return counts


def _counts_of(event: Event, names: dict[Any, str]) -> list[str]:
    match event:
        case TileDrawn():
            return ["tiles_drawn"]
        case TileDiscarded():
            return ["discards"]
        case RiichiDeclared():
            return ["riichi"]
        case TileCalled() | KanDeclared():
            return [event.meld.type.value]
        case HandWon():
            value = event.value
            worth = "yakuman" if value.yakuman else f"{value.han}/{value.fu}"
            return ["wins", "ron" if event.loser is not None else "tsumo", worth]
        case KyokuDrawn():
            return [names[event.reason]]
    return []


@pytest.mark.no_cover
@each_row("folder", some(["rare/mjx-cpp", "rare/mjx-py", "rare/dnovikoff", "sanma"], 2))
def test_folders_match_their_counts(data: Path, folder: str) -> None:
    """Kyoku, draws, discards, calls, and wins by han and fu, in the folders that are small enough for a test."""
    expected = json.loads((data / "tenhou" / "counts.json").read_text(encoding="utf-8"))[folder]
    found: Counter[str] = Counter()
    for path in sorted((data / "tenhou" / folder).iterdir()):
        found += counted(read_game(read_elements(path.read_bytes())))
    flat = {**expected, **expected["draws"], **expected["calls"], **expected["wins_by_han_fu"]}
    assert {name: flat.get(name, 0) for name in found} == found
