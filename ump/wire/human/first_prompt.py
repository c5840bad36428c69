"""The first prompt: the rooms, and what a person may type to choose a name and a room."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias
from urllib.parse import unquote

from ump.model.choices import did_you_mean, either
from ump.model.value import value
from ump.rules.ruleset import Length, Ruleset
from ump.wire.dialect import RoomInfo
from ump.wire.human.answers import WISHES, table_lines
from ump.wire.names import check_name
from ump.wire.session import Introduction, TableWish
from ump.wire.text import MAX_NAME, TOKEN, WireError, read_table_code
from ump.wire.ump.hello import read_introduction

_LENGTHS = frozenset(length.value for length in Length)

LENGTHS = {Length.KYOKU: "one kyoku", Length.TONPU: "East round", Length.HANCHAN: "East and South round"}
"""The lengths of games in words."""

HELLO = "hello"

_BEFORE_NAMES = frozenset((HELLO, "hi", "hey", "hallo", "play", "login"))
"""Words that somebody may type before a name."""

_GREETINGS = _BEFORE_NAMES | {"yo", "start", "ok", "yes", "y"}
"""Words that somebody may type first without meaning a name."""

_LIKELY_NAME = re.compile(r"[^\W\d_][\w.-]*(?: [\w.-]+)?")

_INVITATION = re.compile(r"([\w.-]+)[:：]([0-9A-Za-z]+)")
"""A room, or a tournament, with an invitation code."""

_HOW_TO_INVITE = "A name has no colon here. An invitation code stands last, behind its room: NAME ROOM:CODE"


WATCH = "watch"
"""The word before the room that somebody wants to see."""

TABLE = "table"
"""The word before ``new``, or before the code of a table among friends."""

BACK = "back"
"""The word before the token of the seat that a player comes back to."""


@value
class Proposal:
    """The name and the room that Enter alone stands for."""

    name: str | None = None
    """None: the server chooses a name."""
    room: str | None = None
    """With its invitation code, if it has one, as in ``cup:Sakura7``; None: the first room."""


@value
class TypedIntroduction:
    """A complete introduction, with the options of the hello: language and colour are among them."""

    introduction: Introduction
    options: tuple[tuple[str, str], ...] = ()


@value
class NotYet:
    """The fault of a line, or what it lacks: a sentence, or "" if the line is only the first one."""

    why: str
    proposed: str | None = None
    """A name that the line seems to give."""


PromptAnswer: TypeAlias = TypedIntroduction | NotYet
"""The meaning of a line at the prompt."""


_NOTHING_TO_WATCH = "There is nothing to watch here."

_ACCESS = {
    "open": "",
    "users": ", for users",
    "code": ", with an invitation code",
    "users+code": ", for users with an invitation code",
}
"""The access of a room in words."""


def rooms_lines(rooms: Sequence[RoomInfo]) -> list[str]:
    """Return a table of the rooms."""
    return table_lines([_row(room) for room in rooms])


def _row(room: RoomInfo) -> tuple[str, ...]:
    people = room.ruleset.seats - room.bots
    if people == 1:
        players = "with bots"
    elif people > 1 and room.bots:
        players = f"at least {people} people"
    else:
        players = "four people"
    players += _ACCESS[room.access]
    if room.is_rated:
        players += ", rated"
    time = f"{room.move:g} seconds"
    if room.bank:
        time = f"{room.move:g}+{room.bank:g} seconds"
    return room.name, LENGTHS[room.ruleset.length], f"rules {room.ruleset.name}", players, time


def likely_name(text: str) -> str | None:
    """Return the name that a first line probably is, or None."""
    if text.lower() in _GREETINGS or text.lower() in WISHES or not _LIKELY_NAME.fullmatch(text):
        return None
    if len(text) > MAX_NAME:
        return None
    return text


class FirstPrompt:
    """Reads what a person types before a game, and remembers what Enter alone stands for."""

    def __init__(self, rooms: Sequence[RoomInfo]) -> None:
        """``rooms`` are those of the server; the first one is for people who name none."""
        self.rooms = tuple(rooms)
        self._proposal = Proposal()
        self._login: Introduction | None = None
        """The user whose password the next line is."""
        self._names = {room.name.lower(): room.name for room in rooms}
        self.is_after_game = False
        """Whether the person has just played: then a single word is no new name, because it may mean anything."""

    @property
    def room(self) -> str:
        """The name of the room that Enter alone goes to."""
        proposed = _without_code(self._proposal.room or "", self._names)
        if proposed:
            return proposed
        if self.rooms:
            return self.rooms[0].name
        return "main"

    def room_of(self, introduction: Introduction) -> str:
        """Return the name of the room that an introduction leads to."""
        return _without_code(introduction.watch or introduction.room or "", self._names) or self.room

    def ruleset(self, room: str | None) -> Ruleset | None:
        """Return the rules of a room, or of the one that Enter alone goes to."""
        name = room or self.room
        for known in self.rooms:
            if known.name == name:
                return known.ruleset
        return None

    def welcome(self) -> list[str]:
        """Return the welcome: the rooms, and what to type."""
        lines = ["Welcome to ump, a riichi mahjong server. You play against bots or people.", "", "Rooms:"]
        return [*lines, *rooms_lines(self.rooms), "", *self.help()]

    def help(self) -> list[str]:
        """Return what can be typed."""
        name = self._proposal.name or "a guest"
        there = f"in room {self.room}"
        if self._asks_for_room:
            there = "in a room that you choose"
        other = "main"
        if self.rooms:
            other = self.rooms[-1].name
        rows = [("Enter", f"play in room {self.room} as {name}")]
        if self.is_after_game:
            rows += [(other, f"the same in room {other}"), (f"{HELLO} name=NAME", "the same under another name")]
        else:
            rows += [
                ("alice", f"play {there} as alice"),
                (f"alice {other}", f"the same in room {other}; the name of a room alone works too"),
                ("alice ROOM:CODE", "the same by invitation, also in a tournament"),
            ]
        rows += [
            (f"{WATCH} {self.room}", "see a game there"),
            (f"{TABLE} new", f"make a table for friends, who come with {TABLE} and its code"),
            (f"{BACK} TOKEN", "go on with a game after a lost connection"),
            ("rooms, help, bye", "also color on, lang ja"),
        ]
        return ["Type one of these, then Enter:", *table_lines(rows)]

    def another_game(self) -> str:
        """Return what to type after a game."""
        place = self.room
        if self._proposal.name:
            place += f" as {self._proposal.name}"
        words = "help or bye"
        if len(self.rooms) > 1:
            words = f"the name of a room, {words}"
        return f"Press Enter to play another game in {place}, or type {words}."

    def expect_password(self, introduction: Introduction) -> None:
        """Take the next line for the password of the user of this name."""
        self._login = introduction

    @property
    def user(self) -> str | None:
        """The name whose password the next line is, or None."""
        if self._login is None:
            return None
        return self._login.name

    def read_password(self, line: bytes) -> PromptAnswer:
        """Return what a line with a password means: a login, or another look at the rooms without one."""
        login, self._login = self._login, None
        assert login is not None
        password = unquote(line.decode("ascii", "replace").partition("=")[2])
        if not password:
            self._proposal = Proposal(None, login.room)
            return NotYet("No password, no login. Type another name, or Enter to play as a guest.")
        return TypedIntroduction(replace(login, password=password))

    def come_from(self, game: str) -> None:
        """Let Enter alone lead to the room of a game, whose name begins with that of its room: ``main-1``."""
        room = game.rpartition("-")[0]
        if room in self._names.values() and room != self.room:
            self._proposal = Proposal(self._proposal.name, room)

    def be_called(self, name: str) -> None:
        """Let Enter alone keep the name under which a person has played."""
        self._proposal = Proposal(name, self._proposal.room)

    def forget_code(self) -> None:
        """Let Enter alone lead to no room that the person has named with a code, or that the server did not know."""
        if self._proposal.room not in self._names.values():
            self._proposal = Proposal(self._proposal.name)

    def read_first(self, text: str) -> PromptAnswer:
        """Return what the first line of all means. It may be anything, so a name or a room alone is only proposed."""
        text = _without_greeting(text)
        if "=" in text or _has_colon(text) or text.lower().split()[:1] in ([WATCH], [BACK], [TABLE]):
            return self.read(text)
        name, _, last = text.rpartition(" ")
        room = self._names.get(last.lower())
        if room is None:
            self._proposal = Proposal(likely_name(text))
        elif likely_name(name):
            return self.read(text)
        else:
            self._proposal = Proposal(None, room)
        return NotYet("")

    def read(self, text: str) -> PromptAnswer:
        """Return what a line means, and remember the name and the room in it."""
        answer = self._read(text)
        if isinstance(answer, NotYet):
            self._proposal = Proposal(answer.proposed or self._proposal.name, self._proposal.room)
            return answer
        introduction = answer.introduction
        if introduction.watch is None and introduction.token is None and introduction.table is None:
            self._proposal = Proposal(introduction.name, introduction.room)
        return answer

    def _read(self, text: str) -> PromptAnswer:
        text = _without_greeting(text)
        words = text.split()
        if not words:
            return TypedIntroduction(Introduction(name=self._proposal.name, room=self._proposal.room))
        if words[0].lower() == WATCH:
            return _read_watch(" ".join(words[1:]), self._names)
        if words[0].lower() == BACK:
            return _read_token(words[1:])
        if words[0].lower() == TABLE:
            return self._read_table(words[1:])
        if any("=" in word for word in words):
            return self._in_last_room(_read_options(words, self._names))
        if text.lower() in _GREETINGS:
            return NotYet("Hello! Type a name, or only Enter.")
        return self._read_name(words)

    def _read_table(self, words: list[str]) -> PromptAnswer:
        """Read ``new``, with rules and a length if they are named, or the code of a table."""
        wish = read_table(words)
        if wish is None:
            return NotYet(
                f"Type {TABLE} new, or {TABLE} new tenhou tonpu, or {TABLE} and a code of 8 letters and digits."
            )
        room = None
        if wish.code is None:
            room = self.room
        return TypedIntroduction(Introduction(name=self._proposal.name, room=room, table=wish))

    def _in_last_room(self, answer: PromptAnswer) -> PromptAnswer:
        """After a game, let a hello that names no room lead to the same room."""
        if isinstance(answer, NotYet) or not self.is_after_game:
            return answer
        introduction = answer.introduction
        if introduction.room or introduction.watch or introduction.token:
            return answer
        return replace(answer, introduction=replace(introduction, room=self._proposal.room))

    def _read_name(self, words: list[str]) -> PromptAnswer:
        """Read a name, a room, or a name and a room."""
        last = words[-1].lower()
        invitation = _INVITATION.fullmatch(words[-1])
        if invitation is not None:
            room = f"{_as_listed(invitation[1], self._names)}:{invitation[2]}"
            return _named(" ".join(words[:-1]) or self._proposal.name, room)
        if any(map(_has_colon, words)):  # it may be a code, which nobody else should read
            return NotYet(_HOW_TO_INVITE)
        if last in self._names and len(words) == 1:
            return TypedIntroduction(Introduction(name=self._proposal.name, room=self._names[last]))
        if last in self._names:
            return self._called(" ".join(words[:-1]), self._names[last])
        if last in WISHES and len(words) == 1:
            return NotYet(f"{words[0]} is a word for a game. Type a name, or only Enter.")
        if len(words) > 1 and did_you_mean(last, self._names):
            return NotYet(_no_room(words[-1], self._names))
        return self._called(" ".join(words), self._proposal.room)

    @property
    def _asks_for_room(self) -> bool:
        """Whether a name alone says too little."""
        return self._proposal.room is None and len(self.rooms) > 1

    def _called(self, name: str, room: str | None) -> PromptAnswer:
        """Let a person be called by a name; after a game only by the one that it has."""
        if not self.is_after_game:
            answer = _named(name, room)
            if isinstance(answer, TypedIntroduction) and room is None and self._asks_for_room:
                return NotYet(_which_room(name, self.rooms), name)
            return answer
        if name == self._proposal.name:
            return TypedIntroduction(Introduction(name=name, room=room))
        return NotYet(f"{self.another_game()} For another name, type: {HELLO} name=NAME")


def _without_greeting(text: str) -> str:
    """Return a line without a greeting before a name or a room; one before options stays."""
    first, _, rest = text.partition(" ")
    if rest and "=" not in rest and first.lower().rstrip(",") in _BEFORE_NAMES:
        return rest.strip()
    return text


def _which_room(name: str, rooms: Sequence[RoomInfo]) -> str:
    """Ask a person of this name for a room."""
    first, *others = (room.name for room in rooms)
    return f"Which room, {name}? Press Enter for {first}, or type {either(others)}."


def read_table(words: Sequence[str]) -> TableWish | None:
    """Return the table among friends of ``new``, with rules and a length if they are named, or of a code; else None."""
    match [word.lower() for word in words]:
        case ["new", *wishes]:
            return _read_new_table(wishes)
        case [text]:
            code = read_table_code(text)
            if code is not None:
                return TableWish(code)
    return None


def _read_new_table(wishes: Iterable[str]) -> TableWish | None:
    """Return a new table with the rules and the length of these words; None if there are two of a kind."""
    rules = length = None
    for word in wishes:
        if word in _LENGTHS and length is None:
            length = word
        elif word not in _LENGTHS and rules is None:
            rules = word
        else:
            return None
    return TableWish(rules=rules, length=length)


def _read_token(words: list[str]) -> PromptAnswer:
    token = "".join(words).lower()
    if TOKEN.fullmatch(token) is None:
        return NotYet(f"Type {BACK} and the token that you saw at the start of the game: 32 digits and letters a to f.")
    return TypedIntroduction(Introduction(token=token))


def _named(name: str | None, room: str | None) -> PromptAnswer:
    if name is None:
        return TypedIntroduction(Introduction(room=room))
    if _has_colon(name):
        return NotYet(_HOW_TO_INVITE)
    try:
        return TypedIntroduction(Introduction(name=check_name(name, "a name"), room=room))
    except WireError as error:
        return NotYet(f"Not a name: {error}.")


def _read_watch(room: str, names: dict[str, str]) -> PromptAnswer:
    """Read what somebody wants to see: a room, a tournament or a game. The server knows which there are."""
    if not names:
        return NotYet(_NOTHING_TO_WATCH)
    name, colon, code = room.partition(":")
    if not name:
        name = next(iter(names))
    try:
        return TypedIntroduction(Introduction(watch=check_name(f"{_as_listed(name, names)}{colon}{code}", "a room")))
    except WireError as error:
        return NotYet(f"Not a room: {error}.")


def _read_options(words: list[str], names: dict[str, str]) -> PromptAnswer:
    """Read a hello with options, which may be incomplete."""
    if words[0].lower() != HELLO:
        room = next(iter(names.values()), "main")
        return NotYet(f"Options stand after hello, as in: hello name=alice _room={room}")
    options: dict[str, str] = {}
    plain: list[str] = []
    for word in words[1:]:
        option, equals, text = word.partition("=")
        if equals:
            options[option] = text
        else:
            plain.append(word)
    if any(map(_has_colon, plain)):
        return NotYet(_HOW_TO_INVITE)
    if plain:
        name = " ".join([options.get("name", ""), *plain]).strip()
        return NotYet(f"A name of several words stands alone; type it without hello: {name}", likely_name(name))
    try:
        introduction = read_introduction(options)
    except WireError as error:
        return NotYet(f"That hello has a mistake: {error}.")
    if _has_colon(introduction.name or ""):
        return NotYet(_HOW_TO_INVITE)
    if introduction.watch is not None and not names:
        return NotYet(_NOTHING_TO_WATCH)
    return TypedIntroduction(introduction, tuple(options.items()))


def _without_code(room: str, names: dict[str, str]) -> str:
    """Return the name in ``ROOM:CODE``. What is printed, and so may be traced, has no code."""
    if room in names.values():
        return room
    return room.partition(":")[0]


def _has_colon(text: str) -> bool:
    """Return whether a text may have an invitation code."""
    return ":" in text or "：" in text


def _as_listed(name: str, names: dict[str, str]) -> str:
    """Return the name of a room as the server writes it; that of a tournament, or of one of its games, is small."""
    room, dash, number = name.lower().rpartition("-")
    if number.isdecimal() and room in names:
        return f"{names[room]}{dash}{number}"
    return names.get(name.lower(), name.lower())


def _no_room(room: str, names: dict[str, str]) -> str:
    return f"There is no room {room[:MAX_NAME]}{did_you_mean(room, names.values())}; choose {either(names.values())}."
