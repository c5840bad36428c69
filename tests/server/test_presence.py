"""People are told more than the game: who is away, how many watch, when bots come, and phrases."""

from __future__ import annotations

from support.memory_server import MemoryServer, Peer, Robot, memory_server, room

from ump.server.table_runner import COUNT_SECONDS, PHRASE_SECONDS, PHRASES_A_KYOKU
from ump.wire.session import PHRASES

ROOM = room(house=["tsumogiri:2"], house_after=3, length="kyoku", time="60+600")


def person(server: MemoryServer, name: str, options: str = "") -> Peer:
    """Let a person with a drawn table connect."""
    return server.enter(name, f"_guest={name:k<22} _explain=1 _person=1 {options}")


def told(peer: Peer) -> list[str]:
    """Return what a client was told beside the game since the last call."""
    words = (line.partition(" ")[2] for line in peer.heard())
    return [each for each in words if each.startswith(("_away", "_back", "_watching", "_bots", "_say"))]


def test_what_people_are_told() -> None:
    """The others hear of a lost connection and of its return, all of spectators; programs hear nothing of it."""
    with memory_server(ROOM) as server:
        ann, bot = person(server, "ann"), server.enter("bot", "_explain=1 _resume=1")
        bob = person(server, "bob")
        assert told(ann)[0] == "_bots 3"
        assert told(bot) == []
        server.clock.advance(3)
        seats = {name: "ABCD"[seat] for seat, name in enumerate(server.table.opening.players)}
        bob.hang_up()
        assert told(ann) == [f"_away {seats['bob']}"]
        bot.hang_up()
        assert told(ann) == [f"_away {seats['bot']}"]
        again = person(server, "bob")
        assert told(again) == [f"_away {seats['bot']}"]
        assert told(ann) == [f"_back {seats['bob']}"]
        server.enter("zoe", "_watch=main")
        server.clock.advance(COUNT_SECONDS)
        robots = [Robot(ann), Robot(again)]
        server.play(robots, until=lambda: "_watching" in ann.words())
        assert any(line.endswith(" _watching 1") for line in ann.lines)
        assert told(bot) == []


def test_phrases() -> None:
    """All people at the table read them, but not too many, and none in another form."""
    with memory_server(ROOM) as server:
        ann, bot, bob = person(server, "ann"), server.enter("bot", "_explain=1"), server.connect()
        for line in ("", "bob"):
            bob.say(line)
        server.clock.advance(3)
        seat = "ABCD"[server.table.opening.players.index("ann")]
        for number in (3, 4, 0, len(PHRASES) + 1):
            ann.say(f"0 _say {number}")
        ann.say("0 _say x")
        ann.say("0 _start")
        assert [each for each in told(ann) if each.startswith("_say")] == [f"_say {seat} 3"]
        assert f"ann says: {PHRASES[2]}" in bob.heard()
        assert told(bot) == []
        bob.say("say off")
        for _ in range(2 * PHRASES_A_KYOKU):
            server.clock.advance(PHRASE_SECONDS)
            ann.say("0 _say 1")
        assert len(told(ann)) == PHRASES_A_KYOKU - 1
        assert "says" not in " ".join(bob.heard())
        bob.say("say 12")
        assert told(ann)[-1].endswith(" 12")
