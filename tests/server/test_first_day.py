"""The first day of an operator with a site of three servers: what the guides tell, from the first user to a restore."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from support.databases import PostgresServer
from support.programs import UMP, run

from scripts.lab.processes import wait_until
from scripts.lab.site import HAPROXY, ROOMS, SECONDS, Client, Site
from scripts.scenarios.upgrades import ReturningPlayers
from ump.server.journals import FINISHED
from ump.server.settings import PRIVATE_ROOM

pytestmark = [pytest.mark.no_cover, pytest.mark.once, pytest.mark.long]

PASSWORD = "correct-horse-battery"
OPTIONS = ("--length=kyoku", "--house=tsumogiri:3", "--house-after=0", "--bot-delay=0", "--time=60+60")
PLAYERS = 6
"""Clients in each room while servers are killed and upgraded."""


def ump(*words: str, text: str = "") -> str:
    """Run a command of ump, which must succeed; return what it prints."""
    done = run(*UMP, *words, text=text)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Day:
    """A site, its database, and what the operator has written down."""

    def __init__(self, postgres: PostgresServer, folder: Path) -> None:
        self.postgres = postgres
        self.folder = folder
        self.url = postgres.new_url()
        self.site = Site(self.url, folder, *OPTIONS)
        self.games: list[str] = []
        """The ids of finished games."""

    def note_game(self, player: str) -> None:
        """Note the last game of a player, as the lobby of any server lists it."""
        found: list[str] = []

        def is_listed() -> bool:
            found.extend(self._games_of(player))
            return bool(found)

        assert wait_until(is_listed, SECONDS), [game["players"] for game in self.site.lobby()["games"]][:2]
        self.games.append(found[0])

    def note_private_game(self, code: str) -> None:
        """Note the game of a table among friends, which no list shows."""
        found: list[str] = []

        def is_there() -> bool:
            paths = self.site.records(code[0].lower()).glob(f"*-{PRIVATE_ROOM}-*{FINISHED}")
            found.extend(name for path in paths if (name := path.name.removesuffix(FINISHED)) not in self.games)
            return bool(found)

        assert wait_until(is_there, SECONDS)
        self.games.append(max(found))

    def _games_of(self, player: str) -> list[str]:
        games = self.site.lobby()["games"]
        return [game["id"] for game in games if player in [each["name"] for each in game["players"]]]

    def see_replays(self) -> None:
        """See each noted game by its link."""
        for game in self.games:
            assert self.site.ask("GET", f"/api/games/{game}").status == 200


@pytest.fixture(scope="module")
def day(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Day]:
    """Begin a day: the tables of the database are made, users are added, and the servers start behind HAProxy."""
    if HAPROXY is None:
        pytest.skip("no HAProxy; apt-get install haproxy")
    made = Day(postgres, tmp_path_factory.mktemp("day"))
    ump("database", "upgrade", "--index", made.url, "--users", made.url)
    for name in ("alice", "bob"):
        ump("users", "add", name, "--users", made.url, text=f"{PASSWORD}\n")
    with closing(made.site) as site, pytest.MonkeyPatch.context() as patched:
        patched.setenv("SSL_CERT_FILE", str(site.certificate))
        site.open()
        yield made


def test_rooms_and_users(day: Day) -> None:
    """A guest plays in each room, by the page and by TCP; users log in where the proxy ends TLS, by token, too."""
    for letter, room in ROOMS.items():
        assert day.site.page(room, f"name=page_{letter} _room={room}").has_played()
        day.note_game(f"page_{letter}")
        assert day.site.tcp(letter, f"user=alice password={PASSWORD} _room={room}").has_played()
    token = re.search(r"ump_[\w-]+", ump("users", "token", "bob", "--label", "laptop", "--users", day.url))
    assert token is not None
    assert day.site.tcp("c", f"user=bob password={token[0]} _room=lounge").has_played()
    day.note_game("bob")


def test_tables_among_friends(day: Day) -> None:
    """One made at each server is found by its code, and two friends play there, whichever server takes their requests.

    The replay of each game is the site's.
    """
    made = [day.site.ask("POST", "/api/tables", '{"bots": "efficiency"}', guest(key)) for key in "abc"]
    codes = [json.loads(answer.body)["code"] for answer in made]
    assert {code[0].lower() for code in codes} == set(ROOMS)
    for key, code in zip("abc", codes, strict=True):
        for _ in ROOMS:
            assert day.site.ask("GET", f"/api/tables/{code}").status == 200
        friends = [friend(day, code, f"Host_{key}", key), friend(day, code, f"Guest_{key}", key.upper())]
        friends[1].link.send(["0 _ready"])
        friends[0].link.send(["0 _start"])
        with ThreadPoolExecutor() as threads:
            assert all(threads.map(finishes, friends)), [client.lines[-1] for client in friends]
        day.note_private_game(code)


def friend(day: Day, code: str, name: str, key: str) -> Client:
    """Come to a table, as its page does."""
    hello = f"name={name} _person=1 _explain=1 _guest={key * 22} _table={code}"
    client = day.site.page("main", hello, code[0].lower())
    client.hear("_members")
    return client


def finishes(client: Client) -> bool:
    """Play until the game is over; the table stays."""
    while "gameend" not in client.hear("ready?", "sutehai?", "naku?", "tenpai?", "gameend"):
        client.answer()
    return True


def guest(key: str) -> dict[str, str]:
    """Return the headers of a guest."""
    return {"Authorization": f"Guest {key * 22}", "Content-Type": "application/json"}


def test_a_tournament(day: Day) -> None:
    """Made, played and finished by commands, while its players come by any address."""
    orders = ("--tournaments", day.url)
    ump("tournament", "new", "cup", "Cup", "--rounds", "1", "--length", "kyoku", "--room", "club", *orders)
    ump("tournament", "add", "cup", "Robo-1", "Robo-2", "Robo-3", "--bot", "tsumogiri", *orders)
    code = re.search(r"cup:(\S+)|code (\S+)", ump("tournament", "add", "cup", "Mika", *orders))
    assert code is not None
    entrance = f"cup:{code[1] or code[2]}"
    for order in ("plan", "publish", "start"):
        ump("tournament", order, "cup", *orders)
    assert [day.site.ask("GET", "/api/tournaments/cup").status for _ in ROOMS] == [200] * len(ROOMS)
    player = day.site.page(entrance, f"name=Mika _room={entrance}")
    assert player.has_played(), player.lines
    assert wait_until(lambda: "Mika" in ump("tournament", "standings", "cup", *orders), SECONDS)
    ump("tournament", "finish", "cup", *orders)


def each_server(day: Day, prefix: str, act: Callable[[str], None]) -> tuple[list[float], list[str]]:
    """Do something to each server in turn while clients play at all of them; return silences and losses."""
    silences = []
    with ReturningPlayers([day.site.tcp_port(letter) for letter in ROOMS], PLAYERS, prefix) as players:
        assert wait_until(players.are_playing, SECONDS), players.missing()
        for letter in ROOMS:
            players.take_silence()
            act(letter)
            assert wait_until(players.are_playing, SECONDS), players.missing()
            silences.append(players.take_silence())
        return silences, players.losses


def test_kill_each_server(day: Day) -> None:
    """Its games go on after its restart; the others do not notice."""

    def kill(letter: str) -> None:
        day.site.servers[letter].close()
        state = {room: "away" if room == ROOMS[letter] else "open" for room in ROOMS.values()}
        assert wait_until(lambda: day.site.states() == state, SECONDS)
        day.see_replays()
        day.site.servers[letter].start()

    silences, losses = each_server(day, "k", kill)
    print(f"kill -9: silent for {silences} s")
    assert losses == []


def test_upgrade_each_server(day: Day) -> None:
    """Nobody loses anything; scripts/upgrade-test measures how long it takes under more clients."""
    silences, losses = each_server(day, "u", lambda letter: day.site.servers[letter].upgrade())
    print(f"upgrades: silent for {silences} s")
    assert losses == []


def test_restore(day: Day) -> None:
    """On another computer, from a dump and copies of the folders: users, replays and new games."""
    begun = time.monotonic()
    folder = day.folder.with_name("restored")
    folder.mkdir()
    restored = Day(day.postgres, folder)
    day.postgres.copy(day.url, restored.url)
    for letter in ROOMS:
        shutil.copytree(day.folder / letter, folder / letter)
    day.site.close()
    restored.games = day.games
    with closing(restored.site) as site, pytest.MonkeyPatch.context() as patched:
        patched.setenv("SSL_CERT_FILE", str(site.certificate))
        site.open()
        print(f"restored in {time.monotonic() - begun:.1f} s")
        restored.see_replays()
        player: Client = site.tcp("b", f"user=alice password={PASSWORD} _room=club")
        assert player.has_played(), player.lines
