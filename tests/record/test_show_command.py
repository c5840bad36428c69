"""``ump show``: every format, what a seat may see, one kyoku, and errors."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner, Result
from support.policies import EagerPolicy
from support.rows import each_row
from support.written_record import RECORD

from ump.arena.play import play_game
from ump.cli.main import main
from ump.model.events import GameEnded, HandWon, KyokuDrawn, KyokuEnded, KyokuStarted, TileDiscarded, TileDrawn
from ump.model.seats import LETTERS
from ump.record.formats import FORMATS, read_games
from ump.record.recorded_game import RecordedGame, RecordedKyoku
from ump.record.text import KyokuName, game_lines, kyoku_word
from ump.text.layout import LINE, width

EAST_1 = """\
=== East 1 | honba 0 | sticks 0 | A deals ===
East   A   6s 7s 7s 8s 9s 1z 2z 3z 4z 4z 5z 6z 7z
South  B   2m 3m 4m 2p 3p 4p 2s 3s 4s 1z 7z 7z 7z
West   山  3p 4p 5p 6p 7p 7p 8p 1s 1s 2s 3s 4s 5s
North  ?   1m 2m 3m 4m 5m 6m 7m 7m 8m 9m 1p 1p 2p
dora 1p (indicator 9p)
East   A   draw 1z  discard 1z.

South B wins by ron on 1z from East A
  2m 3m 4m 2p 3p 4p 2s 3s 4s 1z 7z 7z 7z  [1z]
  dora 1p (indicator 9p)
  chun             1 han
  sanshoku doujun  2 han
  3 han 50 fu, 6,400 points
             before  change   after  place
  East   A   25,000  -6,400  18,600      4
  South  B   25,000  +6,400  31,400      1
  West   山  25,000          25,000      2
  North  ?   25,000          25,000      3
"""
"""The first kyoku of the written record."""

DRAW = re.compile(r"\bdraw [1-9]")
"""A draw with its tile."""


def show(*arguments: object, given: str | bytes = RECORD) -> Result:
    """Print a record from standard input, or from the files among the arguments."""
    paths = [] if any(isinstance(each, Path) for each in arguments) else ["-"]
    return CliRunner().invoke(main, ["show", *paths, *map(str, arguments)], input=given)


def eager_game() -> RecordedGame:
    """Return a game with many calls, riichi and kans, and with long and hostile names."""
    names = ("me", "32 characters long, a long name!", "\x1b[2Jx", "山" * 20)
    played = play_game([EagerPolicy(Random(seat)) for seat in range(4)], seed="eager", names=names)
    kyoku: list[list[object]] = []
    for event in played.events:
        if isinstance(event, KyokuStarted):
            kyoku.append([])
        if kyoku and not isinstance(event, KyokuEnded | GameEnded):
            kyoku[-1].append(event)
    recorded = tuple(RecordedKyoku(tuple(each), None, {}, (1, 1), None, complete=True) for each in kyoku)  # type: ignore[arg-type]
    ended = played.events[-1]
    assert isinstance(ended, GameEnded)
    return RecordedGame(names, played.ruleset, recorded, ended, from_start=True, own_counting=False)


def test_one_kyoku_is_printed() -> None:
    """Hands, turns, the win with its yaku, and the points; nothing of other kyoku."""
    result = show("--kyoku", "E1")
    assert (result.exit_code, result.stdout.split("\n\n", 1)[1]) == (0, EAST_1)
    both = show("--kyoku", "e2").stdout
    assert both.count("===") == 4
    assert "The game is over" not in both
    assert both.endswith(show("--kyoku", "E2.1").stdout.split("\n\n", 1)[1])


def test_every_format_is_printed_alike() -> None:
    """A game looks the same from each format that is written, apart from an end that some formats lack."""
    (game,) = read_games(RECORD.encode())
    expected = show().stdout.split("\n\n", 1)[1]
    for form in FORMATS:
        if form.write is not None and form.read is not None:
            result = show("--rules", "tenhou", given=form.write(game))
            assert result.exit_code == 0, form.key
            assert expected.startswith(result.stdout.split("\n\n", 1)[1].rstrip()), form.key


@each_row("seat", range(4))
def test_a_seat_sees_its_own_tiles_alone(seat: int) -> None:
    """All draws of the seat have their tiles, and no draw of another; the hands of others stay hidden."""
    game = eager_game()
    lines = list(game_lines(game, seat))
    events = [event for kyoku in game.kyoku for event in kyoku.events]
    own = sum(isinstance(event, TileDrawn) and event.seat == seat for event in events)
    assert sum(len(DRAW.findall(line)) for line in lines) == own
    assert all(line.startswith("you ") for line in lines if DRAW.search(line))
    assert sum(line.startswith("your hand: ") for line in lines) == len(game.kyoku)


@each_row("seat", [None, 0, 3])
def test_everything_is_printed_once(seat: int | None) -> None:
    """Each discard and each result has its line; lines fit a terminal and have no control characters."""
    game = eager_game()
    lines = list(game_lines(game, seat))
    events = [event for kyoku in game.kyoku for event in kyoku.events]
    text = "\n".join(lines)
    assert text.count("discard ") == sum(isinstance(event, TileDiscarded) for event in events)
    won = len(re.findall(r"^.* wins? by (?:tsumo|ron on)", text, re.MULTILINE))
    assert won == sum(isinstance(event, HandWon) for event in events)
    draws = sum(isinstance(event, KyokuDrawn) for event in events)
    assert text.count("   before") == won + draws
    assert all(width(line) <= LINE and line.isprintable() and line == line.rstrip() for line in lines)


def test_names_of_kyoku_are_read_back() -> None:
    """Each kyoku is found by the name that errors list."""
    for kyoku in eager_game().kyoku:
        started = kyoku.events[0]
        assert isinstance(started, KyokuStarted)
        assert KyokuName.parse(kyoku_word(started)).fits(started)


def test_a_log_of_one_seat_is_printed() -> None:
    """Hidden tiles stay hidden; the seat's own view is complete, another seat's is refused."""
    log = CliRunner().invoke(main, ["convert", "-", "--to", "mjai", "--seat", "B"], input=RECORD).stdout
    assert show("--seat", "B", given=log).stdout == show("--seat", "B").stdout
    result = show(given=log)
    assert (result.exit_code, len(DRAW.findall(result.stdout))) == (0, 2)
    refused = show("--seat", "A", given=log)
    assert (refused.exit_code, "does not have the tiles of seat A" in refused.stderr) == (2, True)


@each_row(
    ("arguments", "given", "reason"),
    [
        (["--kyoku", "S4"], RECORD, "-: no such kyoku in this record; it has E1.0, E2.0, E2.1"),
        (["--kyoku", "5"], RECORD, "--kyoku: unknown kyoku '5': expected a wind and a number, E3, or"),
        (["--seat", "E"], RECORD, "Invalid value for '--seat'"),
        ([], "", "-: empty"),
        ([], "{", "-: "),
        ([], RECORD.replace("</mjloggm>", "</x>"), "-: not well-formed XML"),
        (["--rules", "nothing"], RECORD, "unknown preset 'nothing'"),
    ],
)
def test_errors_are_one_line(arguments: list[str], given: str, reason: str) -> None:
    """They say what is wrong, and nothing is printed."""
    result = show(*arguments, given=given)
    assert (result.exit_code, result.stdout) == (2, "")
    assert reason in result.stderr


def test_a_discard_from_nowhere() -> None:
    """The kyoku and the event are named if the reader's hand does not hold what it gives; nothing is printed."""
    log = CliRunner().invoke(main, ["convert", "-", "--to", "mjai"], input=RECORD).stdout
    wrong = re.sub('("dahai","actor":0,"pai":)"E"', r'\1"9m"', log, count=1)
    assert wrong != log
    refused = show("--seat", "A", given=wrong)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr == "Error: -: E1.0, event 8 does not fit what happened before; 'ump verify' says more\n"
    assert show("--seat", "B", given=wrong).exit_code == 0


def test_an_archive_names_its_records(tmp_path: Path) -> None:
    """All records of an archive are printed, each after its name."""
    path = tmp_path / "games.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.xml", RECORD)
        archive.writestr("b.xml", RECORD)
    found = show(path).stdout
    one = show().stdout
    assert found == f"{path}:a.xml:\n{one}\n{path}:b.xml:\n{one}"


def test_no_seat_d_with_three_players() -> None:
    """A game of three has no fourth seat."""
    policies = [EagerPolicy(Random(seat)) for seat in range(3)]
    played = play_game(policies, "tenhou3", seed="three", names=("a", "b", "c"))
    game = eager_game()
    start = RecordedKyoku(
        tuple(event for event in played.events if isinstance(event, KyokuStarted))[:1], None, {}, (1, 1), None, False
    )
    three = RecordedGame(("a", "b", "c"), played.ruleset, (start,), None, from_start=False, own_counting=False)
    with pytest.raises(ValueError, match=f"no seat {LETTERS[3]} in a game of 3"):
        list(game_lines(three, 3))
    lines = list(game_lines(three, 1))
    assert lines[0] == "The record begins after the start of the game"
    assert lines[-1] == "The record of this kyoku ends here."
    assert game.ruleset != three.ruleset
