"""Players who lose their connections and come back: in a running server, and after it has started again."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.parse import unquote

import pytest
from support.memory_server import MemoryServer, Peer, Robot, journal_folder, memory_server, room

from ump.game.deals import secret_of
from ump.model.commitments import commitment_of
from ump.record.game_index import GameIndex
from ump.record.journal import JournalError, check_journal, read_journal
from ump.server.journals import FINISHED, JournalFile, JournalFolder, Sync

KYOKU = room(length="kyoku", time="10+20", grace=60)
NAMES = ("a", "b", "c", "d")


@pytest.fixture
def journals(tmp_path: Path) -> Iterator[JournalFolder]:
    """An empty folder of journals."""
    folder = journal_folder(tmp_path, Sync.KYOKU)
    folder.open()
    yield folder
    folder.close()


@pytest.fixture
def server(journals: JournalFolder) -> Iterator[MemoryServer]:
    """A server whose games are recorded."""
    with memory_server(KYOKU, recorder_of=journals.create) as opened:
        yield opened


def token_of(peer: Peer) -> str:
    """Return the token that a client has received."""
    (token,) = (line.split()[2] for line in peer.lines if " _resume " in line)
    return token


def back(server: MemoryServer, token: str, options: str = "") -> Robot:
    """Let a client come back with a token."""
    peer = server.connect()
    peer.say(f"0 hello ump=0.1 _resume={token} {options}")
    return Robot(peer)


def last_line(peer: Peer) -> str:
    """Return the last line that a client has received, decoded."""
    peer.heard()
    return unquote(peer.lines[-1])


def until_discards(robots: list[Robot], count: int) -> Callable[[], bool]:
    """Return whether the first robot has heard of this many discards."""
    return lambda: robots[0].peer.words().count("sutehai") >= count


def sentences(peer: Peer, first: str) -> list[str]:
    """Return what a client has received from the last ``first`` on, without ids."""
    texts = [line.split(" ", 1)[1] for line in peer.lines]
    start = max(place for place, text in enumerate(texts) if text.startswith(first))
    return texts[start:]


def test_a_player_comes_back(server: MemoryServer) -> None:
    """It receives the kyoku so far and its open question; the game goes on as if nothing had happened."""
    robots = server.robots(*NAMES, options="_resume=1")
    server.play(robots, until=until_discards(robots, 9))
    lost = robots[1].peer
    lost.hang_up()
    server.clock.advance(20.0)
    robots[1] = back(server, token_of(lost))
    returned = robots[1].peer
    returned.heard()
    before = [text for text in sentences(lost, "kyokustart") if "?" not in text]
    assert [text for text in sentences(returned, "kyokustart") if "?" not in text][: len(before)] == before
    server.play(robots)
    assert [robot.peer.words()[-2:] for robot in robots] == [["gameend", "bye"]] * 4


def test_nobody_gets_another_seat(server: MemoryServer) -> None:
    """A token that was never given out, or whose game is over, is refused."""
    robots = server.robots(*NAMES, options="_resume=1")
    server.play(robots, until=until_discards(robots, 3))
    refused = "error unknown token; the game is over, or it was never given out"
    assert last_line(back(server, "0" * 32).peer).endswith(refused)
    assert len({token_of(robot.peer) for robot in robots}) == 4
    server.play(robots)
    assert last_line(back(server, token_of(robots[0].peer)).peer).endswith(refused)


def test_a_newer_connection_replaces_the_older(server: MemoryServer) -> None:
    """The older connection of a player is closed; the newer one plays on."""
    robots = server.robots(*NAMES, options="_resume=1")
    server.play(robots, until=until_discards(robots, 5))
    older = robots[2].peer
    robots[2] = back(server, token_of(older))
    assert last_line(older).endswith("error replaced by a newer connection of the same player")
    server.play(robots)
    assert robots[2].peer.words()[-2:] == ["gameend", "bye"]


def test_a_player_of_ump_02_comes_back(server: MemoryServer) -> None:
    """The events that it knew are repeated with ``reconnect=1``; its question and all that follows come without it."""
    others = server.robots("a", "b", "c")
    lost = server.connect()
    lost.say("0 hello ump=0.2 name=d _resume=1")
    server.play(others, until=lambda: any("ready?" in line for line in [*lost.heard(), *lost.lines]))
    lost.say("ok")
    server.play(others)
    lost.heard()
    token = next(line.split()[-1] for line in lost.lines if " _resume " in line)
    lost.hang_up()
    returned = server.connect()
    returned.say(f"0 hello ump=0.2 _resume={token}")
    server.play(others)
    lines = [line.split(" ", 1)[1] for line in returned.heard()][1:]
    repeated = [line for line in lines if " reconnect=1" in line]
    known = [line.split(" ", 1)[1] for line in lost.lines]
    assert [line.replace(" reconnect=1", "") for line in repeated] == [
        line
        for line in known[known.index(next(line for line in known if line.startswith("seat"))) :]
        if "?" not in line and not line.startswith("say")
    ]
    assert lines[: len(repeated)] == repeated
    assert lines[len(repeated)].startswith("sutehai?")


def test_the_walls_are_proven(server: MemoryServer, journals: JournalFolder) -> None:
    """A client with ``_proof=1`` receives the commitment before the game, and the secret that it fits after it."""
    asking, *others = server.robots(*NAMES, options="_proof=1")
    server.play([asking, *others])
    lines = [line.split(" ", 1)[1] for line in asking.peer.lines]
    (commitment,) = (line.split()[1] for line in lines if line.startswith("_commitment "))
    (secret,) = (line.split()[1] for line in lines if line.startswith("_secret "))
    assert commitment == commitment_of(secret)
    words = [line.split()[0] for line in lines]
    assert words.index("_commitment") < words.index("gamestart") < words.index("gameend") < words.index("_secret")
    (game,) = GameIndex(journals.folder).games()
    assert read_journal(gzip.decompress((journals.folder / game.file).read_bytes())).header.opening.secret == secret


def test_a_client_without_a_token_leaves_at_once(server: MemoryServer) -> None:
    """Nobody waits for a client that cannot come back."""
    robots = server.robots(*NAMES)
    server.play(robots, until=until_discards(robots, 5))
    robots[1].peer.hang_up()
    server.play([robot for robot in robots if robot is not robots[1]])
    assert robots[0].peer.words()[-2:] == ["gameend", "bye"]


@pytest.mark.parametrize("hints", ["facts", "none"])
def test_hints_for_who_comes_back(tmp_path: Path, hints: str) -> None:
    """A player who comes back receives hints as far as the room gave them when the game began, after a restart too."""
    first = journal_folder(tmp_path)
    with memory_server(room(length="kyoku", grace=60, hints=hints), recorder_of=first.create) as server:
        robots = server.robots(*NAMES, options="_resume=1 _waits=1")
        server.play(robots, until=until_discards(robots, 6))
        robots[1].peer.hang_up()
        robots[1] = back(server, token_of(robots[1].peer), "_waits=1")
        assert has_hints(robots[1].peer) is (hints == "facts")
        token = token_of(robots[0].peer)
        files = killed(server, first)
    (name,) = files
    for path in tmp_path.glob("*.journal*"):
        path.unlink()
    (tmp_path / name).write_bytes(files[name])
    second = journal_folder(tmp_path)
    with memory_server(KYOKU, recorder_of=second.create) as server:
        ((path, journal),) = second.unfinished()
        server.rooms[0].restore(journal, partial(second.reopen, path, journal))
        assert has_hints(back(server, token, "_waits=1").peer) is (hints == "facts")


def has_hints(peer: Peer) -> bool:
    """Return whether a client has received a hint."""
    peer.heard()
    return any(word.startswith(("_waits", "_shanten")) for line in peer.lines for word in line.split())


def test_players_learn_the_name_of_the_record(server: MemoryServer, journals: JournalFolder) -> None:
    """With _results=1 a player gets it before the end, also after coming back; others and spectators do not."""
    asking = server.robots("a", "b", options="_results=1 _resume=1")
    watcher = server.enter("w", "_watch=main _results=1")
    plain = server.robots("c", "d", options="_resume=1")
    older = asking[0].peer
    older.heard()
    older.hang_up()
    asking[0] = back(server, token_of(older), "_results=1")
    server.play([*asking, *plain])
    (name,) = {path.name.removesuffix(FINISHED) for path in journals.folder.glob(f"*{FINISHED}")}
    for robot in asking:
        words = [line.split()[1:] for line in robot.peer.lines]
        assert ["_record", name] in words
        assert next(at for at, each in enumerate(words) if each[0] == "_places") < [each[0] for each in words].index(
            "gameend"
        )
    watcher.heard()
    assert not {"_places", "_record"} & {word for robot in plain for word in robot.peer.words()}
    assert "_record" not in watcher.words()


def test_a_game_is_recorded_and_indexed(server: MemoryServer, journals: JournalFolder) -> None:
    """After a game the folder has its compressed journal, which fits the rules, and a row in the index."""
    robots = server.robots(*NAMES)
    server.play(robots)
    (game,) = GameIndex(journals.folder).games()
    assert (game.game, game.room, game.end, game.rules) == ("main-1", "main", "completed", "ump")
    assert sorted(player.name for player in game.players) == list(NAMES)
    assert sorted(path.name for path in journals.folder.iterdir()) == [".lock", game.file, "games.sqlite"]
    journal = read_journal(gzip.decompress((journals.folder / game.file).read_bytes()))
    check_journal(journal)
    points = next(line for line in robots[0].peer.lines if " gameend " in line).split()[2:]
    assert points == list(map(str, game.result.points))


def killed(server: MemoryServer, journals: JournalFolder) -> dict[str, bytes]:
    """Return the files of a server as its sudden death would leave them."""
    return {path.name: path.read_bytes() for path in journals.folder.glob("*.journal")}


@pytest.mark.parametrize("written", [b"", b'{"journal":1,"ga'])
def test_a_journal_without_its_first_line_is_no_game(tmp_path: Path, written: bytes) -> None:
    """A server that dies while it begins a game has sent nothing of it: nothing is kept, and nothing is damaged."""
    (tmp_path / ".20260101T000000Z-main-1.journal").write_bytes(written)
    assert not list(journal_folder(tmp_path).unfinished())
    assert not list(tmp_path.iterdir())


def test_a_game_goes_on_after_the_server_was_killed(tmp_path: Path) -> None:
    """Another server restores the table from the journal; the players come back and finish the game."""
    first = journal_folder(tmp_path)
    with memory_server(KYOKU, recorder_of=first.create) as server:
        robots = server.robots(*NAMES, options="_resume=1")
        server.play(robots, until=until_discards(robots, 12))
        tokens = [token_of(robot.peer) for robot in robots]
        files = killed(server, first)
    (name,) = files
    for path in tmp_path.glob("*.journal*"):
        path.unlink()
    (tmp_path / name).write_bytes(files[name] + b'[99999,"answer",0,"su')
    second = journal_folder(tmp_path)
    with memory_server(KYOKU, recorder_of=second.create) as server:
        ((path, journal),) = second.unfinished()
        server.rooms[0].restore(journal, partial(second.reopen, path, journal))
        returned = [back(server, token) for token in tokens]
        server.play(returned)
        assert [robot.peer.words()[-2:] for robot in returned] == [["gameend", "bye"]] * 4
    (game,) = GameIndex(tmp_path).games()
    assert game.end == "completed"


def test_the_journal_of_a_game_that_cannot_go_on_is_not_opened(tmp_path: Path) -> None:
    """A record that does not fit its walls stays as it is, and no descriptor of it is left."""
    first = journal_folder(tmp_path)
    with memory_server(KYOKU, recorder_of=first.create) as server:
        robots = server.robots(*NAMES)
        server.play(robots, until=until_discards(robots, 6))
        (data,) = killed(server, first).values()
    journal = read_journal(data)
    opening = replace(journal.header.opening, secret=secret_of("another"))
    other = replace(journal, header=replace(journal.header, opening=opening))

    def reopen() -> JournalFile:
        raise AssertionError("opened")

    with memory_server(KYOKU, recorder_of=first.create) as server:
        with pytest.raises(JournalError, match="replaying"):
            server.rooms[0].restore(other, reopen)
        assert not server.rooms[0].running
