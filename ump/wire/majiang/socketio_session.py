"""The same messages as Socket.IO events, as kobalab/majiang-server has them, for its bots and its page, unmodified.

The session reads and writes the JSON texts of event arrays, which follow ``42`` in an Engine.IO packet. The carrier
does the rest: packets, polling, heartbeats, login, cookies and logout.

========================================= =============================================================
sent
========================================= =============================================================
``["HELLO",{"name":..,"uid":..}]``        by ``greet``, exactly once: a second one dismisses a bot
``["HELLO",null]``                        by ``greet`` to a client without a login; the carrier then closes
``["ROOM",{"room_no":..,"user":[..]}]``   by ``wait`` or ``sit``, once: the room, and this user in it
``["START"]``                             by ``sit``
``["GAME",{..}]``                         every message of ``MajiangSession``
``["END",{..}]``                          with the record, when the reply to ``jieju`` has come or is overdue
``["END"]``                               by ``bye``, if a game ends without a result
``["ERROR","..."]``                       by ``error``, for example for an unknown room; the bot then logs out
========================================= =============================================================

========================================= =============================================================
received
========================================= =============================================================
``["ROOM",room]`` ``["ROOM"]``            the first one introduces the client, with the user who logged in
``["ROOM",room,uid]``                     with the client's own ``uid``: farewell
``["GAME",reply]``                        a reply, with ``seq``
anything else                             dropped
========================================= =============================================================

After ``END`` the next message or ``tick`` is a farewell. One connection plays one game.
"""

from __future__ import annotations

from collections.abc import Sequence

from ump.model.seats import Seat
from ump.wire import json_text
from ump.wire.dialect import LoggedIn
from ump.wire.json_text import JSON, read_array
from ump.wire.majiang.events import Content
from ump.wire.majiang.replies import reply_of
from ump.wire.majiang.session import CLOSING, HELLO, Cause, MajiangSession, State
from ump.wire.names import check_name
from ump.wire.session import Farewell, Introduced, Introduction, Received, Stale, Staleness, TableInfo, Violated
from ump.wire.text import MAX_ERROR, WireError


class SocketIOMajiangSession(MajiangSession):
    """One Socket.IO connection as the server sees it."""

    __slots__ = ("_login", "_room_event")
    DIALECT = "Majiang net play"

    def __init__(self, login: LoggedIn | None) -> None:
        """Begin with the user who has logged in, or None."""
        super().__init__()
        self._login = login
        self._room_event: dict[str, object] | None = None
        """The room that the client has asked for, until it receives that."""

    @property
    def return_key(self) -> str | None:
        """The cookie of the login."""
        return None if self._login is None else self._login.cookie

    def due(self) -> float | None:
        """Return when to call ``tick`` next; at once if the user comes back to a running game."""
        return self._now if self._returns_at_once else super().due()

    def tick(self, now: float) -> Received | None:
        """Introduce a user who comes back to a running game, or do what is due."""
        login = self._login
        if login is None or not self._returns_at_once:
            return super().tick(now)
        self._now = now
        self._step(Cause.INTRODUCED)
        return Introduced(Introduction(login.name, login.user, login.password))

    @property
    def _returns_at_once(self) -> bool:
        """Whether the user has a seat, and is still to be introduced."""
        return self.state is HELLO and self._login is not None and self._login.has_seat

    def receive(self, message: bytes, now: float) -> Received:
        """Take the JSON text of one event."""
        self._now = now
        if self.state is CLOSING:
            return Stale(Staleness.CLOSING)
        if self._outbox.is_overfull:
            return self._violated()
        is_introduced = self.state is not HELLO
        try:
            event = read_array(message)
        except WireError:
            return self._receive_unreadable() if is_introduced else Stale(Staleness.UNREADABLE)
        match event:
            case ["ROOM", *arguments]:
                return self._receive_room(arguments)
            case ["GAME", dict(content)] if is_introduced:
                return self._receive_reply(reply_of(content))
        return Stale(Staleness.NO_QUESTION)

    def _receive_room(self, arguments: Sequence[JSON]) -> Received:
        """Take a ROOM event: the first one introduces the client, a later one can only leave."""
        login = self._login
        if login is None:
            return Stale(Staleness.CLOSING)
        if self.state is not HELLO:
            leaves = len(arguments) == 2 and arguments[1] == login.uid
            return Farewell() if leaves else Stale(Staleness.NO_QUESTION)
        try:
            room = _room_of(arguments)
        except WireError as error:
            return Violated(str(error))
        self._step(Cause.INTRODUCED)
        # The message names this user only. The other users of the room stay unknown to the client.
        user = {"name": login.name, "uid": login.uid, "offline": False}
        self._room_event = {"room_no": room or "", "user": [user]}
        return Introduced(Introduction(login.name, login.user, login.password, room))

    def greet(self) -> None:
        """Send the login. Without one, drop everything that the client sends."""
        login = self._login
        if login is None:
            self._emit("HELLO", None)
            self._step(Cause.CLOSED)
        else:
            self._emit("HELLO", {"name": login.name, "uid": login.uid})

    def wait(self, seated: int, needed: int) -> None:
        """Send the room, once."""
        self._send_room()

    def sit(self, seat: Seat, table: TableInfo) -> None:
        """Take a seat for one game."""
        super().sit(seat, table)
        self._send_room()
        self._emit("START")

    def bye(self) -> None:
        """Send all messages that wait; end a game that has no result without one."""
        is_playing = self.state is State.SEATED
        super().bye()
        if is_playing and (self._last is None or self._last.content.type != "jieju"):
            self._outbox.settle()
            self._emit("END")

    def error(self, message: str) -> None:
        """Send an error; the connection is then closed, and the session drops everything that it receives."""
        self.close()
        self._emit("ERROR", message[:MAX_ERROR])

    def _end_game(self, paipu: Content) -> None:
        """Send the end of the game, with its record. A connection plays one game."""
        self._step(Cause.LEFT)
        self._emit("END", paipu)

    def _send_room(self) -> None:
        """Send the room, unless the client has received it or has asked for none."""
        if self._room_event is not None:
            self._emit("ROOM", self._room_event)
            self._room_event = None

    def _send_framed(self, content: Content) -> None:
        self._emit("GAME", content)

    def _emit(self, name: str, *arguments: object) -> None:
        """Send a Socket.IO event."""
        self._out.append(json_text.write([name, *arguments]))


def _room_of(arguments: Sequence[JSON]) -> str | None:
    """Return the name of the room, or None for any room."""
    match arguments:
        case []:
            return None
        case [str(room)]:
            return check_name(room, "ROOM")
    raise WireError("ROOM: expected the name of a room")
