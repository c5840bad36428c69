"""The sample games of our own bots: a plain clone replays whole games, and takes them through every format."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest
from record.test_formats import BOTH_WAYS, comparable, through
from support.budgets import some
from support.rows import each_row
from support.sample_games import EAGER, GAMES, MIXED, sample, sample_files

from scripts.samples.catalogue import Sample, features, read_catalogue
from scripts.samples.play import packed, play
from ump.record.conversion import Conversion, convert, seen_by
from ump.record.formats import named, read_games
from ump.record.lint.lint import lint
from ump.record.record_format import RecordFormat
from ump.record.recorded_game import RecordedGame
from ump.record.verify import Verification, verify
from ump.rules.presets import PRESETS

SAMPLES = {sample.file: sample for sample in read_catalogue(GAMES)}

RULINGS = frozenset(
    (
        *(
            "double ron",
            "triple ron",
            "three rons abort",
            "chankan",
            "four kans",
            "four kans abort",
            "nagashi mangan",
            "pao",
        ),
        *("nine terminals", "four riichi", "kita", "rinshan", "haitei", "houtei", "double riichi", "renhou"),
    )
)
"""The rulings that the games show at least."""

ROUND_TRIPS = [path for path in sample_files() if SAMPLES[path.name].policy in ("eager", "mixed")][::2]

every_game = each_row("path", some(sample_files()))


def recorded(path: Path) -> RecordedGame:
    """Return the game of a file."""
    (game,) = read_games(gzip.decompress(path.read_bytes()))
    return game


def test_the_catalogue_lists_the_files() -> None:
    """Every preset has games, and everything that makes rulings hard is among them."""
    assert {path.name for path in sample_files()} == set(SAMPLES)
    assert Counter(each.rules for each in SAMPLES.values()).keys() == PRESETS.keys()
    assert {name for each in SAMPLES.values() for name in each.shows} >= RULINGS


@pytest.mark.no_cover
@every_game
def test_it_replays(path: Path) -> None:
    """Nothing differs from the record, whose walls are known, and it shows what the catalogue says."""
    verdict = verify(path.name, path.read_bytes())
    assert verdict.outcome is Verification.EQUAL, (verdict.damage, verdict.replayed)
    assert verdict.replayed is not None
    assert (verdict.replayed.from_seed, verdict.replayed.incomplete) == (verdict.replayed.kyoku, False)
    assert tuple(sorted(set(features(recorded(path))))) == SAMPLES[path.name].shows


@pytest.mark.no_cover
@each_row("form", BOTH_WAYS)
def test_it_survives_each_format(form: RecordFormat) -> None:
    """A game by each preset comes back with the same events, rules and results, as far as the format has them."""
    for path in some(ROUND_TRIPS):
        game = recorded(path)
        if len(game.names) in form.players:
            again = comparable(through(form, game))
            expected = comparable(game)
            whole = again.ended is not None
            assert [each.events for each in again.kyoku] == [each.events for each in expected.kyoku], path.name
            assert (again.ruleset, again.names) == (expected.ruleset, expected.names)
            assert not whole or again.ended == expected.ended


@each_row("seat", range(4))
def test_what_one_seat_saw(seat: int) -> None:
    """A record without the other hands and draws has no fault either, and hides them."""
    seen = convert(EAGER, sample(EAGER), Conversion("mjai", seat=seat)).games[0]
    assert seen.count(b'"pai":"?"') > 100
    assert lint(EAGER, seen).findings == ()


@pytest.mark.no_cover
@each_row("key", ["mjai", "ump01", "ump02"])
@each_row("name", [EAGER, "tenhou3-eager-1"])
def test_captures_of_one_seat(name: str, key: str) -> None:
    """A client's capture in each protocol comes back as that seat saw the game, with hidden tiles."""
    game = recorded(GAMES / f"{name}.mjlog.gz")
    for seat in range(len(game.names)):
        seen = seen_by(game, seat)
        again = through(named(key), seen)
        assert [each.events for each in again.kyoku] == [each.events for each in seen.kyoku], seat


def test_the_same_seed_gives_the_same_file() -> None:
    """The script writes them again, byte for byte when unpacked: how gzip packs differs from one Python to the next."""
    assert gzip.decompress(packed(play(Sample("tenhou", "mixed", 1, ())))) == gzip.decompress(sample(MIXED))
