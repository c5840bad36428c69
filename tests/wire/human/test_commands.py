"""Tests for what a person can type at any time, for time, spectators, telnet, and for the way back to a seat."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.memory_server import MemoryServer, Peer, memory_server, room
from support.rows import each_row

from ump.net.limits import PERSON_HELLO_SECONDS
from ump.wire.human.answers import typed_line
from ump.wire.human.session import BELL, READY_SECONDS, HumanSession, TimeLeft
from ump.wire.session import LATE_SECONDS

QUICK = room("quick", length="kyoku", house=["efficiency:3"], house_after=0, time="60+60", grace=60)

ASKED = ("Your turn: ", "Your call: ", "Exhaustive draw: ")


@pytest.fixture
def server() -> Iterator[MemoryServer]:
    """Return a server with a room of one kyoku."""
    with memory_server(QUICK, seed="person") as opened:
        yield opened


def until(server: MemoryServer, peer: Peer, *starts: str) -> list[str]:
    """Let time pass until a line starts with one of these texts; return the lines since the last call."""
    lines = peer.heard()
    for _ in range(2_000):
        if any(line.startswith(starts) for line in lines):
            return lines
        due = min(call.getTime() for call in server.clock.getDelayedCalls())
        server.clock.advance(max(0.0, due - server.clock.seconds()))
        lines += peer.heard()
    raise AssertionError(f"no {starts}")


def asked(server: MemoryServer, first: str = "hello name=me") -> Peer:
    """Return a person who has been asked to discard."""
    peer = server.connect()
    peer.say(first)
    until(server, peer, "Press Enter")
    peer.say("")
    while not any(line.startswith("Your turn: ") for line in until(server, peer, *ASKED)):
        peer.say("pass")
    return peer


def answer(peer: Peer, line: str) -> list[str]:
    """Return what the server says to a line at once."""
    peer.heard()
    peer.say(line)
    return peer.heard()


SHOWN = [
    ("board", "East 1 | "),
    ("HAND", "  hand  "),
    ("score", "you"),
    ("rules", "rules ump"),
    ("rooms", "  quick  one kyoku"),
    ("?", "You can type now:"),
    ("help", "You have 60 seconds for this answer, and 60 more for the whole kyoku."),
    ("waits", ""),
    ("bell", "Type bell on, or bell off."),
    ("bell off", "The bell is off."),
    ("color", "Type color on, or color off."),
    ("color on", "Colours are on."),
    ("lang fr", "Type lang en, lang ja or lang zh."),
    ("lang ja", "The language of yaku is ja."),
    ("auto", "  auto pass    off  call nothing; you are still asked for ron"),
    ("auto pass on", "  auto pass    on   call nothing; you are still asked for ron"),
    ("auto frog", "Type for example: auto pass on"),
]


@each_row(("line", "part"), SHOWN)
def test_commands(server: MemoryServer, line: str, part: str) -> None:
    """Each command is answered at the own turn, in lines that fit, and leaves the question open."""
    peer = asked(server)
    heard = answer(peer, line)
    assert any(part in each for each in heard)
    assert max(map(len, heard)) <= 79
    assert heard[-1].startswith(ASKED) or "help" in line or line == "?" or line == "auto pass on"
    assert answer(peer, "frog")[0].startswith("I do not know 'frog'")


def test_a_question_rings_once_if_nothing_is_typed(server: MemoryServer) -> None:
    """After a question that has timed out the next one rings, and further ones do not until something is typed."""
    peer = asked(server)
    starts = (*ASKED, f"{BELL}Your ")

    def rings() -> bool:
        """Let a question time out, and return whether the next one rings."""
        lines = until(server, peer, "Time is up")
        late = next(place for place, line in enumerate(lines) if line.startswith("Time is up"))
        next_ones = lines[late:]
        if not any(line.startswith(starts) for line in next_ones):
            next_ones += until(server, peer, *starts)
        return any(line.startswith(BELL) for line in next_ones)

    peer.say("bell off")
    assert not rings()
    peer.say("bell on")
    assert [rings(), rings()] == [True, False]


def test_colours(server: MemoryServer) -> None:
    """Colours change nothing but the colours."""
    peer = asked(server)
    plain = answer(peer, "board")
    peer.say("color on")
    coloured = answer(peer, "board")
    assert any("\x1b[" in line for line in coloured)
    for code in ("0", "1", "7", "32", "35", "36", "39", "1;31", "1;32"):
        coloured = [line.replace(f"\x1b[{code}m", "") for line in coloured]
    assert coloured == plain


def test_colours_are_offered_once() -> None:
    """The first game says that there are colours, unless the person has asked for them; the next game does not."""
    for typed, times in (("hello name=me", 1), ("color on", 0)):
        with memory_server(QUICK, seed="person") as server:
            peer = server.connect()
            peer.say(typed)
            peer.say("me")
            lines = until(server, peer, "Press Enter")
            peer.say("auto discard on")
            peer.say("auto pass on")
            peer.say("")
            lines += until(server, peer, "Press Enter to play another game")
            peer.say("")
            lines += until(server, peer, "Press Enter to go on")
            assert sum("color on" in line and "coloured tiles" in line for line in lines) == times


def test_help_explains_tiles_and_letters(server: MemoryServer) -> None:
    """Suits, honours, red fives and the letters of calls stand before what can be typed now, the time last."""
    heard = answer(asked(server), "help")
    for part in ("1m to 9m characters", "0m 0p 0s", "7z red", "c chi, p pon, k kan, r riichi"):
        assert any(part in line for line in heard[: heard.index("You can type now:")])
    assert heard[-1].startswith("You have ")


def test_rules_say_what_differs_between_sites(server: MemoryServer) -> None:
    """Also where the values are the usual ones."""
    said = " ".join(answer(asked(server), "rules"))
    for part in ("uma 20,10,-10,-20", "red-fives 1,1,1", "multiple-ron double", "kiriage no", "tobi yes"):
        assert part in said


def test_the_server_plays_what_was_left_to_it(server: MemoryServer) -> None:
    """With everything on automatic the kyoku ends without another line, and then nothing is automatic any more."""
    peer = asked(server)
    for kind in ("win", "pass", "discard"):
        answer(peer, f"auto {kind} on")
    lines = until(server, peer, "Press Enter to see the final result")
    assert any(line.startswith("you discard ") for line in lines)
    assert not any(line.startswith("Your turn: ") for line in lines)


def test_a_mistake_shows_the_time_as_the_question_does(server: MemoryServer) -> None:
    """The time of the move runs first, then that of the bank."""
    peer = asked(server)
    server.clock.advance(20)
    assert answer(peer, "frog")[-1].endswith("| help | 40+60 seconds")
    server.clock.advance(50)
    assert answer(peer, "frog")[-1].endswith("| help | 0+50 seconds")


@each_row(
    ("seconds", "short", "long"),
    [
        (0, "10+5 seconds", "You have 10 seconds for this answer, and 5 more for the whole kyoku."),
        (12, "0+3 seconds", "You have 0 seconds for this answer, and 3 more for the whole kyoku."),
        (20, "0 seconds", "You have 0 seconds for this answer."),
    ],
)
def test_time_left(seconds: float, short: str, long: str) -> None:
    """The bank is used up last."""
    left = TimeLeft(10.0, 5.0).after(seconds)
    assert (left.short(), left.long()) == (short, long)


def test_time_is_up(server: MemoryServer) -> None:
    """The server plays, and what comes within a second is not taken for an answer to the next question."""
    peer = asked(server)
    lines = until(server, peer, "Time is up")
    assert "Time is up: the server answers for you." in lines
    assert answer(peer, "1m")[0] == "That came too late for the last question. It was not played."
    server.clock.advance(LATE_SECONDS)
    assert not any("too late" in line for line in answer(peer, "1m"))


@each_row(
    ("number", "by_time", "said"),
    [(1, False, ["No answer is needed any more."]), (1, True, ["Time is up: the game goes on."]), (0, True, [])],
)
def test_lapses(number: int, by_time: bool, said: list[str]) -> None:
    """A person reads once that a question is closed, and nothing about one that was closed before."""
    session = HumanSession()
    session.ask(1, None, 10.0, 0.0, 0.0)
    assert session.take() == ["Press Enter to go on, or wait 10 seconds."]
    session.lapse(number, 10.0, by_time=by_time)
    assert session.take() == said


def test_the_game_goes_on_by_itself(server: MemoryServer) -> None:
    """Nobody has to be ready for longer than READY_SECONDS."""
    peer = server.connect()
    peer.say("hello name=me")
    until(server, peer, "Press Enter")
    server.clock.advance(READY_SECONDS)
    assert any(line.startswith("=== East 1") for line in until(server, peer, *ASKED))


def test_another_game(server: MemoryServer) -> None:
    """After a game Enter plays another one, with the same name in the same room; silence ends the connection."""
    peer = asked(server)
    for _ in range(2):
        for kind in ("win", "pass", "discard"):
            peer.say(f"auto {kind} on")
        until(server, peer, "Press Enter to see the final result")
        peer.say("")
        until(server, peer, "Press Enter to play another game in quick")
        last = answer(peer, "")
        assert last[0] == "You sit down in quick as me. Type help at any time."
        until(server, peer, "Press Enter to go on")
        peer.say("")
        until(server, peer, *ASKED)


def test_nobody_plays_on_who_has_walked_away(server: MemoryServer) -> None:
    """A person who types nothing gets no second game."""
    peer = server.connect()
    peer.say("hello name=me")
    until(server, peer, "Press Enter to play another game")
    server.clock.advance(PERSON_HELLO_SECONDS)
    assert peer.heard() == ["The connection ends: no game chosen in 600 seconds"]
    assert not peer.is_connected


def token_of(peer: Peer) -> str:
    """Return the token that a person has been told."""
    (line,) = [line for line in peer.lines if line.startswith("  back ") and "TOKEN" not in line]
    return line.split()[1]


def test_a_person_comes_back(server: MemoryServer) -> None:
    """The last moves and the board are shown once, then the question."""
    peer = asked(server)
    for _ in range(3):
        peer.say(next(line.split()[2] for line in peer.lines[::-1] if line.startswith("Your turn: ")))
        while not any(line.startswith("Your turn: ") for line in until(server, peer, *ASKED)):
            peer.say("pass")
    peer.hang_up()
    server.clock.advance(5)
    again = server.connect()
    again.say(f"back {token_of(peer).upper()}")
    lines = until(server, again, *ASKED)[1:]
    assert lines[:2] == ["Welcome back.", "The last moves:"]
    assert sum(line.startswith("East 1 | ") for line in lines) == 1
    assert len(lines) < 25
    assert "  back " not in "".join(lines)
    assert answer(again, "frog")[-1].startswith("Your turn: ")


def test_another_game_after_coming_back() -> None:
    """Enter alone then leads to the room of the game, under the same name."""
    quick = room("quick", length="kyoku", house=["tsumogiri:3"], house_after=0)
    with memory_server(room(), quick) as server:
        peer = server.connect()
        peer.say("")
        peer.say("me quick")
        until(server, peer, "Press Enter to go on")
        peer.hang_up()
        again = server.connect()
        again.say(f"back {token_of(peer)}")
        until(server, again, "Press Enter to go on")
        again.say("")
        until(server, again, *ASKED)
        for kind in ("win", "pass", "discard"):
            again.say(f"auto {kind} on")
        until(server, again, "Press Enter to see the final result")
        again.say("")
        until(server, again, "Press Enter to play another game in quick")
        assert answer(again, "")[0] == "You sit down in quick as me. Type help at any time."


@pytest.mark.parametrize("first", ["", "rooms"])
def test_an_unknown_token_is_explained(server: MemoryServer, first: str) -> None:
    """The person can try again, or play a new game; a text that cannot be a token is no name either."""
    peer = server.connect()
    peer.say(first)
    assert answer(peer, "back")[0].startswith("Type back and the token that you saw")
    assert answer(peer, f"back {'0' * 32}")[0].startswith("That is not possible: unknown token; ")
    assert answer(peer, "bob")[0] == "You sit down in quick as bob. Type help at any time."


def test_an_unknown_token_in_the_first_line(server: MemoryServer) -> None:
    """The connection stays open."""
    peer = server.connect()
    assert "unknown token" in " ".join(answer(peer, f"back {'0' * 32}"))
    assert peer.is_connected


def test_a_spectator(server: MemoryServer) -> None:
    """Somebody who comes in the middle hears of the last moves, sees the board, and has no hand."""
    player = asked(server)
    watcher = server.connect()
    watcher.say("watch quick")
    heard = watcher.heard()[1:]
    assert heard[0] == "You watch quick. Type board, score, rules, help or bye."
    assert any(line.startswith("East 1 | ") for line in heard)
    assert not any("hand" in line for line in heard)
    assert answer(watcher, "hand") == ["There is nothing to show."]
    assert answer(watcher, "5m") == ["You are watching. Type board, score, rules, help or bye."]
    player.say("auto discard on")
    until(server, watcher, "East", "South")
    assert answer(watcher, "bye")[-1].startswith("Goodbye")


LINES: list[tuple[bytes, str]] = [
    (b"\xff\xfd\x03\xff\xfb\x18bob", "bob"),
    (b"\xff\xfa\x18\x00xterm\xff\xf0bob", "bob"),
    (b"bo\xff\xf1b", "bob"),
    (b"bob\xff", "bob"),
    (b"bop\bb", "bob"),
    (b"bop\x7fb", "bob"),
    (b"\x1b[A\x1bOAbob\x1b", "bob"),
    (b"  my \t bot ", "my bot"),
    ("山田".encode(), "山田"),
    (b"a\xe9b", "a\ufffdb"),
    (b"x" * 300, "x" * 200),
    (b"\x00\x03", ""),
]


@each_row(("line", "text"), LINES)
def test_typed_lines(line: bytes, text: str) -> None:
    """Telnet's commands, keys and control characters are taken out."""
    assert typed_line(line) == text
