"""Tables among friends: code, host, start, rematch, limits, and their end."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from support.memory_server import MemoryServer, Peer, Robot, journal_folder, memory_server, room

from ump.net.limits import TOO_MANY_CODES
from ump.server import private_tables
from ump.server.lobby import LOOKS_ALIKE
from ump.server.private_tables import (
    AGAIN_SECONDS,
    HOST_ONLY,
    IDLE_SECONDS,
    NO_TABLE,
    ONE_TABLE,
    OPEN_PER_ADDRESS,
    REMOVED,
    TABLE_CLOSED,
    TABLE_FULL,
    TABLE_GONE,
    TOO_FEW,
    TOO_MANY_TABLES,
    PrivateTable,
    PrivateTables,
    TableRefused,
    new_code,
    settings_of,
)
from ump.server.seat_tokens import hashes_of_guest
from ump.wire.session import TableWish


def come(server: MemoryServer, name: str, table: str = "new", options: str = "", *, host: str = "192.0.2.1") -> Peer:
    """Let a guest make a table, or come to one."""
    peer = server.connect(host)
    key = f"{name:k<22}"
    peer.say(f"0 hello ump=0.1 name={name} _guest={key} _tab=aaaaaaaa _explain=1 _person=1 _table={table} {options}")
    return peer


def made(server: MemoryServer) -> PrivateTable:
    """Return the newest table of a server."""
    assert server.lobby.tables is not None
    table = server.lobby.tables.rooms[-1].gathering
    assert isinstance(table, PrivateTable)
    return table


def members(peer: Peer) -> str:
    """Return who is at the table, as a player was told last."""
    peer.heard()
    return next(line.split(" ", 2)[2] for line in reversed(peer.lines) if " _members " in line)


def reason(peer: Peer) -> str:
    """Return the error with which a connection has ended."""
    assert not peer.is_connected
    peer.heard()
    return peer.lines[-1].partition(" error ")[2].replace("%20", " ")


def test_an_evening_of_friends() -> None:
    """Two come by the code, the host starts with bots, one is lost, all want a rematch, a third plays it too."""
    with memory_server(room(house_after=0)) as server:
        mika = come(server, "Mika", options="_rule=tenhou _length=kyoku _clock=5+10")
        table = made(server)
        (card,) = [line.partition(" ")[2] for line in mika.heard() if " _table " in line]
        facts = f"invitation={table.code} rule=tenhou length=kyoku clock=5+10 bots=fill watchers=masked seats=4"
        assert card == f"_table {facts}"
        bob = come(server, "Bob", f"{table.code[:4].lower()}-{table.code[4:]}")
        assert members(mika) == members(bob) == "Mika:host Bob:here - -"
        bob.say("0 _ready")
        bob.say("0 _start")
        assert HOST_ONLY.replace(" ", "%20") in bob.heard()[-1]
        assert members(mika) == "Mika:host Bob:ready - -"
        mika.say("0 _start")
        robots = [Robot(mika), Robot(bob)]
        server.play(robots, until=lambda: "haipai" in bob.words())
        (game,) = table.room.tables
        assert sorted(game.opening.players) == ["Bob", "Mika", "efficiency-1", "efficiency-2"]
        eva = come(server, "Eva", table.code)
        assert members(eva) == "Mika:host Bob:here Eva:here -"
        bob.hang_up()
        again = come(server, "Bob", table.code)
        assert "gamestart" in again.words()
        server.play([robots[0], Robot(again)])
        assert members(mika) == "Mika:host Bob:here Eva:here -"
        for peer in (again, eva):
            peer.say("0 _again")
        assert not table.room.tables
        mika.say("0 _again")
        (second,) = table.room.tables
        assert {"Bob", "Mika", "Eva"} < set(second.opening.players)
        assert second.name != game.name
        assert server.lobby.code_of(server.lobby.seats_of(hashes_of_guest(f"{'Eva':k<22}"))[0]) == table.code


def test_no_two_equal_names() -> None:
    """A person gets a number, a program has to choose another name, and the host removes exactly one player."""
    with memory_server(room()) as server:
        mika = come(server, "Mika")
        table = made(server)
        bob = come(server, "Bob", table.code)
        program = f"ump=0.1 _table={table.code} _explain=1"
        for name in ("Bob", "B0b", "Mika"):
            peer = server.enter(name, program)
            assert reason(peer).endswith(LOOKS_ALIKE)
        ann = server.enter("Ann", f"{program} _guest={'a' * 22}")
        assert reason(server.enter("Ann", f"{program} _guest={'b' * 22}")).endswith(LOOKS_ALIKE)
        again = server.enter("Ann", f"{program} _guest={'a' * 22}")
        assert again.is_connected and not ann.is_connected
        other = server.connect()
        other.say(f"0 hello name=Bob _guest={'c' * 22} _person=1 {program}")
        assert members(mika) == "Mika:host Bob:here Ann:here Bob%202:here"
        mika.say("0 _kick Bob")
        assert not bob.is_connected and other.is_connected
        assert members(mika) == "Mika:host Ann:here Bob%202:here -"


def test_a_rematch_without_everybody() -> None:
    """Some time after the host has asked for it, those play who want to, with bots."""
    with memory_server(room(house_after=0, length="kyoku")) as server:
        mika = come(server, "Mika")
        table = made(server)
        bob = come(server, "Bob", table.code)
        mika.say("0 _start")
        server.play([Robot(mika), Robot(bob)])
        assert not table.room.tables
        bob.heard()
        mika.say("0 _again")
        assert f"_bots {AGAIN_SECONDS}" in " ".join(bob.heard())
        server.clock.advance(AGAIN_SECONDS)
        assert "Bob" not in table.room.tables[0].opening.players
        assert members(bob) == "Mika:host Bob:here - -"


def test_a_seat_in_a_game_stays_taken() -> None:
    """Nobody takes the place of a player who is lost in a game, until it is over."""
    with memory_server(room(length="kyoku")) as server:
        mika = come(server, "Mika", options="_bots=none")
        table = made(server)
        _, eva, ann = peers = [come(server, name, table.code) for name in ("Bob", "Eva", "Ann")]
        mika.say("0 _start")
        robots = [*map(Robot, (mika, *peers))]
        server.play(robots, until=lambda: "haipai" in ann.words())
        eva.hang_up()
        assert reason(come(server, "Tom", table.code)) == TABLE_FULL
        again = come(server, "Eva", table.code)
        server.play([*robots[:2], robots[3], Robot(again)])
        ann.hang_up()
        assert come(server, "Tom", table.code).is_connected
        assert members(mika) == "Mika:host Bob:here Eva:here Tom:here"
        mika.say("0 _start")
        (second,) = table.room.tables
        assert set(second.opening.players) == {"Mika", "Bob", "Eva", "Tom"}


def test_the_host() -> None:
    """The host removes players for good, the next one follows a host who is away, and the host closes the table."""
    with memory_server(room()) as server:
        mika = come(server, "Mika", options="_bots=none")
        code = made(server).code
        bob, eva, ann = (come(server, name, code) for name in ("Bob", "Eva", "Ann"))
        assert reason(come(server, "Tom", code)) == TABLE_FULL
        mika.say("0 _kick Bob")
        assert reason(bob) == REMOVED
        assert reason(come(server, "Bob", code)) == REMOVED
        mika.say("0 _start")
        assert TOO_FEW.replace(" ", "%20") in mika.heard()[-1]
        mika.hang_up()
        assert members(eva) == "Mika:away Eva:host Ann:here -"
        assert server.lobby.tables is not None
        server.lobby.tables.rename({"Mika": "deleted user 7"}.get)
        assert members(eva) == "deleted%20user%207:away Eva:host Ann:here -"
        assert come(server, "Tom", code).is_connected
        come(server, "Uta", code)  # in the place of one who is away
        assert members(eva) == "Eva:host Ann:here Tom:here Uta:here"
        ann.say("0 bye")
        ann.hang_up()
        assert members(eva) == "Eva:host Tom:here Uta:here -"
        eva.say("0 _cancel")
        assert reason(eva) == TABLE_CLOSED
        assert reason(come(server, "Ann", code)) == NO_TABLE


def test_a_table_goes_an_hour_after_its_last_player() -> None:
    """Somebody who comes within the hour finds it; later its code leads nowhere."""
    with memory_server(room()) as server:
        mika = come(server, "Mika")
        table = made(server)
        mika.hang_up()
        server.clock.advance(IDLE_SECONDS - 1)
        again = come(server, "Mika", table.code)
        assert members(again) == "Mika:host - - -"
        server.clock.advance(2 * IDLE_SECONDS)
        assert again.is_connected
        again.hang_up()
        server.clock.advance(IDLE_SECONDS)
        assert not table.is_open
        assert reason(come(server, "Mika", table.code)) == NO_TABLE
        assert server.lobby.tables is not None and server.lobby.tables.rooms == []
        assert TABLE_GONE


def test_a_table_survives_the_server(tmp_path: Path) -> None:
    """Its game goes on there, its code leads to it, and its maker is the host; the file has no code."""
    journals, file = journal_folder(tmp_path), tmp_path / ".private-tables"
    journals.open()
    settings = room(length="kyoku")
    with memory_server(settings, recorder_of=journals.create) as server:
        server.lobby.tables = tables = PrivateTables(server.parts, 9, file)
        mika = come(server, "Mika", options="_rule=tenhou")
        code = made(server).code
        mika.say("0 _start")
        assert code not in file.read_text()
    with memory_server(settings, recorder_of=journals.create) as server:
        server.lobby.tables = tables = PrivateTables(server.parts, 9, file)
        tables.load(settings)
        ((path, journal),) = journals.unfinished()
        where = tables.restored(journal.header.opening.name, settings)
        where.restore(journal, partial(journals.reopen, path, journal))
        assert server.lobby.code_of(server.lobby.seats_of(hashes_of_guest(f"{'Mika':k<22}"))[0]) == ""
        others = [come(server, name, code, host=f"192.0.2.{name}") for name in "3456"]
        assert [other.is_connected for other in others] == [True, True, True, False]  # a seat is kept for Mika
        for other in others[:3]:
            other.say("0 bye")
            other.hang_up()
        again = come(server, "Mika", code)
        assert "gamestart" in again.words()
        server.play([Robot(again)])
        assert members(again) == "Mika:host - - -"
        assert made(server).card.rules == "tenhou"
        again.say("0 _again")
        assert made(server).room.tables
        file.write_text('[{"rules": 1}]')
        PrivateTables(server.parts, 9, file).load(settings)
    journals.close()


def test_limits() -> None:
    """An address has few tables, makes few in an hour, and a person has one; nobody guesses many codes."""
    with memory_server(room()) as server:
        first = come(server, "Mika")
        come(server, "Bob", made(server).code)
        assert reason(come(server, "Mika")) == ONE_TABLE
        for name in ("Ann", "Eva")[: OPEN_PER_ADDRESS - 1]:
            assert come(server, name).is_connected
        assert reason(come(server, "Tom")) == TOO_MANY_TABLES
        assert come(server, "Tom", host="192.0.2.2").is_connected
        assert first.is_connected
        most = server.connections.limits.rates.violations
        guesses = [come(server, "Uta", new_code(), host="192.0.2.3") for _ in range(most)]
        assert {reason(each) for each in guesses} == {NO_TABLE}
        code = made(server).code
        assert reason(come(server, "Uta", code, host="192.0.2.3")) == TOO_MANY_CODES
        assert come(server, "Uta", host="192.0.2.3").is_connected


def test_settings_come_from_closed_lists() -> None:
    """A host's wish that is not allowed is refused; the rest is that of the operator's room."""
    template = room("main", set="kuitan=no", spectating="none", grace=7)
    for wish in (TableWish(rules="x"), TableWish(length="x"), TableWish(clock="0+0")):
        with pytest.raises(TableRefused, match="unknown"):
            settings_of(wish, template)
    kept = settings_of(TableWish(has_spectators=False, has_bots=False), template)
    assert kept.changes == template.changes
    assert kept.table == template.table
    assert not kept.house and not kept.spectators.is_allowed
    assert settings_of(TableWish(rules="tenhou3"), template).ruleset.seats == 3
    with memory_server(room("main")) as server:
        assert "unknown room 'mian'" in reason(come(server, "Mika", options="_room=mian"))
        assert come(server, "Mika", options="_room=main:CODE").is_connected


def test_in_plain_words() -> None:
    """The same from a terminal; the code is nowhere but in the words that lead to the table."""
    with memory_server(room(house_after=0, length="kyoku")) as server:
        typed = server.connect()
        for line in ("Mika", "table new tenhou kyoku"):
            typed.say(line)
        code = made(server).code
        assert [line for line in typed.heard() if code in line] == [f"  table {code}"]
        friend = server.connect()
        for line in ("Bob", "table x", f"table {code.lower()}", "ready"):
            friend.say(line)
        assert "Players: Mika (host), Bob (ready); 2 seats are free." in typed.heard()
        typed.say("start")
        (table,) = made(server).room.tables
        assert len(code) == private_tables.CODE_LENGTH
        server.clock.advance(0)
        assert "Press Enter to go on, or wait " in " ".join(friend.heard())
        for line, said in (("again", "You play the next game, too."), ("start", "That is possible after the game.")):
            friend.say(line)
            assert friend.heard() == [said, "Press Enter to go on."]
        friend.say("1z")
        assert "Press Enter to go on. Type help" in friend.heard()[0]
        assert table.opening.players.index("Bob") in table.players
        friend.say("next")
        typed.say("")  # somebody who never answers does not stay
        table.close("over")
        assert "Bob (ready)" in " ".join(typed.heard())
