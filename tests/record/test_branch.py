"""Positions of recorded games from which a table plays on, and a server that makes such tables."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.memory_server import Robot, journal_folder, memory_server, room
from support.own_games import own_game
from support.rows import each_row
from support.sample_games import EAGER, GAMES, MIXED, SUFFIX, sample

from ump.cli.main import main
from ump.cli.play import practice_server
from ump.game.game import Game
from ump.record.branch import branch_at, branch_data, events_at, place_of, read_branch
from ump.record.decisions import decisions, read_record
from ump.record.recorded_game import RecordedGame, RecordError
from ump.rules.presets import PRESETS
from ump.table.clock import TimeControl
from ump.table.messages import Ask, Tell
from ump.table.opening import Opening


def test_a_branch_leads_to_the_question_of_its_place() -> None:
    """The kyoku played to a decision asks the same seat the same, also after the way over another process."""
    counted = 0
    for game in (read_record(sample(EAGER)), own_game(PRESETS["tenhou3"], "3", rare=False)):
        for decision in list(decisions(game))[::97]:
            branch = branch_at(game, decision.kyoku, decision.event, decision.seat)
            assert read_branch(json.loads(json.dumps(branch_data(branch)))) == branch
            played = Game(branch.ruleset, game.names, branch.deals("later"), standing=branch.standing)
            played.begin()
            played.proceed()
            for seat, action in branch.actions:
                played.answer(seat, action)
            assert played.questions[decision.seat].legal() == decision.legal
            counted += 1
    assert counted > 8


def test_a_table_tells_the_past_and_asks_the_present() -> None:
    """It sends the events of the kyoku, nothing of the answered questions, and then the open ones."""
    game = read_record(sample(MIXED))
    decision = [each for each in decisions(game, (2,)) if each.is_free][30]
    branch = branch_at(game, decision.kyoku, decision.event, 2)
    opening = Opening("main-1", branch.ruleset, game.names, "ab" * 32, TimeControl(), (2,), (0,) * 4)
    table = opening.table(branch.standing, branch.deals(opening.seed))
    step = table.play_on(branch.actions, 0)
    told = [message.event for message in step.messages if isinstance(message, Tell)]
    asked = [message for message in step.messages if isinstance(message, Ask)]
    assert step.entries == []
    assert told[1:] == list(game.kyoku[decision.kyoku].events[: decision.event])
    assert step.messages == [*map(Tell, told), *asked]
    assert decision.seat in [ask.seat for ask in asked]


@each_row(
    ("make", "message"),
    [
        (lambda game: place_of(game, "E1"), "unknown place 'E1': expected a kyoku and an event, as in E3.1:17"),
        (lambda game: place_of(game, "W4:1"), "no such kyoku in this record"),
        (lambda game: place_of(game, "E1:9999"), "no event 9999"),
        (lambda game: events_at(game, 99, 0), "no kyoku 99"),
        (lambda game: branch_at(game, 0, len(game.kyoku[0].events)), "nothing is left to decide there"),
        (lambda game: branch_at(game, 0, 20, 4), "no such seat in a game of 4"),
    ],
)
def test_a_place_that_does_not_exist(make: Callable[[RecordedGame], object], message: str) -> None:
    """Each error is one line that names the choices."""
    with pytest.raises(RecordError, match=message.replace("(", r"\\(")):
        make(read_record(sample(MIXED)))


def test_a_player_comes_to_a_kept_position(tmp_path: Path) -> None:
    """The seat is the one of the position, bots play the others, the game is played to its end and not recorded."""
    game = read_record(sample(MIXED))
    kyoku, events = place_of(game, "E1:20")
    branch = branch_at(game, kyoku, events)
    folder = journal_folder(tmp_path / "records")
    folder.open()
    with memory_server(room(review="tsumogiri", time="300+0"), recorder_of=folder.create) as server:
        name = server.lobby.branches.keep("main", branch)
        robot = Robot(server.enter("ann", f"_room={name}"))
        assert branch.seat == server.table.opening.players.index("ann")
        assert {"sutehai?", "naku?"} & set(robot.peer.words()[-1:])
        server.play([robot], until=lambda: not server.rooms[0].tables)
        assert not server.rooms[0].tables
        assert "from-0" in " ".join(server.enter("bob", "_room=from-0").heard())
    folder.close()
    assert not list((tmp_path / "records").glob("*.journal.gz"))


@pytest.mark.once
def test_a_table_of_ones_own() -> None:
    """``ump play --from`` runs a server for one position; it asks the player who comes under the name of it."""
    game = read_record(sample(MIXED))
    branch = branch_at(game, *place_of(game, "E1:20"))
    with (
        practice_server(branch, "tsumogiri") as (port, name),
        socket.create_connection(("127.0.0.1", port), timeout=60) as connection,
        connection.makefile("rw", newline="\r\n") as lines,
    ):
        lines.write(f"0 hello ump=0.1 name=ann _room={name}\n")
        lines.flush()
        words = iter(lambda: lines.readline().split()[1], "")
        assert next(word for word in words if word in ("sutehai?", "naku?", "bye"))[-1] == "?"


def test_the_command_explains_what_is_wrong() -> None:
    """A place that does not exist, and options that belong together, are one line with status 2."""
    path = str(GAMES / f"{MIXED}{SUFFIX}")
    for options, message in (
        (["--from", path, "--at", "E9:1"], "unknown kyoku"),
        (["--from", path], "--from RECORD and --at PLACE belong together"),
        (["--at", "E1:1", "localhost:19000"], "--from RECORD and --at PLACE belong together"),
    ):
        result = CliRunner().invoke(main, ["play", *options])
        assert (result.exit_code, message in result.stderr) == (2, True), result.stderr
