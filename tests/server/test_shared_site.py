"""Three servers of one site: HAProxy with our configuration before them, and one database of PostgreSQL behind them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from support.browser import CHROMIUM
from support.databases import PostgresServer
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.task import Clock
from twisted.logger import capturedLogs

from scripts.lab.processes import wait_until
from scripts.lab.site import HAPROXY, ROOMS, SECONDS, Site
from ump.database.database import DatabaseAway, read_place
from ump.server.http.neighbours import TEXT_OF_AWAY
from ump.server.shared_site import PERIOD, LetterTaken, News, ServerCard, ServerState, SharedSite, SiteDatabase
from ump.server.tournaments import EventSettings, TournamentDatabase, carry_out, new_code, new_tournament
from ump.server.users.bans import read_target
from ump.server.users.login_turns import TURN_SECONDS
from ump.server.users.user_database import UserDatabase, hash_password

pytestmark = [pytest.mark.no_cover, pytest.mark.once, pytest.mark.usefixtures("prepared_starts")]

NOW = "2026-11-24T00:00:00Z"
PASSWORD = "correct-horse-battery"
FORM = "application/x-www-form-urlencoded"
OPTIONS = ("--length=kyoku", "--house=tsumogiri:3", "--house-after=0", "--bot-delay=0", "--time=60+60")


@pytest.fixture(scope="module")
def site(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site with some users."""
    if HAPROXY is None:
        pytest.skip("no HAProxy; apt-get install haproxy")
    url = postgres.new_url()
    users = UserDatabase(read_place(url))
    for name in ("alice", "bob", "carol"):
        users.add(name, hash_password(PASSWORD), NOW)
    made = Site(url, tmp_path_factory.mktemp("site"), *OPTIONS, is_quick=True)
    with closing(made) as found, pytest.MonkeyPatch.context() as patched:
        patched.setenv("SSL_CERT_FILE", str(found.certificate))
        found.open()
        yield found


def test_tls_that_the_proxy_ends(site: Site) -> None:
    """The servers know which connections are encrypted: users log in over these alone, and their cookies stay there."""
    for server in ROOMS:
        greetings = []
        for is_plain in (False, True):
            client = site.tcp(server, f"user=alice password={PASSWORD} _room=nowhere", is_plain=is_plain)
            greetings.append(client.hear("hello"))
            assert ("secrets need TLS" if is_plain else "unknown room") in client.play()
        assert ["_auth=password,token" in greeting for greeting in greetings] == [True, False]
    order = json.dumps({"user": "bob", "password": PASSWORD})
    plain = {"Origin": f"http://{site.web}", "Content-Type": "application/json"}
    assert site.ask("POST", "/api/account/login", order, plain)[:2] == (403, "")
    encrypted = plain | {"Origin": f"https://{site.secure_web}"}
    login = site.ask_over_tls("POST", "/api/account/login", order, encrypted)
    session, *attributes = login.cookie.split("; ")
    assert session.startswith("__Host-ump=") and "Secure" in attributes
    account = [site.ask_over_tls("GET", "/api/account", headers={"Cookie": session}).body for _ in ROOMS]
    assert all("bob" in str(each) for each in account)
    assert "bob" not in str(site.ask("GET", "/api/account", headers={"Cookie": session}).body)
    majiang = site.ask_over_tls("POST", "/auth", "name=m&passwd=x", {"Content-Type": FORM})
    assert "Secure" in majiang.cookie.split("; ")


def test_games_in_rooms_of_both(site: Site) -> None:
    """By TCP each server has a port of the proxy; a WebSocket's address names the room."""
    assert site.tcp("a", "name=t_a").has_played()
    assert site.tcp("b", "name=t_b _room=club").has_played()
    assert all(site.page(room, f"name=w_{room} _room={room}").has_played() for room in ROOMS.values())
    assert (
        "room club is on another server of this site; connect to 127.0.0.1:"
        in site.tcp("a", "name=l _room=club").play()
    )


def test_every_lobby_lists_all_rooms(site: Site) -> None:
    """The proxy asks the servers in turns, and all say the same; the rules of a room are at its server."""
    lobbies = [site.lobby() for _ in range(4)]
    assert [[room["name"] for room in lobby["rooms"]] for lobby in lobbies] == [["club", "lounge", "main"]] * 4
    assert len({"games" in lobby for lobby in lobbies}) == 1
    for room in ROOMS.values():
        assert site.ask("GET", f"/api/rules/{room}").status == 200


def test_net_play_stays_at_the_server_of_its_login(site: Site) -> None:
    """Its cookie begins with the letter of that server."""
    for number in range(4):
        login = site.ask("POST", "/auth", f"name=m{number}&passwd=x", {"Content-Type": FORM})
        cookie = login.cookie.partition(";")[0]
        assert b"stranger" not in site.ask("GET", "/socket.io/?EIO=4&transport=polling", "", {"Cookie": cookie}).body
        assert b"stranger" in site.ask("GET", "/socket.io/?EIO=4&transport=polling").body


@pytest.mark.long
def test_a_browser_plays_in_rooms_of_both(site: Site) -> None:
    """From the lobby into a game in each room."""
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright; pip install playwright")
    if CHROMIUM is None:
        pytest.skip("no Chromium; apt-get install chromium-headless-shell")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for room in ROOMS.values():
            page = browser.new_page(reduced_motion="reduce")
            page.goto(f"http://{site.web}/")
            page.locator("#list li", has=page.get_by_text(room, exact=True)).locator("a.btn").click()
            page.wait_for_selector("#hand button")
            for switch in ("n", "g"):  # no calls, and discard what is drawn
                page.keyboard.press(switch)
            page.wait_for_selector(".plane .river .tile >> nth=4")  # the turn has gone round
        browser.close()


def test_a_ban_holds_on_both(site: Site) -> None:
    """Players of a banned user are closed at both servers within seconds, and the user cannot log in at either."""
    hello = f"user=alice password={PASSWORD}"
    playing = [site.tcp(name, f"{hello} name={name} _room={room}") for name, room in ROOMS.items()]
    assert all("gamestart" in client.hear("gamestart") for client in playing)
    UserDatabase(read_place(site.url)).ban(read_target("alice"), None, "two accounts", "root", NOW)
    closed = "this account is closed: two accounts"
    assert all(closed in client.hear("error") for client in playing)
    assert all(closed in site.tcp(name, f"{hello} _room={room}").play() for name, room in ROOMS.items())


def test_a_login_elsewhere_closes_the_older_one(site: Site) -> None:
    """A player has one connection to the site; the seat stays, and another login at its server leads back to it."""
    hello = f"user=bob password={PASSWORD}"
    first = site.tcp("a", hello)
    first.hear("gamestart")
    second = site.tcp("b", f"{hello} _room=club")
    second.hear("gamestart")
    assert "replaced by a newer connection" in first.hear("error")
    again = site.tcp("a", hello)
    again.hear("gamestart")
    assert "replaced by a newer connection" in second.hear("error")
    assert again.has_played()


def test_wrong_passwords_count_on_both(site: Site) -> None:
    """After two wrong passwords at one server the next attempt waits at the other one, too."""
    begun = time.monotonic()
    for _ in range(2):
        assert "is wrong" in site.tcp("a", f"user=carol password={PASSWORD}x").play()
    assert site.tcp("b", f"user=carol password={PASSWORD} _room=club").has_played()
    assert time.monotonic() - begun >= 3.0  # one second after the first, and two after the second
    assert site.tcp("b", f"user=carol password={PASSWORD} _room=club").has_played()


GUEST = {"Authorization": f"Guest {'g' * 22}", "Content-Type": "application/json"}


def test_any_server_answers_for_all(site: Site) -> None:
    """Tables among friends, rules, ladders and own seats are found through any server, and by any way."""
    made = [
        json.loads(site.ask("POST", "/api/tables", "{}", GUEST | {"Authorization": f"Guest {key * 22}"}).body)
        for key in "abc"
    ]
    codes = [table["code"] for table in made]
    assert {code[0].lower() for code in codes} == set(ROOMS)
    playing = site.page("club", f"name=s _room=club _guest={'g' * 22}")
    playing.hear("gamestart")
    for _ in range(6):
        assert [site.ask("GET", f"/api/tables/{code.lower()}").status for code in codes] == [200] * 3
        assert json.loads(site.ask("GET", f"/api/tables/{codes[0]}/rules").body)["fields"]["kuitan"]["value"] == "yes"
        assert [site.ask("GET", f"/api/rules/{room}").status for room in ROOMS.values()] == [200] * 3
        found = json.loads(site.ask("GET", "/api/me", "", GUEST).body)
        assert [seat["room"] for seat in found["seats"]] == ["club"]
    assert site.ask("GET", "/api/tables/B2345678").status == 404
    assert playing.has_played()


def test_people_are_seen_at_all_servers(site: Site) -> None:
    """Any server lists everybody once, with who plays at another one; a challenge and its table are at any."""
    guests = {name: GUEST | {"Authorization": f"Guest {key * 22}"} for name, key in (("Mika", "m"), ("Eva", "n"))}

    def see(name: str) -> Any:
        """Let a guest be seen, and return what it sees."""
        return json.loads(site.ask("POST", "/api/me/here", json.dumps({"name": name}), guests[name]).body)

    see("Mika")
    playing = site.page("club", f"name=Eva _room=club _guest={'n' * 22}")
    playing.hear("gamestart")
    see("Eva")
    evas = [see("Mika")["people"] for _ in range(4)]
    assert [[(eva["name"], eva["is_playing"]) for eva in seen] for seen in evas] == [[("Eva", True)]] * 4
    order = json.dumps({"person": evas[0][0]["id"]})
    made = json.loads(site.ask("POST", "/api/tables", order, guests["Mika"]).body)
    for _ in range(4):
        assert see("Eva")["challenges"] == [{"name": "Mika", "code": made["code"]}]
    for _ in range(4):
        site.ask("DELETE", f"/api/me/challenges/{made['code']}", "", guests["Eva"])
        assert see("Eva")["challenges"] == []
    site.ask("DELETE", "/api/me/here", "", guests["Eva"])
    assert [see("Mika")["people"] for _ in range(4)] == [[]] * 4
    assert playing.has_played()
    assert site.ask("POST", "/api/me/here", json.dumps({"name": "alice"}), guests["Eva"]).status == 409


def test_a_tournament_is_known_at_once(site: Site) -> None:
    """One that a command has just made is shown by every server, and an entrant comes in through any of them."""
    database, code = TournamentDatabase(read_place(site.url)), new_code()
    play = EventSettings(rules="ump", length="kyoku", clock="60+60", room="club")
    for number in range(len(ROOMS)):
        made, _ = new_tournament(f"mug{number}", "Mug", "random", 1, play)
        database.create(made)
        assert [site.ask("GET", f"/api/tournaments/mug{number}").status for _ in ROOMS] == [200] * len(ROOMS)
        made, _ = new_tournament(f"cup{number}", "Cup", "random", 1, play)
        database.create(carry_out(made, "add", {"name": "Mika", "code": code}))
        entrance = f"cup{number}:{code}"
        site.page(entrance, f"name=Mika _room={entrance}").hear("hello", "_welcome")
        assert wait_until(lambda cup=made.id: "Mika" in present(site, cup), SECONDS)  # type: ignore[misc]
        made, _ = new_tournament(f"pot{number}", "Pot", "random", 1, play)
        database.create(carry_out(made, "add", {"name": "Eva", "code": code}))
        site.tcp("b", f"name=Eva _room=pot{number}:{code}").hear("hello", "_welcome")
    assert [site.ask("GET", "/api/tournaments/none").status for _ in ROOMS] == [404] * len(ROOMS)


def present(site: Site, tournament: str) -> list[str]:
    """Return the names of the entrants who are there."""
    found: list[str] = json.loads(site.ask("GET", f"/api/tournaments/{tournament}").body)["present"]
    return found


def test_a_server_that_is_killed_costs_no_game(site: Site) -> None:
    """Its game goes on after its restart; the game of the other server is not interrupted."""
    lost, other = (site.page(room, f"name=k_{room} _room={room} _resume=1") for room in ("main", "club"))
    for client in (lost, other):
        client.hear("ready?")
        client.answer()
        client.hear("sutehai?", "naku?")
    site.servers["a"].close()
    lost.play()
    assert "gameend" not in str(lost.lines)
    assert wait_until(lambda: site.states() == {"club": "open", "lounge": "open", "main": "away"}, SECONDS)
    assert site.ask("GET", "/table?room=main").status == 200
    refused = site.ask("GET", "/api/rules/main")
    assert (refused.status, refused.body) == (503, f"{TEXT_OF_AWAY}\n".encode())
    assert site.ask("GET", "/api/me/rematch?game=main-1", "", GUEST).status == 503
    elsewhere = "that game is on another server of this site, which is away; try again"
    assert elsewhere in site.tcp("b", f"_resume={lost.token}").play()
    other.answer()
    assert other.has_played()
    assert not [line for line in other.lines if line.split()[1] in ("error", "_resume")][1:]
    site.servers["a"].start()
    again = site.page("main", f"_resume={lost.token}")
    assert again.has_played(), again.lines
    assert site.tcp("b", "name=after _room=club").has_played()


def games_of(site: Site, name: str) -> list[str]:
    """Return the ids of the last games of a player, as any server lists them."""
    return [game["id"] for game in site.lobby()["games"] if name in [player["name"] for player in game["players"]]]


def says_away(site: Site, letter: str) -> bool:
    """Return whether a server knows that the one of the room club is away."""
    rooms = json.loads(site.ask("GET", f"/api/lobby?at={letter}").body)["rooms"]
    return [room.get("state") for room in rooms if room["name"] == "club"] == ["away"]


def test_a_game_outlives_its_server(site: Site) -> None:
    """Its replay, its review and a table that plays on from it come from the other servers while it is dead."""
    assert site.tcp("b", "name=replayed _room=club").has_played()
    assert wait_until(lambda: all(games_of(site, "replayed") for _ in ROOMS), SECONDS)
    (game,) = games_of(site, "replayed")
    path = f"/api/games/{game}"
    place = "play?k=0&n=9&seat=A"
    shown = site.ask("GET", path)
    assert wait_until(lambda: json.loads(site.ask("POST", f"{path}/{place}").body)["at"] == "b", SECONDS)
    site.servers["b"].close()
    try:
        again = [site.ask("GET", path) for _ in range(3)]
        assert [(answer.status, answer.body) for answer in again] == [(200, shown.body)] * 3
        assert "replayed" in str(json.loads(shown.body)["games"][0]["names"])
        review = json.loads(site.ask("POST", f"{path}/review?seat=A").body)
        assert review["seats"][0]["seat"] == 0
        assert wait_until(lambda: all(says_away(site, letter) for letter in "ac"), SECONDS)
        branch = json.loads(site.ask("POST", f"{path}/{place}").body)
        assert branch["at"] in ("a", "c")
        playing = site.page(branch["room"], f"name=on _room={branch['room']}", branch["at"])
        assert playing.has_played(), playing.lines
        assert site.ask("GET", "/api/games/20261128T000000Z-club-1").status == 404
    finally:
        site.servers["b"].start()


def test_news_of_two_servers(postgres: PostgresServer) -> None:
    """Each reads the rooms of the other, and who has logged in there later; a room stays where it is."""
    url = postgres.new_url()
    one, other = (SiteDatabase(read_place(url)) for _ in range(2))
    a = ServerCard("a", "here", http=("192.0.2.1", 8080), tcp="192.0.2.1:19000", tournaments=("cup",))
    b = ServerCard("b", "there")
    one.exchange(a, {"main": {"bots": 3}}, {"p": 9.0}, ["p"])
    read = other.exchange(b, {"club": {}, "main": {}}, {"q": 0.0}, ["q"])
    assert read.rooms == {"main": {"bots": 3, "at": "a", "state": "open"}}
    assert read.servers == {"a": replace(a, folder="")}
    other.exchange(b, {"club": {}}, {"p": 1.0}, ["p", "q"])
    read = one.exchange(replace(a, state=ServerState.DRAINING), {"main": {}}, {"p": 5.0}, ["p"])
    assert (list(read.rooms), read.elsewhere) == (["club"], ["p"])
    assert other.exchange(b, {"main": {}}, {}, []).rooms == {}  # the other stops, and club is gone


def test_a_letter_belongs_to_one_server(postgres: PostgresServer) -> None:
    """Another server with this letter is refused, but for the next run of the same one, which has its records."""
    url = postgres.new_url()
    first, next_run, other = (SiteDatabase(read_place(url)) for _ in range(3))
    first.exchange(ServerCard("a", "here"), {"main": {}}, {}, [])
    with pytest.raises(LetterTaken):
        other.exchange(ServerCard("a", "there"), {"club": {}}, {}, [])
    assert next_run.exchange(ServerCard("a", "here"), {"main": {}}, {}, []).rooms == {}


def test_attempts_at_two_servers(postgres: PostgresServer) -> None:
    """An attempt counts as wrong while it is checked; success takes it back, and forgets what a known client failed.

    The line of an account is that of all servers: it holds some turns, and each comes back after some time.
    """
    url = postgres.new_url()
    one, other = (SiteDatabase(read_place(url)) for _ in range(2))
    assert one.attempt("network n", "user u") == 0.0
    assert 0.0 < other.attempt("network n", "user v") <= 1.0
    one.succeed("network n", "user u")
    assert other.attempt("network n", "user u") == 0.0
    assert [each.attempt(f"network {number}", "user u") for number, each in enumerate((one, other))] == [0.0, 0.0]
    assert TURN_SECONDS - 5.0 < one.attempt("network o", "user u") <= TURN_SECONDS
    assert other.attempt("pair", None) == 0.0
    assert 0.0 < one.attempt("pair", None) <= 1.0
    other.succeed("pair", None)
    assert one.attempt("pair", None) == 0.0


def test_a_site_that_is_away() -> None:
    """The rooms of the others stay listed, and the log has one line."""
    clock, answers = Clock(), [News({"club": {"at": "b"}})]

    def in_thread(*_: object) -> Deferred[Any]:
        return succeed(answers.pop()) if answers else fail(DatabaseAway("it is away"))

    database = SiteDatabase(read_place("postgresql:///nowhere"))
    site = SharedSite(database, clock, in_thread, lambda: ServerCard("a", ""), list)
    with capturedLogs() as logged:
        site.startService()
        for _ in range(9):
            clock.advance(PERIOD)
            assert list(site.rooms) == ["club"]
        site.stopService()
    assert [event["why"] for event in logged] == ["it is away"]


def test_whose_a_name_is() -> None:
    """A room, a game in it, a tournament, and names made by chance lead to their server."""
    club = ServerCard("b", "", tournaments=("cup",))
    site = SharedSite(SiteDatabase(read_place("postgresql:///nowhere")), Clock(), fail, lambda: club, list)
    site.rooms, site.servers = {"club": {"at": "b"}, "gone": {"at": "c"}}, {"b": club}
    owned = {"club": club, "club-7": club, "cup": club, "main": None, "main-7": None, "gone": None, "club-x": None}
    owned |= {"x" + "-1" * 3_000: None, "club-1-1": None}
    assert {name: site.owner_of(name) for name in owned} == owned
    made = {"B23456789": club, "C23456789": None, "23456789": None, "": None}
    assert {name: site.maker_of(name, 9) for name in made} == made
