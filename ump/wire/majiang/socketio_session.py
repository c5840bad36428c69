"""The same messages as Socket.IO events, as kobalab/majiang-server has them: for its bots and its page, unmodified.

What goes in and out are the JSON texts of event arrays, each what stands behind ``42`` in an Engine.IO packet. Packets,
polling, heartbeats, login, cookies and logout are the carrier's.

========================================= =============================================================
out
========================================= =============================================================
``["HELLO",{"name":..,"uid":..}]``        by ``greet``, once and never again: a second one dismisses a bot
``["HELLO",null]``                        by ``greet`` for who has not logged in; the carrier then closes
``["ROOM",{"room_no":..,"user":[..]}]``   by ``wait`` or ``sit``, once: the room, and this user in it
``["START"]``                             by ``sit``
``["GAME",{..}]``                         every message of ``MajiangSession``
``["END",{..}]``                          after the reply to ``jieju``, or when that is overdue; with the same record
``["END"]``                               by ``bye``, where a game ends without a result
``["ERROR","..."]``                       by ``error``: no such room, for one; the bot then logs out
========================================= =============================================================

========================================= =============================================================
in
========================================= =============================================================
``["ROOM",room]`` ``["ROOM"]``            the first one is the introduction, with the user who logged in
``["ROOM",room,uid]``                     with the own ``uid``: farewell
``["GAME",reply]``                        a reply, with ``seq``
anything else                             dropped
========================================= =============================================================

After ``END`` it is over: the next message or ``tick`` is farewell. One connection plays one game.
"""

from __future__ import annotations

from collections.abc import Sequence

from ump.model.seats import Seat
from ump.model.value import value
from ump.wire import json_text
from ump.wire.json_text import JSON, read_array
from ump.wire.majiang.paipu import Content
from ump.wire.majiang.replies import reply_of
from ump.wire.majiang.session import MajiangSession
from ump.wire.session import Farewell, Introduced, Introduction, Received, Stale, Staleness, TableInfo, Violated
from ump.wire.text import MAX_ERROR, WireError, check_name


@value
class LoggedIn:
    """Who has logged in, as the carrier found in its cookie."""

    name: str
    uid: str
    """A public name for this login, and no secret: it is shown to others."""
    user: str | None = None
    password: str | None = None
    """Both as they came with the login."""


class SocketIOMajiangSession(MajiangSession):
    """One Socket.IO connection as the server sees it."""

    __slots__ = ("_has_room", "_is_playing", "_login", "_room")

    def __init__(self, login: LoggedIn | None) -> None:
        """Begin with who has logged in; None: nobody has."""
        super().__init__()
        self._login = login
        self._room: str | None = None
        self._has_room = False
        """Whether the room was shown."""
        self._is_playing = False
        """Whether a game has begun, and its END is not said."""

    def receive(self, message: bytes, now: float) -> Received:
        """Take the JSON text of one event."""
        self._now = now
        if self._is_closing:
            return Stale(Staleness.CLOSING)
        if self._is_behind:
            return self._violated()
        try:
            event = read_array(message)
        except WireError:
            return self._receive_unreadable() if self._is_introduced else Stale(Staleness.UNREADABLE)
        match event:
            case ["ROOM", *arguments]:
                return self._receive_room(arguments)
            case ["GAME", dict(content)] if self._is_introduced:
                return self._receive_reply(reply_of(content))
        return Stale(Staleness.NO_QUESTION)

    def _receive_room(self, arguments: Sequence[JSON]) -> Received:
        """The first one introduces; a later one can only leave."""
        if self._login is None:
            return Stale(Staleness.CLOSING)
        if self._is_introduced:
            leaves = len(arguments) == 2 and arguments[1] == self._login.uid
            return Farewell() if leaves else Stale(Staleness.NO_QUESTION)
        try:
            self._room = _room_of(arguments)
        except WireError as error:
            return Violated(str(error))
        self._is_introduced = True
        login = self._login
        return Introduced(Introduction(login.name, login.user, login.password, self._room))

    def greet(self) -> None:
        """Say who has logged in; who has not is not listened to."""
        login = self._login
        self._emit("HELLO", None if login is None else {"name": login.name, "uid": login.uid})
        self._is_closing = login is None

    def wait(self, seated: int, needed: int) -> None:
        """Show the room, once."""
        self._show_room()

    def sit(self, seat: Seat, setting: TableInfo) -> None:
        """It has a seat."""
        super().sit(seat, setting)
        self._show_room()
        self._is_playing = True
        self._emit("START")

    def bye(self) -> None:
        """Let what is left go out; a game that has no result ends without one."""
        super().bye()
        if self._is_playing and (self._last is None or self._last.told.type != "jieju"):
            self._is_playing = False
            self._outstanding = None
            self._emit("END")

    def error(self, message: str) -> None:
        """Say what is wrong."""
        self.close()
        self._emit("ERROR", message[:MAX_ERROR])

    def _end(self, paipu: Content) -> None:
        """Say that the game is over, with its record."""
        self._is_playing = False
        self._is_leaving = True
        self._emit("END", paipu)

    def _show_room(self) -> None:
        """Show the room with nobody but this user in it: who else waits is nobody's business."""
        if self._has_room or self._login is None:
            return
        self._has_room = True
        user = {"name": self._login.name, "uid": self._login.uid, "offline": False}
        self._emit("ROOM", {"room_no": self._room or "", "user": [user]})

    def _frame(self, content: Content) -> None:
        self._emit("GAME", content)

    def _emit(self, name: str, *arguments: object) -> None:
        """Put an event among what is to be sent."""
        self._out.append(json_text.write([name, *arguments]))


def _room_of(arguments: Sequence[JSON]) -> str | None:
    """Return the room that is named, or None for any."""
    match arguments:
        case []:
            return None
        case [str(room)]:
            return check_name(room, "ROOM")
    raise WireError("ROOM wants the name of a room")
