"""The lobby of the terminal program: a name, the rooms and running games of one server, and other servers.

It has no input or output of its own: keys come in, and what the person wants comes out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from ump.bots.links import Address
from ump.model.value import value
from ump.terminal.canvas import Canvas, Look
from ump.terminal.words import Words
from ump.text.layout import columns, printable, shortened, width
from ump.text.wording import points_word
from ump.wire.human.first_prompt import TABLE, read_table
from ump.wire.names import check_name
from ump.wire.session import TableWish
from ump.wire.text import MAX_NAME, WireError

# Rooms, games and servers


@value
class ListedTable:
    """A game that is on."""

    name: str
    players: tuple[str, ...]
    scores: tuple[int, ...] = ()
    """The points of the players; empty if the server does not say them."""
    progress: tuple[int, int, int] | None = None
    """The round wind, the dealer and the tiles that are left."""


@value
class ListedRoom:
    """A room of a server."""

    name: str
    rules: str
    length: str
    seats: int
    bots: int
    access: str
    is_rated: bool
    is_watchable: bool
    times: tuple[float, float]
    """The seconds of a move, and of the bank."""
    waiting: int
    """The number of players who wait."""


@value
class ListedServer:
    """A server that can be chosen."""

    name: str
    """Empty for this computer."""
    address: Address
    rooms: tuple[str, ...] = ()


@value
class ServerView:
    """A server as somebody sees it who has connected."""

    rooms: tuple[ListedRoom, ...] = ()
    """Its rooms; empty if it does not list them."""
    tables: tuple[ListedTable, ...] = ()


MOST_LISTED, MOST_TEXT = 200, 100
"""Rooms, and games, and the characters of a text, that are kept: a server may say anything."""


def read_view(content: Any) -> ServerView:
    """Read what ``/api/lobby`` returns; raises ValueError if it is something else."""
    try:
        listed, boards = content["rooms"][:MOST_LISTED], content.get("boards", {})
        tables = []
        for room in listed:
            for table in room["tables"][:MOST_LISTED]:
                tables.append(_table(table, boards.get(table["name"])))
        return ServerView(tuple(map(_room, listed)), tuple(tables[:MOST_LISTED]))
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError("not a lobby") from error


def _table(table: Mapping[str, Any], board: Mapping[str, Any] | None) -> ListedTable:
    listed = ListedTable(_text(table["name"]), tuple(map(_text, table["players"][:4])))
    if board is None:
        return listed
    progress = int(board["bakaze"]) % 4, int(board["dealer"]) % 4, int(board["left"])
    return replace(listed, scores=tuple(map(int, board["scores"][:4])), progress=progress)


def _text(said: object) -> str:
    return str(said)[:MOST_TEXT]


def _room(room: Mapping[str, Any]) -> ListedRoom:
    return ListedRoom(
        name=_text(room["name"]),
        rules=_text(room["rules"]),
        length=_text(room["length"]),
        seats=int(room["seats"]),
        bots=int(room["bots"]),
        access=_text(room["access"]),
        is_rated=bool(room["rated"]),
        is_watchable=room["spectators"] != "none",
        times=(float(room["move"]), float(room["bank"])),
        waiting=len(room["waiting"]),
    )


# What the person wants


@value
class EnterRoom:
    """Play in a room; None: the server's first."""

    room: str | None


@value
class Watch:
    """Watch the games of a room, or first a game of it by its name."""

    room: str


@value
class AtTable:
    """Make a table among friends, or come to one."""

    wish: TableWish


@value
class LookAt:
    """See the rooms of a server."""

    address: Address


@value
class LookAgain:
    """See the same rooms as they are now."""


@value
class LeaveProgram:
    """Leave the program."""


Wish: TypeAlias = EnterRoom | Watch | AtTable | LookAt | LookAgain | LeaveProgram

Entry: TypeAlias = ListedRoom | ListedTable | ListedServer | None
"""Something that can be chosen; None: the first room of a server that lists none."""

_TEXT_LIMIT = 40
"""Columns of a name that somebody else has chosen."""


class LobbyEntries:
    """The lobby, with a chosen entry."""

    def __init__(self, address: Address, name: str, *, is_watching: bool = False) -> None:
        self.address = address
        self.name = name
        self.is_watching = is_watching
        """Whether Enter on a room watches it."""
        self.servers: tuple[ListedServer, ...] = ()
        """The servers that can be chosen."""
        self.notice = ""
        self.view: ServerView | None = None
        """The server; None until it has answered, or if it does not."""
        self.trouble: str | None = None
        """Why the server does not answer."""
        self._at = 0
        self._is_naming = False
        self._table: str | None = None
        """The code of a table among friends, or ``new``, as far as it is typed; None: nobody types."""

    def look_at(self, address: Address) -> None:
        """Forget one server, and look at another one."""
        self.address, self.view, self.trouble, self.notice, self._at = address, None, None, "", 0

    def show(self, view: ServerView) -> None:
        """Show what a server has said about itself."""
        self.view, self.trouble = view, None
        self._at = min(self._at, len(self.entries) - 1)

    @property
    def entries(self) -> list[Entry]:
        """Everything that can be chosen."""
        first: list[Entry] = []
        if self.view is not None:
            first = [*self.view.rooms, *self.view.tables] if self.view.rooms else [None]
        return [*first, *self.servers]

    @property
    def chosen(self) -> Entry | bool:
        """The chosen entry; False if there is nothing to choose."""
        entries = self.entries
        return entries[self._at] if self._at < len(entries) else False

    # Keys

    def press(self, key: str) -> Wish | None:
        """Take a key, and return what the person wants."""
        self.notice = ""
        if self._table is not None:
            return self._press_table(self._table, key)
        if self._is_naming and self._press_name(key):
            return None
        match key.lower():
            case "up" | "down":
                self._is_naming = False
                count = max(1, len(self.entries))
                self._at = (self._at + (1 if key == "down" else -1)) % count
            case "n":
                self._is_naming = True
            case "t" if self._has_name():
                self._table = ""
            case "r":
                return LookAgain()
            case "q" | "escape":
                return LeaveProgram()
            case "w":
                return self._watch()
            case "enter" | "space":
                return self._enter()
            case _:
                pass
        return None

    def _press_table(self, typed: str, key: str) -> Wish | None:
        """Take a key as a part of a code, or of ``new`` with rules and a length; Enter goes there."""
        if key == "backspace":
            self._table = typed[:-1]
        elif key == "escape":
            self._table = None
        elif key == "space" or (len(key) == 1 and key.isprintable()):
            self._table = (typed + (" " if key == "space" else key))[:_TEXT_LIMIT]
        elif key == "enter":
            wish = read_table(typed.split() or ["new"])
            if wish is None:
                self.notice = f"{TABLE} new, {TABLE} new tenhou tonpu, {TABLE} K7MQ2XAB"
            else:
                self._table = None
                return AtTable(wish)
        return None

    def _press_name(self, key: str) -> bool:
        """Take a key as a part of the name; return whether it was one."""
        if key == "backspace":
            self.name = self.name[:-1]
        elif len(key) == 1 and key.isprintable() and len(self.name) < MAX_NAME:
            self.name += key
        elif key == "space":
            self.name += " "
        elif key in ("enter", "escape"):
            self._is_naming = not self._has_name()
        else:
            return False
        return True

    def _has_name(self) -> bool:
        """Return whether the name can be said; say what is wrong with it otherwise."""
        try:
            check_name(self.name.strip(), "name")
        except WireError as error:
            self.notice = str(error)
            return False
        self.name = self.name.strip()
        return True

    def _watch(self) -> Wish | None:
        match self.chosen:
            case ListedRoom() as room:
                return Watch(room.name) if room.is_watchable else None
            case ListedTable() as table:
                return Watch(table.name)
            case _:
                return None

    def _enter(self) -> Wish | None:
        match self.chosen:
            case ListedServer() as server:
                return LookAt(server.address)
            case ListedTable() as table:
                return Watch(table.name)
            case ListedRoom() | None if not self._has_name():
                self._is_naming = True
                return None
            case ListedRoom() as room:
                return self._watch() if self.is_watching else EnterRoom(room.name)
            case None:
                return EnterRoom(None)
            case _:
                return None

    # What is shown

    def canvas(self, look: Look) -> Canvas:
        """Return the lobby as it is drawn in a terminal of this size."""
        words = look.words
        canvas = Canvas(look.columns, look.rows)
        address = str(self.address)
        canvas.put(1, 0, words.title, look.style("bold #ffe9a8"))
        canvas.put(max(0, look.columns - width(address) - 1), 0, address, look.style("#9fc4b2"))
        cursor = "_" if self._is_naming else ""
        x = canvas.put(1, 2, f"{words.name}  ", look.style("#9fc4b2"))
        canvas.put(x, 2, f"{self.name}{cursor}", look.style("bold"))
        if self._table is not None:
            canvas.put(1, 3, f"{TABLE}  {self._table}_", look.style("bold"))
        lines = list(self._lines(words))
        room = look.rows - 8
        chosen = next((at for at, (_, entry, _) in enumerate(lines) if entry == self._at), 0)
        first = max(0, min(chosen - room // 2, len(lines) - room))
        for y, (text, entry, is_heading) in enumerate(lines[first : first + room], 4):
            is_chosen = entry is not None and entry == self._at and not self._is_naming
            style = "#9fc4b2" if is_heading else "bold #1d1d1d on #ffdd66" if is_chosen else ""
            line = shortened(text, look.columns - 5)
            canvas.put(1, y, f"{'>' if is_chosen else ' '} {line} " if not is_heading else line, look.style(style))
        feet = [self.notice] if self.notice else self._state(words)
        for y, text in enumerate(feet, look.rows - 2 - len(feet)):
            canvas.put(1, y, shortened(text, look.columns - 2), look.style("bold #ffe9a8"))
        canvas.put(1, look.rows - 2, words.lobby_keys, look.style("#9fc4b2"))
        return canvas

    def _state(self, words: Words) -> list[str]:
        """Return what is to be done now, or why nothing can be."""
        if self.trouble is not None and not self._at:
            return [printable(self.trouble), words.no_server]
        is_looking = self.view is None and self.trouble is None
        return [words.looking if is_looking else self._what_enter_does(words)]

    def _what_enter_does(self, words: Words) -> str:
        if self._table is not None:
            return words.to_table
        if self._is_naming:
            return words.to_name
        match self.chosen:
            case ListedServer():
                return words.to_look
            case ListedTable():
                return words.to_watch
            case ListedRoom() as room if self.is_watching:
                return words.to_watch if room.is_watchable else ""
            case ListedRoom() as room:
                return words.to_play.format(room=printable(room.name), name=self.name)
            case None:
                return words.no_rooms
            case _:
                return ""

    def _lines(self, words: Words) -> Iterator[tuple[str, int | None, bool]]:
        """Yield each line with the number of its entry, if it is one, and whether it is a heading."""
        view = self.view or ServerView()
        at = 0
        if self.view is not None and not view.rooms:
            yield words.rooms, None, True
            yield "...", 0, False
            yield "", None, False
            at = 1
        groups: tuple[tuple[str, Sequence[tuple[str, ...]], str], ...] = (
            (words.rooms, [_room_row(room, words) for room in view.rooms], ""),
            (
                words.tables,
                _table_rows(view.tables, words),
                words.nobody_plays if view.rooms else "",
            ),
            (words.servers, [_server_row(server, words) for server in self.servers], ""),
        )
        for heading, rows, otherwise in groups:
            if not rows and not otherwise:
                continue
            yield heading, None, True
            for line in columns(rows):
                yield line, at, False
                at += 1
            if not rows:
                yield f"  {otherwise}", None, True
            yield "", None, False


def _room_row(room: ListedRoom, words: Words) -> tuple[str, ...]:
    move, bank = room.times
    remarks = [words.access[room.access]] if room.access in words.access else []
    remarks += [words.rated] if room.is_rated else []
    remarks += [words.waiting_there.format(count=room.waiting)] if room.waiting else []
    return (
        shortened(printable(room.name), _TEXT_LIMIT),
        words.lengths.get(room.length, printable(room.length)),
        words.bots if room.bots >= room.seats - 1 else words.people.format(seats=room.seats),
        words.pauses.format(move=f"{move:g}", bank=f"{bank:g}"),
        words.rules.format(rules=printable(room.rules)),
        ", ".join(remarks),
    )


def _table_rows(tables: Sequence[ListedTable], words: Words) -> list[tuple[str, ...]]:
    """Return a row for each game; those with a state have it where any game has one."""
    states = [_state_cells(table, words) for table in tables]
    is_told = any(map(any, states))
    rows = []
    for table, cells in zip(tables, states, strict=True):
        told = cells if is_told else ()
        rows.append((printable(table.name), *told, ", ".join(_players(table))))
    return rows


def _state_cells(table: ListedTable, words: Words) -> tuple[str, ...]:
    if table.progress is None:
        return "", ""
    bakaze, dealer, left = table.progress
    return words.round_name(bakaze, dealer), words.tiles_left.format(count=left)


def _players(table: ListedTable) -> Iterator[str]:
    names = [shortened(printable(name)) for name in table.players]
    if len(table.scores) != len(names):
        return iter(names)
    return (f"{name} {points_word(score)}" for name, score in zip(names, table.scores, strict=True))


def _server_row(server: ListedServer, words: Words) -> tuple[str, ...]:
    name = shortened(printable(server.name), _TEXT_LIMIT) if server.name else words.this_computer
    rooms = shortened(printable(", ".join(server.rooms)), _TEXT_LIMIT) if server.rooms else ""
    return name, printable(str(server.address)), rooms
