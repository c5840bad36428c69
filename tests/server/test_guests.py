"""Guests who are known by a secret of their browser: several tabs, a second game, and leaving for good."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from support.memory_server import MemoryServer, Peer, Robot, journal_folder, memory_server, room

from ump.server.lobby import LEFT_GAME, TWO_GAMES
from ump.server.seat_tokens import hashes_of_guest
from ump.wire.session import IN_ANOTHER_TAB, UNKNOWN_TOKEN

ROOM = room(length="kyoku", house=["tsumogiri:3"], house_after=0)
KEY = "k" * 22


def tab(server: MemoryServer, name: str, seat: str = "back", *, key: str = KEY, at: str = "main") -> Peer:
    """Let a tab of a browser connect."""
    return server.enter("Mika", f"_guest={key} _tab={name * 8} _seat={seat} _room={at} _explain=1 _person=1")


def begin(server: MemoryServer) -> None:
    """Let the built-in bots sit down."""
    server.clock.advance(0)


def reason(peer: Peer) -> str:
    """Return the error with which a connection has ended."""
    assert not peer.is_connected
    return peer.heard()[-1].partition(" error ")[2].replace("%20", " ")


def test_a_newer_tab_takes_the_seat_and_an_older_one_does_not_steal_it_back() -> None:
    """The hand is that of the first tab; what reconnects by itself yields to another tab, but not to its own."""
    with memory_server(ROOM) as server:
        first = tab(server, "a")
        server.play([Robot(first)], until=lambda: "haipai" in first.words())
        server.clock.advance(0)
        (hand,) = [line.partition(" ")[2] for line in first.lines if re.search(r" haipai \w \w", line)]
        second = tab(server, "b")
        assert reason(first).startswith("replaced by a newer connection")
        assert hand in [line.partition(" ")[2] for line in second.heard()]
        assert reason(tab(server, "a", "free")) == IN_ANOTHER_TAB
        assert reason(tab(server, "a", "free:main-1")) == IN_ANOTHER_TAB
        assert second.is_connected
        again = tab(server, "b", "free:main-1")  # its older connection has not died yet
        assert again.is_connected
        again.hang_up()
        assert tab(server, "a", "free").is_connected
        assert len(server.rooms[0].tables) == 1


def test_a_tab_that_waits_is_replaced_but_not_by_one_that_reconnects_by_itself() -> None:
    """One browser has one place in the line."""
    with memory_server(room()) as server:
        first = tab(server, "a")
        second = tab(server, "b")
        assert not first.is_connected
        assert reason(tab(server, "a", "free")) == IN_ANOTHER_TAB
        assert second.is_connected
        assert server.rooms[0].waiting == 1


def test_a_second_game_is_wanted_in_words() -> None:
    """``new`` begins it, and each seat has its own way back; there is no third, and no seat in a game that is over."""
    with memory_server(ROOM, room("other", length="kyoku", house=["tsumogiri:3"], house_after=0)) as server:
        first, second = tab(server, "a"), None
        begin(server)
        second = tab(server, "b", "new", at="other")
        begin(server)
        assert first.is_connected and second.is_connected
        assert [kept.table.name for kept in server.lobby.seats_of(hashes_of_guest(KEY))] == ["main-1", "other-1"]
        assert reason(tab(server, "c", "new")) == TWO_GAMES
        third = tab(server, "c", "other-1")
        assert any(line.endswith(" _you Mika other-1") for line in third.heard())
        assert not second.is_connected and first.is_connected
        assert reason(tab(server, "d", "main-7")) == UNKNOWN_TOKEN
        assert server.lobby.seats_of(hashes_of_guest("l" * 22)) == []


def test_a_guest_leaves_a_game_for_good() -> None:
    """Its connection ends, and it does not come back; the seat of another guest cannot be left."""
    with memory_server(ROOM) as server:
        peer = tab(server, "a")
        begin(server)
        assert not server.lobby.give_up(hashes_of_guest("l" * 22), "main-1")
        assert server.lobby.give_up(hashes_of_guest(KEY), "main-1")
        assert reason(peer) == LEFT_GAME
        assert server.lobby.seats_of(hashes_of_guest(KEY)) == []
        assert not server.lobby.give_up(hashes_of_guest(KEY), "main-1")


def test_a_guest_comes_back_after_a_restart(tmp_path: Path) -> None:
    """The journal has the hash of the secret, and neither the secret nor its tab."""
    journals = journal_folder(tmp_path)
    journals.open()
    with memory_server(ROOM, recorder_of=journals.create) as server:
        peer = tab(server, "a")
        begin(server)
        Robot(peer).play()
    text = "".join(path.read_text() for path in tmp_path.glob("*.journal"))
    assert KEY not in text and "aaaaaaaa" not in text
    with memory_server(ROOM, recorder_of=journals.create) as server:
        for path, journal in journals.unfinished():
            server.rooms[0].restore(journal, partial(journals.reopen, path, journal))
        assert [kept.is_left for kept in server.lobby.seats_of(hashes_of_guest(KEY))] == [True]
        assert any(" gamestart " in line for line in tab(server, "b", "free").heard())
    journals.close()
