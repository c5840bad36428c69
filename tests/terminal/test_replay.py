"""Replays at a terminal: places in a game, the lines around the table, and the program with its keys."""

from __future__ import annotations

import asyncio
import gzip
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.own_games import own_games
from support.rows import each_row

from ump.cli.main import main
from ump.model.events import TileDrawn
from ump.record.formats import named
from ump.record.recorded_game import RecordedGame, Remark
from ump.terminal.replay_app import HELP, ReplayApp, ReplayedGame, ReplayPlace, hands_lines, head_text, notes_lines
from ump.text.layout import PLAIN


@pytest.fixture(scope="module")
def game() -> RecordedGame:
    """Return a game of four with three kyoku."""
    found = own_games()[1]
    return replace(found, kyoku=found.kyoku[:3])


@pytest.fixture(scope="module")
def replayed(game: RecordedGame) -> ReplayedGame:
    """Return it as a replay shows it."""
    return ReplayedGame(game)


def test_steps_cross_kyoku_and_stop_at_the_ends(replayed: ReplayedGame) -> None:
    """Every event after the deal is one step, on and back."""
    first, last = replayed.place(0), replayed.place(9, 999)
    steps = sum(replayed.length(each) - replayed.dealt(each) + 1 for each in range(3)) - 1
    at, places = first, [first]
    while (following := replayed.stepped(at, 1)) != at:
        at = following
        places.append(at)
    assert (len(places) - 1, at) == (steps, last)
    for expected in reversed(places[:-1]):
        at = replayed.stepped(at, -1)
        assert at == expected
    assert replayed.stepped(first, -1) == first
    assert replayed.stepped(first, steps) == last


def test_kyoku(replayed: ReplayedGame) -> None:
    """On to the next start; back to the start of this one, then of the one before."""
    inside = replayed.place(1, 30)
    assert replayed.kyoku_at(inside, 1) == replayed.place(2)
    assert replayed.kyoku_at(inside, -1) == replayed.place(1)
    assert replayed.kyoku_at(replayed.place(1), -1) == replayed.place(0)
    assert replayed.kyoku_at(replayed.place(2), 1) == replayed.place(2)


def test_decisions(replayed: ReplayedGame) -> None:
    """The next one of a seat is its draw, its call, or an offer; back again it is the same one."""
    for seat in range(4):
        found = replayed.decision(replayed.place(0), seat, 1)
        event = replayed.game.kyoku[0].events[found.events - 1]
        offered = any(offer[0] == seat for offer in replayed.offers(found))
        assert offered or (isinstance(event, TileDrawn) and event.seat == seat)
        further = replayed.decision(found, seat, 1)
        assert replayed.decision(further, seat, -1) == found
    end = replayed.place(2, 999)
    assert replayed.decision(end, 0, 1) == end


def test_hands_have_their_waits(replayed: ReplayedGame) -> None:
    """Each hand stands with its shanten or waits; hidden ones are left out; the drawn tile is in brackets."""
    at = next(
        at
        for at in (replayed.place(0, events) for events in range(replayed.length(0)))
        if any(note[2] for note in replayed.hands(at).values())
    )
    positions = replayed.positions(at)
    lines = hands_lines(replayed, at, positions, 2, PLAIN, are_open=True)
    assert [line[0] for line in lines] == ["D", "A", "B", "C"]
    assert any("waits " in line for line in lines)
    assert all(len(line) < 80 for line in lines)
    alone = hands_lines(replayed, at, positions, 2, PLAIN, are_open=False)
    assert alone == lines[-1:]
    drawn = replayed.decision(replayed.place(0), 0, 1)
    assert "[" in hands_lines(replayed, drawn, replayed.positions(drawn), 0, PLAIN, are_open=False)[0]


def test_offers_dangers_and_remarks(game: RecordedGame) -> None:
    """Possible calls, the chosen one, tiles that deal in, and the bot's own words."""
    kyoku = game.kyoku[0]
    remarks = (Remark(20, 1, "log", "I fold\x1b[2J"), Remark(20, 2, "refused", "furiten"))
    noted = ReplayedGame(replace(game, kyoku=(replace(kyoku, remarks=remarks), *game.kyoku[1:])))
    at = noted.place(0, 20)
    lines = notes_lines(noted, at, noted.positions(at)[0], PLAIN)
    assert lines[-2].endswith(": I fold?[2J")
    assert lines[-1].endswith(": refused: furiten")
    every = [
        ReplayPlace(each, events) for each in range(3) for events in range(noted.dealt(each), noted.length(each) + 1)
    ]
    offers = [line for place in every for line in notes_lines(noted, place, noted.positions(place)[0], PLAIN)]
    assert any(" could: " in line and ">" in line for line in offers)
    assert any(line.endswith("; did not") for line in offers)
    warned = next(place for place in every if noted.dangers(place) is not None)
    shown = hands_lines(noted, warned, noted.positions(warned), 0, PLAIN, are_open=True)
    assert any("!" in line for line in shown)


def test_the_help_fits() -> None:
    """In 80 columns."""
    assert max(map(len, HELP.splitlines())) < 80


def test_the_words_of_each_step(replayed: ReplayedGame) -> None:
    """Draws are narrated with their tiles, because a replay hides nothing."""
    at = replayed.decision(replayed.place(0), 0, 1)
    assert any(" draws " in line for line in replayed.told(at))
    assert head_text(replayed, at, 0, is_playing=False).startswith("E1.0  step ")
    assert any("wins by" in line or "draw" in line for line in replayed.told(replayed.place(0, 999)))


async def pressed(app: ReplayApp, *keys: str) -> None:
    """Run the program, and press keys."""
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*keys)


@each_row(
    ("keys", "kyoku", "steps", "viewer"),
    [
        (("right", "space", "left"), 0, 1, 0),
        (("down", "right"), 1, 1, 0),
        (("down", "down", "up"), 1, 0, 0),
        (("end", "home"), 0, 0, 0),
        (("tab", "v"), 0, 0, 2),
        (("?", "right"), 0, 0, 0),
        (("left",), 0, 0, 0),
    ],
)
def test_keys(replayed: ReplayedGame, keys: tuple[str, ...], kyoku: int, steps: int, viewer: int) -> None:
    """They move through the game; the key after the help only closes it."""
    app = ReplayApp(replayed, replayed.place(0))
    asyncio.run(pressed(app, *keys))
    assert (app.at, app.viewer) == (replayed.place(kyoku, replayed.dealt(kyoku) + steps), viewer)


def test_it_plays_by_itself_and_leaves(replayed: ReplayedGame) -> None:
    """A switches that on and off, H hides hands, Q leaves with status 0."""
    app = ReplayApp(replayed, replayed.place(0))
    asyncio.run(pressed(app, "a", "h"))
    assert (app.is_playing, app.are_open) == (True, False)
    app = ReplayApp(replayed, replayed.place(0))
    asyncio.run(pressed(app, "a", "a", "q"))
    assert (app.is_playing, app.return_value) == (False, 0)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--kyoku", "W4"], "no such kyoku"),
        (["--kyoku", "x"], "unknown kyoku"),
        (["--game", "2"], "no game 2; the record has 1"),
    ],
)
def test_mistakes(game: RecordedGame, tmp_path: Path, arguments: list[str], reason: str) -> None:
    """They end the command with a line and status 2."""
    path = tmp_path / "game.mjson.gz"
    write = named("mjai").write
    assert write is not None
    path.write_bytes(gzip.compress(write(game)))
    result = CliRunner().invoke(main, ["replay", str(path), *arguments])
    assert (result.exit_code, reason in result.stderr) == (2, True), result.stderr
