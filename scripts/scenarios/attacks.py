"""The attacks of a siege: each is a connection that misbehaves in one way, again and again.

    python -m scripts.scenarios.attacks LINE_PORT HTTP_PORT ATTACK ..

This starts the attackers, in one process. It writes ``"ready"``. It attacks after each ``"go"`` until ``"end"`` or the
end of its standard input, and then writes how many connections each attack has opened.
"""

from __future__ import annotations

import asyncio
import base64
import itertools
import os
import sys
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from urllib.parse import urlencode

from scripts.lab.processes import LOOPBACK, raise_descriptors, tell_parent

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]

MEGABYTE = b"x" * 1_000_000

CHUNK = 64 * 1024  # bytes of a flood that are sent at once


class Target:
    """The ports of the server, as one attacker reaches them: it has one connection at a time."""

    def __init__(self, lines: int, http: int, address: str, seed: str) -> None:
        self.lines = lines
        self.http = http
        self.chance = Random(seed)
        self.attempts = 0  # how many connections were opened so far
        self._address = address
        self._writer: asyncio.StreamWriter | None = None

    async def connect(self, port: int) -> Streams:
        reader, writer = await asyncio.open_connection(LOOPBACK, port, local_addr=(self._address, 0))
        self._writer = writer
        self.attempts += 1
        return reader, writer

    def close(self) -> None:
        if self._writer is not None:
            self._writer.transport.abort()


async def silent(target: Target) -> None:
    """Connect, and say nothing."""
    reader, _ = await target.connect(target.lines)
    while await reader.read(CHUNK):
        pass


async def slow(target: Target) -> None:
    """Send a request or a hello, a byte a second."""
    is_http = target.chance.random() < 0.5
    _, writer = await target.connect(target.http if is_http else target.lines)
    text = b"POST /auth/ HTTP/1.1\r\nHost: localhost\r\nX: " if is_http else b"0 hello ump=0.1 name="
    for byte in text + b"a" * 600:
        writer.write(bytes((byte,)))
        await writer.drain()
        await asyncio.sleep(1)


async def deaf(target: Target) -> None:
    """Play in a room of its own, answer what is asked, ask for help all the time, and never read."""
    _, writer = await target.connect(target.lines)
    writer.write(_hello("deaf"))
    while True:
        writer.write(b"0 help\n" * 100)
        await writer.drain()
        await asyncio.sleep(0.2)


async def long_lines(target: Target) -> None:
    """Send lines of a megabyte."""
    _, writer = await target.connect(target.lines)
    while True:
        writer.write(MEGABYTE + b"\n")
        await writer.drain()


async def flood_lines(target: Target) -> None:
    """Send short lines as fast as the server reads."""
    _, writer = await target.connect(target.lines)
    writer.write(_hello("flood"))
    while True:
        writer.write(b"7 no\n" * (CHUNK // 5))
        await writer.drain()


async def flood_frames(target: Target) -> None:
    """Open a WebSocket, and send pongs or empty fragments as fast as the server reads."""
    reader, writer = await target.connect(target.http)
    key = base64.b64encode(os.urandom(16)).decode()
    writer.write(
        f"GET /mjai HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode()
    )
    await reader.readuntil(b"\r\n\r\n")
    is_pong = target.chance.random() < 0.5
    if not is_pong:
        writer.write(b"\x01\x80\0\0\0\0")
    frame = b"\x8a\x80\0\0\0\0" if is_pong else b"\x00\x80\0\0\0\0"
    while True:
        writer.write(frame * (CHUNK // len(frame)))
        await writer.drain()


async def flood_posts(target: Target) -> None:
    """Log in, connect to foreign namespaces in each post, and never poll."""
    reader, writer = await target.connect(target.http)
    cookie = await _log_in(reader, writer)
    base = "/socket.io/?EIO=4&transport=polling"
    sid = (await _request(reader, writer, "GET", base, cookie=cookie)).partition('"sid":"')[2].partition('"')[0]
    body = b"\x1e".join([b"40/" + b"n" * 60 + b","] * 60)
    while True:
        said = await _request(reader, writer, "POST", f"{base}&sid={sid}", body, cookie)
        if not said.startswith("HTTP/1.1 200"):
            return


async def hold_bodies(target: Target) -> None:
    """Log in, begin a long body, and never end it."""
    reader, writer = await target.connect(target.http)
    cookie = await _log_in(reader, writer)
    writer.write(f"POST /auth/ HTTP/1.1\r\nHost: localhost\r\nCookie: MAJIANG={cookie}\r\n".encode())
    writer.write(b"Content-Length: 99999\r\n\r\n" + b"x" * 99_000)
    await reader.read(CHUNK)


async def drop(target: Target) -> None:
    """Enter a game, and drop the connection in the middle of a sentence."""
    reader, writer = await target.connect(target.lines)
    writer.write(_hello("drop"))
    await reader.read(CHUNK)
    writer.write(b"7 sute 1")
    await writer.drain()


async def reconnect(target: Target) -> None:
    """Connect and close at once."""
    await target.connect(target.lines)


async def stale(target: Target) -> None:
    """Enter a game, and answer questions that are not open."""
    reader, writer = await target.connect(target.lines)
    writer.write(_hello("stale"))
    for number in itertools.count(1):
        writer.write(b"".join(b"%d sute 1z tsumogiri\n" % (number + each) for each in range(20)))
        await writer.drain()
        with suppress(TimeoutError):
            await asyncio.wait_for(reader.read(CHUNK), 0.1)


async def tokens(target: Target) -> None:
    """Ask for the seats of others with guessed tokens."""
    reader, writer = await target.connect(target.lines)
    writer.write(f"0 hello ump=0.1 name=thief _resume={target.chance.randbytes(16).hex()}\n".encode())
    await reader.read(CHUNK)


async def children(target: Target) -> None:
    """Enter a room whose bots are programs that hang, start others, or write without end."""
    room = target.chance.choice(("hang", "fork", "write"))
    reader, writer = await target.connect(target.lines)
    writer.write(_hello("host", room))
    for _ in range(20):
        with suppress(TimeoutError):
            if not await asyncio.wait_for(reader.read(CHUNK), 1):
                return


@dataclass(frozen=True)
class Attack:
    """One kind of attack."""

    run: Callable[[Target], Awaitable[None]]
    connections: int  # how many connections attack in this way at the same time
    pause: float = 0.05  # seconds until a connection that has ended is opened again


ATTACKS: dict[str, Attack] = {
    "silent": Attack(silent, 100),
    "slow": Attack(slow, 50),
    "deaf": Attack(deaf, 5, 1.0),
    "long-lines": Attack(long_lines, 5, 0.2),
    "flood-lines": Attack(flood_lines, 5, 0.2),
    "flood-frames": Attack(flood_frames, 10, 0.2),
    "flood-posts": Attack(flood_posts, 3, 1.0),
    "hold-bodies": Attack(hold_bodies, 60, 0.5),
    "drop": Attack(drop, 2, 0.5),
    "reconnect": Attack(reconnect, 5),
    "stale": Attack(stale, 5, 0.5),
    "tokens": Attack(tokens, 5),
    "children": Attack(children, 3, 1.0),
}
"""All attacks, by name."""


async def repeat(attack: Attack, target: Target) -> None:
    """Attack again and again, until the task is cancelled."""
    while True:
        with suppress(OSError, EOFError):
            await attack.run(target)
        target.close()
        await asyncio.sleep(attack.pause * (1 + target.chance.random()))


def _hello(name: str, room: str = "pit") -> bytes:
    return f"0 hello ump=0.1 name={name} _room={room}\n".encode()


async def _log_in(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
    form = urlencode({"name": "attacker", "passwd": "*"}).encode()
    answer = await _request(reader, writer, "POST", "/server/auth/", form)
    return answer.partition("MAJIANG=")[2].partition(";")[0]


async def _request(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    method: str,
    path: str,
    body: bytes = b"",
    cookie: str = "",
) -> str:
    head = f"{method} {path} HTTP/1.1", "Host: localhost", f"Cookie: MAJIANG={cookie}", f"Content-Length: {len(body)}"
    writer.write("\r\n".join((*head, "", "")).encode() + body)
    await writer.drain()
    answer = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    length = answer.lower().partition("content-length: ")[2].partition("\r\n")[0]
    return answer + (await reader.readexactly(int(length or 0))).decode("latin-1")


# The process

POLITENESS = 19  # increment of the nice value: real attackers have machines of their own

ADDRESSES = "127.0.{}.{}"
"""The addresses of attackers: others in each round, because the server lets a host rest that has broken protocols."""


async def attack(lines: int, http: int, names: Sequence[str]) -> None:
    """Attack with these attacks, each from an address of its own, as often as the parent says."""
    for number in itertools.count(2):
        if not await _word():
            return
        targets: dict[str, list[Target]] = {name: [] for name in names}
        for index, name in enumerate(names, 1):
            for n in range(ATTACKS[name].connections):
                target = Target(lines, http, ADDRESSES.format(number, index), f"{number} {name} {n}")
                targets[name].append(target)
        tasks = [asyncio.create_task(repeat(ATTACKS[name], each)) for name in names for each in targets[name]]
        await _word()
        await end(tasks)
        for each in itertools.chain.from_iterable(targets.values()):
            each.close()
        tell_parent({name: sum(each.attempts for each in targets[name]) for name in names})


async def end(tasks: Iterable[asyncio.Task[None]]) -> None:
    """Cancel tasks until they have ended: ``asyncio.wait_for`` of Python 3.11 may lose a cancellation."""
    left = set(tasks)
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=0.5)


async def _word() -> str:
    return await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)


if __name__ == "__main__":
    raise_descriptors()
    os.nice(POLITENESS)
    tell_parent("ready")
    asyncio.run(attack(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
