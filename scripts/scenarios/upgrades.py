"""Clients that come back by themselves, and how long they hear nothing while servers are upgraded or restarted."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from threading import Thread
from typing import Self
from urllib.parse import unquote

from scripts.lab.processes import LOOPBACK
from ump.wire.session import Interruption

RETRY = 0.1  # seconds until a client tries again, as the table in the browser does first
THINKING = 0.2  # seconds from a question to its answer
ANSWERS = {"ready?": "ok", "naku?": "no", "tenpai?": "yes", "bye": "bye"}


class ReturningPlayer:
    """A client of UMP that plays one game after the other against built-in bots."""

    def __init__(self, name: str, port: int) -> None:
        self.name = name
        self.silence = 0.0  # the longest time between two sentences, in seconds
        self.losses: list[str] = []  # errors that say more than that the game goes on
        self.returns = 0
        self.refusals = 0  # connections that the system has refused
        self._port = port
        self._token = ""
        self._drawn = ""
        self._heard = 0.0
        self._last = ""

    def __str__(self) -> str:
        return f"{self.name}, token {self._token or 'none'}, {self.silent_now:.1f} s ago: {self._last}"

    @property
    def silent_now(self) -> float:
        """The seconds since the last sentence."""
        return time.monotonic() - self._heard if self._heard else 0.0

    @property
    def has_begun(self) -> bool:
        """Whether it can come back to a game."""
        return bool(self._token)

    def forget(self) -> None:
        """Begin to measure anew."""
        self.silence = 0.0

    async def play(self) -> None:
        """Play, and come back, until it is cancelled."""
        while True:
            with suppress(ConnectionResetError, BrokenPipeError):
                await self._connect()
            await asyncio.sleep(RETRY)

    async def _connect(self) -> None:
        try:
            reader, writer = await asyncio.open_connection(LOOPBACK, self._port)
        except ConnectionRefusedError:
            self.refusals += 1
            return
        try:
            self.returns += 1 if self._token else 0
            hello = f"_resume={self._token}" if self._token else f"name={self.name} _resume=1"
            writer.write(f"0 hello ump=0.1 {hello}\r\n".encode())
            await reader.readline()  # the greeting comes from any server, and says nothing of the game
            while line := await reader.readline():
                self._note(line.decode())
                await self._answer(line.decode(), writer)
        finally:
            writer.close()

    def _note(self, line: str) -> None:
        now = time.monotonic()
        if self._heard:
            self.silence = max(self.silence, now - self._heard)
        self._heard = now
        self._last = line.rstrip()
        _, command, *words = line.split()
        if command == "error":
            self._note_error(unquote(words[0]))
        elif command == "_resume":
            self._token = words[0]
        elif command == "gameend":
            self._token = ""
        elif command == "tsumo" and len(words) == 3:
            self._drawn = words[2]

    def _note_error(self, text: str) -> None:
        if text != Interruption.RETURNS.value:
            self.losses.append(text)

    async def _answer(self, line: str, writer: asyncio.StreamWriter) -> None:
        number, command, *_ = line.split()
        if command == "sutehai?":
            await asyncio.sleep(THINKING)
            writer.write(f"{number} sute {self._drawn} tsumogiri\r\n".encode())
        elif command in ANSWERS:
            writer.write(f"{number} {ANSWERS[command]}\r\n".encode())


class ReturningPlayers:
    """Such clients, in a thread of their own."""

    def __init__(self, ports: Sequence[int], count: int, prefix: str = "p") -> None:
        """``count`` clients at each port; their names begin with a prefix."""
        self.players = [ReturningPlayer(f"{prefix}{port}_{number}", port) for port in ports for number in range(count)]
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._loop.call_soon_threadsafe(self._everybody.cancel)
        self._thread.join()

    def _run(self) -> None:
        self._everybody = self._loop.create_task(self._play())
        with suppress(asyncio.CancelledError):
            self._loop.run_until_complete(self._everybody)
        self._loop.close()

    async def _play(self) -> None:
        await asyncio.gather(*(player.play() for player in self.players))

    def are_playing(self) -> bool:
        """Return whether all have a game, and have heard something in the last second."""
        return all(player.has_begun and player.silent_now < 1.0 for player in self.players)

    def missing(self) -> list[str]:
        """Return what the players that do not play say of themselves."""
        return [str(player) for player in self.players if not (player.has_begun and player.silent_now < 1.0)]

    def take_silence(self) -> float:
        """Return the longest silence of any client since the last call, and begin anew."""
        silence = max(max(player.silence, player.silent_now) for player in self.players)
        for player in self.players:
            player.forget()
        return silence

    @property
    def losses(self) -> list[str]:
        """The losses, in the words of the servers."""
        return [loss for player in self.players for loss in player.losses]

    @property
    def refusals(self) -> int:
        """The number of refused connections."""
        return sum(player.refusals for player in self.players)

    @property
    def returns(self) -> int:
        """The number of times that a client came back to its game."""
        return sum(player.returns for player in self.players)
