"""Players that read no more of a line than they must: they discard what they draw, and call nothing."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import ClassVar


class LightPlayer(ABC):
    """One player over one connection: lines in, answers out, both without their ends."""

    END = b"\n"

    def __init__(self, name: str) -> None:
        """``name`` may be followed by what else the player says when it introduces itself."""
        self._name = name

    @abstractmethod
    def answer(self, line: bytes) -> bytes:
        """Return the answer to a line, or nothing; end the program if the line is an error."""


class UmpPlayer(LightPlayer):
    """A player of UMP 0.1."""

    END = b"\r\n"

    PLAIN: ClassVar = {b"ready?": b"ok", b"naku?": b"no", b"tenpai?": b"no", b"bye": b"bye"}
    """The answers that do not depend on the game."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._seat = b""
        self._drawn = b""

    def answer(self, line: bytes) -> bytes:
        number, command, *words = line.split(b" ")
        if command == b"tsumo":
            if words[0] == self._seat:
                self._drawn = words[2]
        elif command == b"sutehai?":
            return b"%b sute %b tsumogiri" % (number, self._drawn)
        elif command in self.PLAIN:
            return b"%b %b" % (number, self.PLAIN[command])
        elif command == b"hello":
            return b"%b hello name=%b" % (number, self._name.encode("ascii"))
        elif command == b"gamestart":
            self._seat = words[0]
        elif command == b"error":
            raise SystemExit(f"error from the server: {line.decode('ascii')}")
        return b""


class MjaiPlayer(LightPlayer):
    """A player of mjai in lock-step, which replies to every message."""

    _seat: object = None

    def answer(self, line: bytes) -> bytes:
        return json.dumps(self._reply(json.loads(line))).encode("ascii")

    def _reply(self, message: dict[str, object]) -> dict[str, object]:
        kind = message["type"]
        if kind == "hello":
            return {"type": "join", "name": self._name, "room": "default"}
        if kind == "error":
            raise SystemExit(f"error from an mjai server: {message['message']}")
        if kind == "start_game":
            self._seat = message["id"]
        if kind == "tsumo" and message["actor"] == self._seat:
            return {"type": "dahai", "actor": self._seat, "pai": message["pai"], "tsumogiri": True}
        return {"type": "none"}
