"""A tournament on a server: 16 players, a restart between two rounds and one in a round, and what a director does."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from support.memory_server import MemoryServer, Peer, Robot, journal_folder, memory_server, room
from twisted.internet.defer import maybeDeferred
from twisted.logger import capturedLogs

from ump.database.database import file_place
from ump.game.deals import secret_of
from ump.model.commitments import commitment_of
from ump.net.limits import TOO_MANY_CODES
from ump.record.journal import check_journal, read_journal
from ump.server.lobby import EventDoor
from ump.server.settings import WRONG_CODE
from ump.server.table_runner import DIRECTOR_CLOSES, DIRECTOR_GOES_ON, DIRECTOR_PAUSED, DIRECTOR_PAUSES
from ump.server.tournament_play import DIRECTOR_WAITS, PERIOD, Event, Events
from ump.server.tournaments import EventSettings, Tournament, TournamentDatabase, carry_out, new_code, new_tournament
from ump.wire.names import owner_of

PEOPLE = ("Mika", "Bob", "Eva", "Ann")


class Club:
    """A tournament in a folder, which several servers play one after the other."""

    def __init__(self, folder: Path, bots: int, *, form: str = "swiss", rounds: int = 2, **play: Any) -> None:
        self.folder = folder
        self.database = TournamentDatabase(file_place(folder / "club.sqlite"))
        made, self.key = new_tournament("cup", "Cup", form, rounds, EventSettings(**{"length": "kyoku", **play}))
        self.database.create(made)
        self.codes = {name: new_code() for name in PEOPLE}
        for name, code in self.codes.items():
            self.give("add", name=name, code=code)
        for number in range(bots):
            self.give("add", name=f"robo-{number + 1}", kind="bot", policy="tsumogiri")

    def give(self, order: str, **given: object) -> Tournament:
        """Give an order as 'ump tournament' does."""
        return self.database.change("cup", lambda found: carry_out(found, order, given))

    @property
    def now(self) -> Tournament:
        """The tournament as it is in the database."""
        return self.database.read("cup")

    @contextmanager
    def server(self, **options: Any) -> Iterator[MemoryServer]:
        """Open a server that goes on with what an earlier one has left."""
        journals = journal_folder(self.folder)
        journals.open()
        options |= {"recorder_of": journals.create, "seals": journals.seals}
        with memory_server(room(house_after=0), **options) as server:
            events = Events(self.database, lambda: [server.rooms[0].settings], server.parts, maybeDeferred, self.folder)
            server.lobby.events = events
            server.host = EventDoor(server.lobby, events, server.host)
            events.load()
            for path, journal in journals.unfinished(events.sealed):
                event = events.find(journal.header.room)
                assert event is not None and journal.header.event is not None
                table = event.room.restore(journal, partial(journals.reopen, path, journal))
                event.adopt(journal.header.event, table)
            events.startService()
            server.clock.advance(0)
            yield server
            events.stopService()
            server.lobby.close()
        journals.close()

    def come(self, server: MemoryServer, name: str) -> Robot:
        """Let a guest sit down with the code, whoever has the name of its browser."""
        peer = server.connect()
        peer.connection.look_again = lambda connection: connection.fail("this name belongs to a user")
        peer.say(f"0 hello ump=0.1 name=x _room=cup:{self.codes[name]} _tab=aaaaaaaa _explain=1 _person=1")
        return Robot(peer)


def look(server: MemoryServer) -> Event:
    """Let the server look at the database; return the tournament."""
    server.clock.advance(PERIOD)
    assert server.lobby.events is not None
    event = server.lobby.events.find("cup")
    assert event is not None
    return event


def states(found: Tournament) -> list[str]:
    """Return the states of the tables of the last published round."""
    return [table.state.value for table in found.published[-1].tables]


def notices(robot: Robot) -> list[str]:
    """Return what a player has heard from the director, and on the way to its seat."""
    robot.peer.words()  # reads what has come
    said = [line.partition("_notice ")[2].replace("%20", " ") for line in robot.peer.lines if "_notice " in line]
    return [text for text in said if not text.startswith("Cup: ")]


def reason(peer: Peer) -> str:
    """Return the error with which a connection has ended."""
    assert not peer.is_connected
    return peer.heard()[-1].partition(" error ")[2].replace("%20", " ")


def test_sixteen_players_and_two_restarts(tmp_path: Path) -> None:
    """12 bots and 4 people play two rounds; the server ends between them, and in a game of the second."""
    club = Club(tmp_path, bots=12)
    with club.server() as server:
        people = [club.come(server, name) for name in PEOPLE]
        for order in ("plan", "publish"):
            club.give(order)
        event = look(server)
        assert any("Cup: round 1, table" in line.replace("%20", " ") for line in people[0].peer.heard())
        assert event.games == {}
        club.give("start")
        look(server)
        server.play(people)
        assert set(states(club.now)) == {"done"}
        assert all(robot.peer.is_connected for robot in people)
    with club.server() as server:
        people = [club.come(server, name) for name in PEOPLE]
        for order in ("plan", "publish", "start"):
            club.give(order)
        look(server)
        server.play(people, until=lambda: people[0].peer.words().count("sutehai?") > 3)
        running = look(server).games
        assert running and "running" in states(club.now)
    with club.server() as server:
        people = [club.come(server, name) for name in PEOPLE]
        event = look(server)
        assert set(event.games) <= set(running)
        assert "gamestart" in people[0].peer.words()
        server.play(people)
        look(server)
    found = club.give("finish")
    assert [len(each.tables) for each in found.published] == [4, 4]
    assert all(table.result is not None and table.attempt == 1 for each in found.published for table in each.tables)
    check_records(tmp_path, found)


def check_records(folder: Path, found: Tournament) -> None:
    """Check that each game has one record, with its place in the tournament, and walls by the secret."""
    headers = [read_journal(gzip.decompress(path.read_bytes())).header for path in folder.glob("*.journal.gz")]
    events = {header.event: header for header in headers}
    assert sorted(map(str, events)) == [f"cup/{number}/{table}/1" for number in (1, 2) for table in (1, 2, 3, 4)]
    for event, header in events.items():
        assert event is not None
        number, table, _ = map(int, event.split("/")[1:])
        assert header.opening.secret == secret_of(found.secret, event.partition("/")[2])
        assert header.opening.players == tuple(
            found.entrant(each).name for each in found.rounds[number - 1].tables[table - 1].seats
        )
    assert commitment_of(found.secret) == found.commitment


def test_the_end_of_a_game_that_pauses(tmp_path: Path) -> None:
    """Its players read that it has ended, not that it goes on."""
    club = Club(tmp_path, bots=0, form="random", rounds=1, length="tonpu")
    with club.server() as server:
        robots = [club.come(server, name) for name in PEOPLE]
        for order in ("plan", "publish", "start", "pause"):
            club.give(order)
            look(server)
        server.play(robots)
        assert notices(robots[0]) == [DIRECTOR_PAUSES, DIRECTOR_PAUSED]
        club.give("void", table=1, reason="wrong seats")
        look(server)
        assert notices(robots[0])[2:] == [DIRECTOR_CLOSES]


def test_what_a_director_does(tmp_path: Path) -> None:
    """Pause, go on, void with a replay, a bot for somebody who is not there, wrong codes, the end."""
    club = Club(tmp_path, bots=0, form="random", rounds=1, length="tonpu", substitute=-300)
    with club.server() as server:
        people = {name: club.come(server, name) for name in PEOPLE}
        for order in ("plan", "publish", "start"):
            club.give(order)
        event = look(server)
        robots = list(people.values())
        (table,) = event.room.tables
        server.play(robots, until=lambda: "haipai" in robots[0].peer.words())
        club.give("pause")
        look(server)
        assert notices(robots[0]) == [DIRECTOR_PAUSES]  # at once, in the middle of a hand
        club.give("start")
        look(server)
        club.give("pause")
        look(server)
        server.play(robots)
        assert states(club.now) == ["paused"]
        assert notices(robots[0])[1:] == [DIRECTOR_GOES_ON, DIRECTOR_PAUSES, DIRECTOR_PAUSED]
        before = robots[0].peer.words().count("haipai")
        server.clock.advance(500)
        server.play(robots)
        assert robots[0].peer.words().count("haipai") == before == 4
    with club.server() as server:
        people = {name: club.come(server, name) for name in PEOPLE}
        robots, event = list(people.values()), look(server)
        (table,) = event.room.tables
        server.play(robots)
        assert robots[0].peer.words().count("haipai") == 4
        assert notices(robots[0])[-1] == DIRECTOR_PAUSED  # also to players who come back
        club.give("start")
        look(server)
        server.play(robots, until=lambda: robots[0].peer.words().count("haipai") == 8)
        assert not any(chair.timeouts for chair in table._host.table.chairs)
        club.give("void", table=1, reason="wrong seats")
        look(server)
        assert event.room.tables == () and states(club.now) == ["ready"]
        assert notices(robots[0])[-2:] == [DIRECTOR_GOES_ON, DIRECTOR_CLOSES]
        people["Eva"].peer.hang_up()
        club.give("start")
        look(server)
        assert states(club.now) == ["called"]
        club.give("pause")
        look(server)
        assert notices(robots[0])[-1] == DIRECTOR_WAITS
        club.give("start", bots=True)
        look(server)
        server.play([each for name, each in people.items() if name != "Eva"])
        found = club.now
        (played,) = found.published[0].tables
        assert states(found) == ["done"] and played.attempt == 2 and played.voided[0].reason == "wrong seats"
        assert played.played_by.count(0) == 1
        assert reason(club_guess(server, new_code())) == WRONG_CODE
        club.give("finish")
        look(server)
        assert not people["Mika"].peer.is_connected and not server.lobby.is_borne("Mika")


def test_an_entrant_in_plain_words(tmp_path: Path) -> None:
    """The code leads there, and the director is heard."""
    club = Club(tmp_path, bots=0, form="list", rounds=1)
    club.give("plan", seating=[PEOPLE])
    with club.server() as server:
        peer = server.connect()
        peer.say(f"hello name=x _room=cup:{new_code()}")
        assert "That is not possible: wrong invitation code" in " ".join(peer.heard())
        peer.say(f"hello name=x _room=cup:{club.codes['Mika']}")
        assert "as Mika" in " ".join(peer.heard())
        for order in ("publish", "start", "pause"):  # the others are not here, so the game does not begin
            club.give(order)
            look(server)
        assert f"The server says: {DIRECTOR_WAITS}" in peer.heard()


TYPED = [
    ("You sit down in cup as Mika.", "Mika cup:{code}"),
    ("You sit down in cup as Mika.", "help", "x Cup:{code}"),
    ("You sit down in cup as Mika.", "cup:{code}"),
    ("You sit down in cup as Mika.", "x cup:WRONG", "cup:{code}"),
    ("You sit down in main as x.", "x cup:WRONG", ""),
    ("You sit down in main.", "help", "Mika: cup:{code}", "cup: {code}", "cup:{code} Mika", ""),
    ("You watch cup.", "watch cup"),
    ("You watch cup.", "help", "watch CUP"),
]
"""The lines that people type, and the answer to the last one."""


def test_the_code_as_people_type_it(tmp_path: Path) -> None:
    """It leads to the tournament at the prompts of both ports, and neither a log nor a name has it."""
    club = Club(tmp_path, bots=0)
    code = club.codes["Mika"]
    with club.server() as server, capturedLogs() as events:
        for port, (answer, *typed) in product(("listen", "telnet"), TYPED):
            peer = server.connect(port=port)
            for line in typed:
                peer.heard()
                peer.say(line.format(code=code))
            assert " ".join(peer.heard()).startswith(answer)
            peer.hang_up()
    assert not [each for each in events if code in str(each)]


def test_an_entrant_before_the_next_look(tmp_path: Path) -> None:
    """A tournament is looked up if it or its entrant is new; a client that names nothing is told so."""
    club = Club(tmp_path, bots=0)
    with club.server(users=Alice()) as server:
        made, _ = new_tournament("late", "Late", "swiss", 1, EventSettings(length="kyoku"))
        club.database.create(carry_out(made, "add", {"name": "Eva", "code": club.codes["Mika"]}))
        entrant = server.connect()
        entrant.say(f"0 hello ump=0.1 name=alice _room=late:{club.codes['Mika']}")
        assert server.lobby.events is not None
        event = server.lobby.events.find("late")
        assert event is not None and [player.name for player in event.room.line] == ["Eva"]
        club.database.change("late", lambda found: carry_out(found, "add", {"name": "Bob", "code": club.codes["Bob"]}))
        server.connect().say(f"0 hello ump=0.1 name=x _room=late:{club.codes['Bob']}")
        assert [player.name for player in event.room.line] == ["Eva", "Bob"]
        for asked in ("_room=later", "_watch=later"):
            other = server.connect()
            other.say(f"0 hello ump=0.1 name=x {asked}")
            assert reason(other).startswith("unknown room 'later'")


def test_more_time_and_other_seats_while_a_game_runs(tmp_path: Path) -> None:
    """The journal has the time, also after a restart; a game with wrong seats ends and begins again with others.

    A director who is faster than the first note of a game wins.
    """
    club = Club(tmp_path, bots=0, form="list", rounds=1)
    club.give("plan", seating=[PEOPLE])
    for order in ("publish", "start"):
        club.give(order)
    with club.server() as server:
        robots = [club.come(server, name) for name in PEOPLE]
        event = look(server)
        (table,) = event.room.tables
        club.give("time", table=1, seconds=60)
        look(server)
        look(server)
        server.play(robots, until=lambda: "haipai" in robots[0].peer.words())
        assert " ".join(robots[0].peer.lines).count("60%20seconds%20more") == 1
    with club.server() as server:
        robots = [club.come(server, name) for name in PEOPLE]
        event = look(server)
        (table,) = event.room.tables
        assert {chair.clock.bank for chair in table.chairs} == {table.opening.times.bank_ms + 60_000}
        club.give("time", table=1, seconds=0)
        look(server)
        assert {chair.clock.bank for chair in table.chairs} == {table.opening.times.bank_ms}
        club.give("reseat", table=1, seats=PEOPLE[::-1], reason="wrong seats")
        look(server)
        assert event.room.tables == () and states(club.now) == ["ready"]
        club.give("start")
        changed = club.now
        event.tournament = changed  # as if the server had looked just before the next order
        club.give("pause")
        event.look()
        assert event.room.tables
        look(server)
        assert event.room.tables == () and event.games == {} and states(club.now) == ["ready"]
        club.give("start")
        look(server)
        (table,) = event.room.tables
        assert table.opening.players == PEOPLE[::-1]
        server.play(robots)
        assert states(club.now) == ["done"]
    texts = [gzip.decompress(path.read_bytes()).decode() for path in tmp_path.glob("*.journal.gz")]
    assert [text.count('"extended",60000') for text in texts].count(1) == 1
    assert all(check_journal(read_journal(text.encode())) for text in texts)


def test_records_of_equal_walls_wait_for_the_round(tmp_path: Path) -> None:
    """All tables of a round have the same walls: no spectator, no secret and no record before the last game is over."""
    club = Club(tmp_path, bots=4, form="list", rounds=1, duplicate=True)
    records = list[Path]()
    with club.server() as server:
        people = [club.come(server, name) for name in PEOPLE]
        club.give("plan", seating=[PEOPLE, [f"robo-{number}" for number in range(1, 5)]])
        for order in ("publish", "start"):
            club.give(order)
        for robot in people:
            robot.is_mute = True
        look(server)
        server.play(people)
        watcher = server.connect()
        watcher.say("0 hello ump=0.1 _watch=cup")
        assert not watcher.is_connected
        look(server)
        assert states(club.now) == ["running", "done"]
    with club.server() as server:
        records = list(tmp_path.glob("*.journal.gz"))
        people = [club.come(server, name) for name in PEOPLE]
        server.play(people)
        look(server)
        assert states(club.now) == ["done", "done"]
    assert not records
    found = [gzip.decompress(path.read_bytes()) for path in tmp_path.glob("*.journal.gz")]
    assert {read_journal(data).header.opening.secret for data in found} == {secret_of(club.now.secret, "1/1")}
    assert len(found) == 2


class Alice:
    """A user, the only one, with a token."""

    name, role, bot, token, login_id = "alice", "player", None, "ump_0123456789ab_" + "x" * 43, "0123456789ab"

    def login_with_token(self, text: str, now: str, *, is_session: bool = False) -> Alice | None:
        """Return the user of a token."""
        return self if text == self.token else None

    def closed(self, now: str) -> str | None:
        """Return None: the user may play."""

    def user(self, name: str) -> Alice:
        """Return the user."""
        return self

    def is_reserved(self, name: str) -> bool:
        """Return whether a name is the user's."""
        return owner_of(name) == self.name

    def folded_names(self, most: int) -> frozenset[str]:
        """Return the user's name."""
        return frozenset([self.name])


def test_a_bot_by_its_token_and_a_result_that_nobody_has_noted(tmp_path: Path) -> None:
    """A user's bot is known by the login; a game that ended before its result was noted is read from its journal."""
    club = Club(tmp_path, bots=0, form="list", rounds=1)
    club.give("add", name="alice/akagi", kind="user")
    club.give("withdraw", entrant="Ann")
    club.give("plan", seating=[[*PEOPLE[:3], "alice/akagi"]])
    for order in ("publish", "start"):
        club.give(order)
    with club.server(users=Alice()) as server:
        robots = [club.come(server, name) for name in PEOPLE[:3]]
        bot = server.connect("127.0.0.1")
        bot.say(f"0 hello ump=0.1 name=akagi user=alice password={Alice.token} _room=cup")
        event = look(server)
        event._note = lambda _identity, _change: None
        server.play([*robots, Robot(bot)])
        assert "gameend" in bot.words() and not event.room.tables
        assert states(club.now) == ["running"]
    with club.server(users=Alice()) as server:
        look(server)
        (table,) = club.now.published[0].tables
        assert table.state.value == "done" and table.attempt == 1 and table.result is not None
        assert (tmp_path / f"{table.record}.journal.gz").exists()
        assert sum(table.result.points) == 100_000
        stranger = server.connect()
        stranger.say("0 hello ump=0.1 name=akagi _room=cup")
        assert not stranger.is_connected
    aliases = {"alice/akagi": "deleted user 7/akagi", "Bob": "deleted user 8"}
    club.database.rename(aliases.get)
    journals = journal_folder(tmp_path)
    journals.open()
    journals.rename(aliases.get, club.database.hashes_of)
    record = read_journal(gzip.decompress((tmp_path / f"{table.record}.journal.gz").read_bytes()))
    assert sorted(record.header.opening.players) == sorted([*PEOPLE[:3], "deleted user 7/akagi"])  # Bob is a guest
    journals.close()


def test_a_code_comes_before_the_name(tmp_path: Path) -> None:
    """An entrant gets in whose own name a user has, too; nobody guesses many codes, whatever the name."""
    club = Club(tmp_path, bots=0)
    with club.server(users=Alice()) as server:
        assert server.lobby.is_borne("mika") and server.lobby.is_borne("main") and not server.lobby.is_borne("alice")
        peer = server.connect()
        peer.say(f"0 hello ump=0.1 name=alice _room=cup:{club.codes['Mika']}")
        assert peer.is_connected and [player.name for player in look(server).room.line] == ["Mika"]
        for said in (*[WRONG_CODE] * server.connections.limits.rates.violations, TOO_MANY_CODES):
            guess = server.connect("192.0.2.9")
            guess.say(f"0 hello ump=0.1 name=alice _room=cup:{new_code()}")
            assert reason(guess) == said


def club_guess(server: MemoryServer, code: str) -> Peer:
    """Let somebody try a code."""
    peer = server.connect("192.0.2.9")
    peer.say(f"0 hello ump=0.1 name=x _room=cup:{code} _explain=1")
    return peer
