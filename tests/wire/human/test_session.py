"""Tests for a person's connection to the real server in memory: the first prompt, a whole kyoku, floods."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.memory_server import MemoryServer, Peer, memory_server, room
from support.rows import each_row

from ump.net.limits import IDLE_PER_SECOND, PERSON_HELLO_SECONDS
from ump.wire.human.session import BELL
from ump.wire.ump.session import WELCOME, WELCOME_SECONDS


@pytest.fixture
def server() -> Iterator[MemoryServer]:
    """Return a server with a room for four, and one of one kyoku with bots."""
    quick = room("quick", length="kyoku", house=["efficiency:3"], house_after=0, time="60+60")
    with memory_server(room(), quick, seed="person") as server:
        yield server


def person(server: MemoryServer, first: str = "") -> Peer:
    """Return a peer that has typed its first line."""
    peer = server.connect()
    peer.say(first)
    return peer


FIRST_LINES = [
    "",
    "hi",
    "help",
    "hello name=my bot",
    "offer=1",
    "GET / HTTP/1.1",
    "山田",
    "rooms",
    "cup:Sakura7 mika",
    "^C\x03",
]


@each_row("line", FIRST_LINES)
def test_the_first_line_is_answered(server: MemoryServer, line: str) -> None:
    """The rooms are shown, and the connection stays open, whatever the line is."""
    peer = person(server, line)
    heard = peer.heard()[1:]
    assert heard[0].startswith("Welcome")
    assert any("quick" in each and "with bots" in each for each in heard)
    assert peer.is_connected


@pytest.mark.parametrize(
    ("line", "answer"), [("color on", "Colours are on."), ("LANG zh", "The language of yaku is zh.")]
)
def test_a_wish_in_the_first_line_is_granted(server: MemoryServer, line: str, answer: str) -> None:
    """``ump connect`` asks for colours before anything is typed; the rooms are shown too."""
    heard = person(server, line).heard()[1:]
    assert heard[0].startswith("Welcome")
    assert heard[-1] == answer


ARRIVALS = [
    ("hello name=me", "You sit down in main as me. Type help at any time."),
    ("alice Quick", "You sit down in quick as alice. Type help at any time."),
    ("hello alice quick", "You sit down in quick as alice. Type help at any time."),
    ("hello watch main", "You watch main. Type board, score, rules, help or bye."),
    ("hello name=山田 _room=quick", "You sit down in quick as 山田. Type help at any time."),
    ("watch main", "You watch main. Type board, score, rules, help or bye."),
    ("0 hello name=me _human=1", "You sit down in main as me. Type help at any time."),
]


@pytest.mark.parametrize(("line", "answer"), ARRIVALS)
def test_a_complete_first_line_goes_in(server: MemoryServer, line: str, answer: str) -> None:
    """A complete hello needs no second line."""
    assert person(server, line).heard()[1] == answer


ENTRIES = [
    ("alice", "", "You sit down in main as alice."),
    ("Quick", "", "You sit down in quick."),
    ("", "", "You sit down in main."),
    ("", "bob", "Which room, bob? Press Enter for main, or type quick."),
    ("", "my bot", "Which room, my bot? Press Enter for main, or type quick."),
    ("quick", "joe", "You sit down in quick as joe."),
    ("", "bob quick", "You sit down in quick as bob."),
    ("", "QUICK", "You sit down in quick."),
    ("", "bob quik", "There is no room quik (did you mean quick?); choose main or quick."),
    ("", "hello _room=attic", "That is not possible: unknown room 'attic'; choose main or quick."),
    ("", "watch qick", "That is not possible: unknown room 'qick' (did you mean quick?); choose main or quick."),
    ("", "watch Main-7", "You watch main-7."),
    ("", "watch " + "x" * 33, "Not a room: a room must have 1 to 32 characters, and no control characters."),
    ("", "hello name=", "That hello has a mistake: name= must have 1 to 32 characters, and no control characters."),
    ("", "x" * 33, "Not a name: a name must have 1 to 32 characters, and no control characters."),
    ("", "hello", "Hello! Type a name, or only Enter."),
    ("Hello, eva", "", "You sit down in main as eva."),
    ("", "hello carol cup:Sakura7", "That is not possible: unknown room 'cup'"),
    ("", "hi bob", "Which room, bob? Press Enter for main, or type quick."),
    ("", "No", "No is a word for a game. Type a name, or only Enter."),
    ("no", "", "You sit down in main."),
    ("", "hello name=no", "You sit down in main as no."),
    ("", "color on", "Colours are on."),
]


@each_row(("first", "second", "answer"), ENTRIES)
def test_the_first_prompt(server: MemoryServer, first: str, second: str, answer: str) -> None:
    """Names, rooms and mistakes at the first prompt."""
    peer = person(server, first)
    peer.heard()
    peer.say(second)
    assert " ".join(peer.heard()).startswith(answer)
    assert peer.is_connected


def test_a_lone_name_chooses_a_room(server: MemoryServer) -> None:
    """Enter alone is the first one, as it was said."""
    for typed, room_name in (("", "main"), ("quick", "quick")):
        peer = person(server, "")
        peer.say("bob")
        peer.say(typed)
        assert f"You sit down in {room_name} as bob" in " ".join(peer.heard())
        peer.hang_up()


def test_a_person_who_waits_is_told_how_to_play(server: MemoryServer) -> None:
    """The hello is for programs, which answer at once: only somebody who does not gets another sentence."""
    peer, program, quick_program = (server.connect() for _ in range(3))
    quick_program.say("0 hello name=x _room=quick")
    server.clock.advance(0)
    program.say("0 hello name=y _room=quick")
    server.clock.advance(WELCOME_SECONDS)
    assert peer.heard()[1:] == [WELCOME]
    assert WELCOME not in [*program.heard(), *quick_program.heard()]
    peer.say("")
    assert peer.heard()[0].startswith("Welcome to ump")


def test_examples_name_rooms_of_the_server() -> None:
    """Also where there is no room main."""
    with memory_server(room("club", length="kyoku"), room("open", length="kyoku")) as server:
        peer = person(server, "")
        peer.say("help")
        peer.say("name=alice")
        said = peer.heard()
    assert said[-1] == "Options stand after hello, as in: hello name=alice _room=club"
    assert not any("main" in line for line in said)


PROGRAMS = ["0 hello name=me _explain=1", "hello name=me _human=0 _explain=1"]


@pytest.mark.parametrize("line", PROGRAMS)
def test_programs_get_sentences(server: MemoryServer, line: str) -> None:
    """An id or _human=0 asks for sentences."""
    assert person(server, line).heard()[1:] == ["1 _waiting 1 4"]


def test_time_to_read(server: MemoryServer) -> None:
    """A person has ten minutes for the first prompt."""
    peer = person(server)
    server.clock.advance(PERSON_HELLO_SECONDS - 1)
    assert peer.is_connected
    server.clock.advance(1)
    assert peer.heard()[-1] == "The connection ends: no game chosen in 600 seconds"


def test_bye(server: MemoryServer) -> None:
    """A person leaves with a word."""
    peer = person(server)
    peer.say("quit")
    assert peer.heard()[-1] == "Goodbye! To play again, connect again."
    assert not peer.is_connected


@pytest.mark.parametrize("end", [b"", b"\n"], ids=["without an end", "a line"])
def test_a_text_that_is_too_long(server: MemoryServer, end: bytes) -> None:
    """A text pasted by mistake is answered, and ends nothing; what follows is read as before."""
    peer = server.connect()
    peer.send(b"\n")
    peer.heard()
    peer.send(b"x" * 5_000 + end)
    assert peer.heard() == ["That line is too long. Nothing was played; type help to see what can be typed."]
    peer.send(b"\nhelp\n")
    assert peer.is_connected
    assert peer.heard()


def test_a_flood(server: MemoryServer) -> None:
    """Junk lines are answered with one line each, up to the limit of all clients."""
    peer = person(server)
    peer.heard()
    for _ in range(IDLE_PER_SECOND + 1):
        peer.say("x=y")
    heard = peer.heard()
    assert len(heard) <= IDLE_PER_SECOND + 1
    assert not peer.is_connected


MISTAKES = ["kan", "ron", "frog", "9z", "pon 5m", "46m", "no"]
"""Lines that play nothing on the own turn."""


def played(server: MemoryServer, peer: Peer, *, bytewise: bool) -> list[str]:
    """Play a kyoku as a person would, with mistakes, and return every line that the server sent."""
    mistakes = iter(MISTAKES)
    lines: list[str] = []
    for _ in range(2_000):
        new = peer.heard()
        lines += new
        if any("to play another game" in line for line in new):
            return lines
        typed = next((found for line in new[::-1] if (found := answer(line, mistakes)) is not None), None)
        if typed is None:
            due = min(call.getTime() for call in server.clock.getDelayedCalls())
            server.clock.advance(max(0.0, due - server.clock.seconds()))
            continue
        for piece in [f"{typed}\r\n"[at : at + 1] for at in range(len(typed) + 2)] if bytewise else [f"{typed}\r\n"]:
            peer.send(piece.encode())
    raise AssertionError("the kyoku does not end")


def without_tokens(lines: list[str]) -> list[str]:
    """Return lines without the lines of tokens, which are random."""
    return [line for line in lines if not line.startswith("  back ")]


def answer(line: str, mistakes: Iterator[str]) -> str | None:
    """Return what a person types after a line: first every mistake, then what is shown; None if nothing is asked."""
    line = line.removeprefix(BELL)
    if line.startswith(("Press Enter to go on", "Press Enter to see the final result")):
        return ""
    if line.startswith("Your turn: "):
        return next(mistakes, None) or ("t" if "t = win" in line else line.split()[2])
    if line.startswith("Your call: "):
        return "ron" if "ron = win" in line else "pass"
    return "yes" if line.startswith("Exhaustive draw: ") else None


@each_row("settings", [{}, {"faults": "chombo"}, {"ask_all": True}])
def test_a_whole_kyoku(settings: dict[str, object]) -> None:
    """A kyoku with mistakes: none costs the turn, and bytes that arrive one by one make no difference."""
    said = []
    for bytewise in (False, True):
        quick = room("quick", length="kyoku", house=["efficiency:3"], house_after=0, time="60+60", **settings)
        with memory_server(quick, seed="person") as server:
            said.append(without_tokens(played(server, person(server, "hello name=me"), bytewise=bytewise)))
    lines = said[0]
    assert said[0] == said[1]
    assert not any("Time is up" in line for line in lines)
    assert any(line.startswith("I do not know 'frog'") for line in lines)
    assert max(map(len, lines[1:])) <= 79
    assert not any(line.startswith("Chombo") for line in lines)
    assert lines[-1] == "Press Enter to play another game in quick as me, or type help or bye."


@each_row(("hints", "is_refused"), [("advice", False), ("none", True)])
def test_waits(hints: str, is_refused: bool) -> None:
    """Commands tell what a hand waits for, and what the expert would do, as far as the room gives hints."""
    quick = room(length="kyoku", house=["tsumogiri:3"], house_after=0, time="60+60", hints=hints)
    with memory_server(quick, seed="person") as server:
        peer = person(server, "hello name=a")
        server.clock.advance(0.1)
        for _ in range(40):
            server.clock.advance(0.1)
            peer.say("")
        peer.heard()
        peer.say("waits")
        told = " ".join(peer.heard())
        peer.say("advice")
        advised = peer.heard()
        peer.say("help")
        helped = " ".join(peer.heard())
    assert ("This room gives no advice." in advised) is is_refused
    assert ["your hand waits" in helped, "the bot expert would" in helped] == [not is_refused] * 2
    assert is_refused or all(" points " in line and "-shanten, " in line for line in advised[:3])
    assert ("This room gives no hints" in told) is is_refused
    assert ("shanten" in told or "tenpai" in told) is not is_refused


def test_games_with_the_same_walls() -> None:
    """A person reads which game of how many it plays, and that they end early if a player leaves."""
    quick = room("quick", length="kyoku", house=["efficiency:3"], house_after=0, time="60+60", duplicate=True)
    with memory_server(quick, seed="person") as server:
        lines = played(server, person(server, "hello name=me"), bytewise=False)
    said = [line for line in lines if "same walls" in line]
    assert said == [
        f"Game {number} of 4 with the same walls; you have another seat in each. They end early"
        for number in (1, 2, 3, 4)
    ]
    assert lines[-1] == "Press Enter to play another game in quick as me, or type help or bye."


AGAIN = [
    ("", "You sit down in quick as me."),
    ("me", "You sit down in quick as me."),
    ("Main", "You sit down in main as me"),
    ("me main", "You sit down in main as me"),
    ("hello name=bob", "You sit down in quick as bob."),
    ("again", "Press Enter to play another game in quick as me, or "),
    ("rematch please", "Press Enter to play another game in quick as me, or "),
    ("play main", "You sit down in main as me"),
    ("pass", "pass is a word for a game."),
    ("me man", "There is no room man (did you mean main?); choose main or quick."),
]


@each_row(("line", "answer"), AGAIN)
def test_no_line_after_a_game_renames_a_person(server: MemoryServer, line: str, answer: str) -> None:
    """Only names that the prompt offers are taken for names; anything else is explained, and the prompt stays."""
    peer = person(server, "hello name=me _room=quick")
    played(server, peer, bytewise=False)
    peer.say(line)
    heard = peer.heard()
    assert " ".join(heard).startswith(answer)
    if not heard[0].startswith("You sit down"):
        assert peer.is_connected
        peer.say("")
        assert peer.heard()[0].startswith("You sit down in quick as me.")
