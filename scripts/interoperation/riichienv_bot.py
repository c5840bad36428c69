"""A bot that is built on the package riichienv, as many bots for RiichiLab are. It plays one game.

    python riichienv_bot.py ws://127.0.0.1:8080/ws/ranked NAME

It lets the package read every event (``env.observe_event``) and every observation, and takes one of the actions that
the package calls legal: a win, else a north to set aside, else riichi, else the discard with the lowest shanten; it
calls nothing. It ends with status 0 if no answer was rejected and the game ended with scores.
"""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlsplit

import riichienv
from riichienv import ActionType
from wsproto import ConnectionType, WSConnection
from wsproto.events import CloseConnection, Ping, RejectConnection, Request, TextMessage

BEFORE_DISCARDS = (ActionType.TSUMO, ActionType.RON, ActionType.KITA, ActionType.RIICHI, ActionType.PASS)
"""The actions that it takes rather than a discard or a call, the best first."""

UNREJECTED = {"accepted", "stale"}  # the status of an answer is ``stale`` if another player's ron came first

PLAYERS_OF_SANMA = 3
SANMA = "3p-red-half"  # the name of a game of three in the package
PATIENCE = 30.0  # seconds to wait for a message


class Frames:
    """The text frames of one WebSocket."""

    def __init__(self, url: str, name: str) -> None:
        parts = urlsplit(url)
        assert parts.hostname is not None and parts.port is not None
        self._socket = socket.create_connection((parts.hostname, parts.port), PATIENCE)
        self._protocol = WSConnection(ConnectionType.CLIENT)
        token = [(b"Authorization", b"Bearer " + name.encode())]
        target = f"{parts.path}?name={quote(name)}"
        self._socket.sendall(self._protocol.send(Request(host=parts.netloc, target=target, extra_headers=token)))

    def send(self, text: str) -> None:
        self._socket.sendall(self._protocol.send(TextMessage(text)))

    def __iter__(self) -> Iterator[str]:
        text = ""
        while True:
            self._protocol.receive_data(self._socket.recv(1 << 16) or None)
            for event in self._protocol.events():
                if isinstance(event, TextMessage):
                    text += event.data
                    if event.message_finished:
                        yield text
                        text = ""
                elif isinstance(event, Ping):
                    self._socket.sendall(self._protocol.send(event.response()))
                elif isinstance(event, CloseConnection | RejectConnection):
                    return


class Bot:
    """The player. It keeps nothing but what the package reads."""

    def __init__(self) -> None:
        self._env = riichienv.RiichiEnv()
        self._observation: Any = riichienv.Observation
        self._seat = -1
        self.statuses: set[str] = set()  # every status of an acknowledgement
        self.scores: list[int] | None = None  # the scores at the end of the game

    def reply(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """Return the reply to a request; read any other message, and return None."""
        if message["type"] == "request_action":
            observation = self._observation.deserialize_from_base64(message["observation"])
            return {**json.loads(_choose(observation).to_mjai()), "request_id": message["request_id"]}
        if message["type"] == "action_ack":
            self.statuses.add(message["status"])
            return None
        if message["type"] == "error":
            raise SystemExit(message["message"])
        if message["type"] == "start_game":
            self._seat = message.pop("id")  # the package expects a text
            if len(message["names"]) == PLAYERS_OF_SANMA:
                self._env, self._observation = riichienv.RiichiEnv(SANMA), riichienv.Observation3P
        if message["type"] == "end_game":
            self.scores = message["scores"]
        self._env.observe_event(message, self._seat)
        return None


def _choose(observation: Any) -> Any:
    legal = observation.legal_actions()
    for kind in BEFORE_DISCARDS:
        for action in legal:
            if action.action_type == kind:
                return action
    discards = [action for action in legal if action.action_type == ActionType.DISCARD]
    return min(discards, key=lambda discard: _shanten_without(observation.hand, discard.tile))


def _shanten_without(hand: list[int], tile: int) -> int:
    left = list(hand)
    left.remove(tile)
    return int(riichienv.calculate_shanten(left))


def main(url: str, name: str) -> int:
    frames, bot = Frames(url, name), Bot()
    for text in frames:
        reply = bot.reply(json.loads(text))
        if reply is not None:
            frames.send(json.dumps(reply))
    print(f"scores {bot.scores}, acknowledged as {sorted(bot.statuses)}")
    return 0 if bot.scores is not None and bot.statuses <= UNREJECTED else 1


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
