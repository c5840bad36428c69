"""Names in a room: those that look like the name of somebody else are refused."""

from __future__ import annotations

from pathlib import Path

from support.memory_server import Peer, memory_server, room
from support.rows import each_row
from twisted.internet.defer import maybeDeferred

from ump.server.ladder import LadderSource
from ump.server.lobby import LOOKS_ALIKE, OFFICE

REFUSED = "error " + LOOKS_ALIKE.replace(" ", "%20")


def is_refused(peer: Peer) -> bool:
    """Return whether a client was turned away because of its name."""
    return peer.heard()[-1].endswith(REFUSED) and not peer.is_connected


def test_look_alikes_of_waiting_players() -> None:
    """The second name of a program is refused; the same name, another one, and another room are not."""
    with memory_server(room("main"), room("other")) as server:
        server.enter("alice")
        assert is_refused(server.enter("AIice"))
        assert is_refused(server.enter("%D0%B0lice"))
        assert server.enter("alice").is_connected
        assert server.enter("bob").is_connected
        assert server.enter("AIice", "_room=other").is_connected


def test_programs_of_one_owner_share_a_name() -> None:
    """Guests of one host, also while one of them is away; no program of another host, and none with a person."""
    with memory_server(room(house=["tsumogiri:3"], house_after=0, length="kyoku")) as server:

        def enter(host: str, name: str, options: str = "") -> Peer:
            peer = server.connect(host)
            peer.say(f"0 hello ump=0.1 name={name} {options}")
            return peer

        first = enter("192.0.2.1", "akagi", "_resume=1")
        assert enter("192.0.2.1", "akagi").is_connected
        assert is_refused(enter("192.0.2.2", "akagi"))
        server.clock.advance(0)
        assert is_refused(enter("192.0.2.2", "akagi"))
        first.hang_up()
        assert enter("192.0.2.1", "akagi").is_connected
        assert is_refused(enter("192.0.2.2", "akagi"))
        assert enter("192.0.2.1", "mika", "_person=1").is_connected
        assert is_refused(enter("192.0.2.1", "mika"))


def test_names_that_somebody_bears() -> None:
    """Of rooms, their bots, and players in a line, in a game or at a table among friends, also those who are away."""
    with memory_server(room("main", house=["tsumogiri:3"], house_after=0), room("other")) as server:
        server.enter("alice")
        server.clock.advance(0)
        server.enter("bob", "_room=other")
        friend = server.enter("mika", f"_guest={'k' * 22} _person=1 _table=new")
        friend.hang_up()
        for name in ("alice", "A1ice", "bob", "MIKA", "main", "0ther", "tsumogiri-1"):
            assert server.lobby.is_borne(name), name
        assert not server.lobby.is_borne("carol")


def test_look_alikes_of_seated_players() -> None:
    """A name is free again when the game of its player is over."""
    with memory_server(room(house=["tsumogiri:3"], house_after=0, length="kyoku")) as server:
        robots = server.robots("alice")
        server.clock.advance(0)
        assert is_refused(server.enter("Alice"))
        server.play(robots)
        assert server.enter("Alice").is_connected


@each_row("name", ["tsumogiri-l", "Tsumogiri-3", "tsum0giri-1"])
def test_look_alikes_of_built_in_bots(name: str) -> None:
    """Their names are refused before they sit down; a bot makes way for a client with its very name."""
    with memory_server(room(house=["tsumogiri:3"], house_after=100)) as server:
        assert is_refused(server.enter(name))
        assert server.enter("tsumogiri-1").is_connected
        assert server.enter("tsumogiri").is_connected


def test_a_guest_has_no_name_to_refuse() -> None:
    """A client without a name is given one, whatever the others are called."""
    with memory_server(room()) as server:
        server.enter("guest-l")
        peer = server.connect()
        peer.say("0 hello")
        assert peer.is_connected


def test_people_of_one_name_are_numbered() -> None:
    """The second person gets a number, also with a look-alike, and all see it; a longer name makes place for it."""
    with memory_server(room(house=["tsumogiri:1"], house_after=0, length="kyoku")) as server:
        server.enter("alice")
        guest = server.enter("AIice", f"_guest={'k' * 22} _explain=1 _person=1")
        assert "_you AIice%202" in guest.heard()[1]
        typed = server.connect()
        for line in ("", "Alice"):
            typed.say(line)
        assert "You sit down in main as Alice 3. Type help at any time." in typed.heard()
        server.clock.advance(0)
        (start,) = [line for line in guest.heard() if " gamestart " in line]
        assert {"alice", "AIice%202", "Alice%203"} <= set(start.split())
        assert server.enter("a" * 32, "_person=1").is_connected
        last = server.enter("a" * 32, f"_guest={'l' * 22} _explain=1 _person=1")
        assert f"_you {'a' * 30}%202" in last.heard()[1]


def test_nobody_poses_as_the_operator() -> None:
    """Such names are refused, also for bots, and with letters that look alike."""
    with memory_server(room()) as server:
        for name in ("admin", "Adm1n", "SYSTEM/x", "%D0%B0dmin"):
            peer = server.enter(name, "_person=1")
            assert not peer.is_connected
            assert peer.heard()[-1].endswith(OFFICE.replace(" ", "%20"))
        assert server.enter("administrators").is_connected


def test_people_in_a_rated_room_choose_another_name(tmp_path: Path) -> None:
    """There a name stands for a player, so nobody gets a number."""
    ladder = LadderSource(lambda room: [], maybeDeferred)
    with memory_server(room(rated=True), ladder=ladder) as server:
        server.enter("alice", "_person=1")
        assert is_refused(server.enter("alice", "_person=1"))
        assert is_refused(server.enter("Alice", "_person=1"))


def test_a_player_who_returns_keeps_its_name() -> None:
    """The token leads to the seat, whoever has come with a name like its own meanwhile."""
    with memory_server(room(house=["tsumogiri:3"], house_after=0)) as server:
        peer = server.enter("alice", "_resume=1")
        server.clock.advance(0)
        token = next(line.split()[2] for line in peer.heard() if line.split()[1] == "_resume")
        peer.hang_up()
        again = server.enter("Alice", f"_resume={token}")
        assert again.is_connected
        assert any("gamestart" in line and "alice" in line for line in again.heard())
