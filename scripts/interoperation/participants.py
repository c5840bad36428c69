"""The games of scripts/interop: our own clients, kobalab's programs for node, gimite's for ruby, bots in Python."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from scripts.interoperation.meetings import Client, Meeting
from scripts.interoperation.packages import (
    Locations,
    Missing,
    find_bot,
    find_gimite,
    find_mjai,
    find_npm,
    find_riichienv,
)
from scripts.lab.processes import ROOT
from scripts.lab.server import Addresses

THREE_BOTS = ("tsumogiri:3",)  # three built-in bots, for a meeting with one client


@dataclass(frozen=True)
class Place:
    """The places in which to look for programs, and a folder for temporary files."""

    locations: Locations
    scratch: Path

    def write(self, name: str, text: str) -> str:
        path = self.scratch / name
        path.write_text(text, encoding="utf-8")
        return str(path)


# Ours


def _ump(on: Addresses) -> str:
    return f"127.0.0.1:{on.ump}"


def _ours(name: str, script: str, url: Callable[[Addresses], str], *options: str) -> Client:
    path = str(ROOT / "clients" / script)
    return Client(name, lambda on: [sys.executable, path, url(on), "--name", name, *options], crosses=url is _ump)


UMP_01 = _ours("ump-0.1", "tsumogiri.py", _ump)
UMP_02 = _ours("ump-0.2", "tsumogiri.py", _ump, "--ump", "0.2")
EFFICIENCY = _ours("efficient", "efficiency.py", _ump)
LOCKSTEP = _ours("lockstep", "tsumogiri_mjai.py", lambda on: f"mjsonp://127.0.0.1:{on.mjai}/default")


def _clients(place: Place) -> Meeting:
    over = "UMP 0.1, UMP 0.2, mjai in lock-step"
    return Meeting("clients", "", over, (UMP_01, UMP_02, EFFICIENCY, LOCKSTEP))


# Kobalab's, from npm

GLUE = """\
"use strict";                                     // arguments URL NAME: @kobalab/majiang-ai over TCP or WebSocket
const Player = require("@kobalab/majiang-ai"), player = new Player(), [url, name] = process.argv.slice(2);
let isOver = false, rest = "";
const begin = (send) => send(JSON.stringify({ hello: { name } }));
const take = (text, send) => {
    const message = JSON.parse(text);
    if (message.error) { console.log(message.error.message); process.exit(1); }
    if (message.jieju) isOver = true;
    if (message.seq) player.action(message, (reply = {}) => send(JSON.stringify({ ...reply, seq: message.seq })));
    else player.action(message);
};
const end = () => process.exit(isOver ? 0 : 1);
if (url.startsWith("ws:")) {
    const socket = new (globalThis.WebSocket || require("ws"))(url), send = (text) => socket.send(text);
    Object.assign(socket, { onopen: () => begin(send), onmessage: (event) => take(event.data, send), onclose: end });
} else {
    const { hostname, port } = new URL(url), socket = require("net").connect(port, hostname);
    const send = (text) => socket.write(text + "\\n");
    socket.setNoDelay().on("connect", () => begin(send)).on("close", end).on("data", (data) => {
        const lines = (rest + data).split("\\n");
        rest = lines.pop();
        lines.forEach((line) => take(line, send));
    });
}
"""
"""Connects kobalab's player to our Majiang ports for lines and for WebSocket, which majiang-bot does not use."""


def _majiang_bot(place: Place, name: str) -> Client:
    start = find_npm(place.locations).program("majiang-server", "majiang-bot")
    return Client(name, lambda on: [*start, "-r", "main", "-n", name, f"http://127.0.0.1:{on.http}/server"])


def _majiang_ai(place: Place, name: str, url: Callable[[Addresses], str]) -> Client:
    npm = find_npm(place.locations)
    npm.version("majiang-ai")
    glue = place.write("majiang_ai.js", GLUE)
    return Client(name, lambda on: [npm.node, glue, url(on), name], npm.environment)


def _lines(on: Addresses) -> str:
    return f"tcp://127.0.0.1:{on.majiang}"


def _majiang_bots(name: str, *players: str) -> Callable[[Place], Meeting]:
    def meeting(place: Place) -> Meeting:
        clients = tuple(_majiang_bot(place, player) for player in players)
        version = find_npm(place.locations).version("majiang-server")
        house = THREE_BOTS if len(players) == 1 else ()
        return Meeting(name, version, "Majiang net play by polling", clients, house)

    return meeting


def _majiang_ai_over_lines(place: Place) -> Meeting:
    client = _majiang_ai(place, "majiang-ai", _lines)
    version = find_npm(place.locations).version("majiang-ai")
    return Meeting("majiang-ai", version, "Majiang in lines of JSON", (client,), THREE_BOTS)


def _majiang_ai_over_frames(place: Place) -> Meeting:
    npm = find_npm(place.locations)
    client = _majiang_ai(place, "majiang-ai", lambda on: f"ws://127.0.0.1:{on.http}/majiang")
    if not npm.has_websocket:
        raise Missing("this node has no WebSocket: install node 22 or the package ws")
    return Meeting("majiang-ai ws", npm.version("majiang-ai"), "Majiang over WebSocket", (client,), THREE_BOTS)


def _mixed(place: Place) -> Meeting:
    clients = (_majiang_bot(place, "majiang-bot"), _majiang_ai(place, "majiang-ai", _lines), LOCKSTEP, UMP_02)
    over = "net play, lines, mjai, UMP 0.2"
    return Meeting("mixed", find_npm(place.locations).version("majiang-ai"), over, clients)


# For the package mjai of PyPI

PLAIN_BOT = """\
import sys

from mjai import Bot

Bot(player_id=int(sys.argv[1])).start()
"""
"""The player of the package, which discards what it draws."""

BATCHES = "mjai in batches, built-in"


def _house(python: str, *bots: str) -> tuple[str, ...]:
    return tuple(f"mjai:{shlex.join([python, bot])} {{seat}}" for bot in bots)


def _mjai_package(place: Place) -> Meeting:
    mjai = find_mjai(place.locations)
    bot = place.write("bot.py", PLAIN_BOT)
    return Meeting("mjai.Bot x3", mjai.version, BATCHES, (UMP_01,), _house(mjai.python, bot, bot, bot))


def _mjai_examples(place: Place) -> Meeting:
    bots = [str(find_bot(place.locations, name)) for name in ("tsumogiri", "shanten", "rulebase")]
    mjai = find_mjai(place.locations)
    return Meeting("mjai examples", mjai.version, BATCHES, (UMP_01,), _house(mjai.python, *bots))


def _joined(place: Place) -> Meeting:
    rulebase = find_bot(place.locations, "rulebase")
    mjai = find_mjai(place.locations)
    bot = f"{shlex.join([mjai.python, str(rulebase)])} {{seat}}"
    join = [sys.executable, "-c", "from ump.cli.main import main; main()", "join"]
    client = Client(
        "joined",
        lambda on: [*join, _ump(on), "--name", "joined", "--mjai", bot],
        {"PYTHONPATH": str(ROOT)},
        crosses=True,
    )
    return Meeting("mjai rulebase", mjai.version, "UMP 0.1, by ump join", (client,), THREE_BOTS)


# Gimite's, from the source


def _gimite(place: Place) -> Meeting:
    ruby = find_gimite(place.locations)
    clients = (
        _gimites("tsumogiri", ruby, "mjai-tsumogiri"),
        _gimites("shanten", ruby, "mjai-shanten"),
        _gimites("furo", ruby, "mjai-shanten", "-t", "f"),
    )
    return Meeting("gimite x3", "", "mjai in lock-step", (*clients, UMP_01))


def _gimites(name: str, ruby: list[str], command: str, *options: str) -> Client:
    return Client(
        name, lambda on: [*ruby, "--", command, *options, "--name", name, f"mjsonp://127.0.0.1:{on.mjai}/default"]
    )


# For RiichiLab, with the package riichienv of PyPI


def _riichienv(name: str, over: str, bots: int, *options: str) -> Callable[[Place], Meeting]:
    def meeting(place: Place) -> Meeting:
        clients = [_riichienv_bot(f"riichienv-{number}") for number in range(1, bots + 1)]
        clients += [UMP_01] if bots < 3 else []
        return Meeting(name, find_riichienv(), over, tuple(clients), options=("--length", "tonpu", *options))

    return meeting


def _riichienv_bot(name: str) -> Client:
    bot = str(ROOT / "scripts" / "interoperation" / "riichienv_bot.py")
    return Client(name, lambda on: [sys.executable, bot, f"ws://127.0.0.1:{on.http}/ws/ranked", name])


@dataclass(frozen=True)
class Faulty:
    """An example bot that is faulty on purpose."""

    bot: str
    fault: str  # the fault that our log must contain
    options: tuple[str, ...]


LONG = ("--length", "hanchan", "--seed", "interop-3")
"""A game that is long enough for bots that fail at their 201st array."""

FAULTY = (
    Faulty("invalidbot", "not_asked", ("--length", "tonpu")),
    Faulty("invalidbot", "not_asked", ("--length", "tonpu", "--faults", "chombo")),
    Faulty("invalidbot2", "not_held", LONG),
    Faulty("errorbot", "unreadable", LONG),
    Faulty("timeoutbot", "late", ("--time", "1+0")),
)
"""``timeoutbot2`` is not here: it stops answering at its 501st array, which no game with it has reached."""


def _mjai_faults(faulty: Faulty) -> Callable[[Place], Meeting]:
    def meeting(place: Place) -> Meeting:
        bot = find_bot(place.locations, faulty.bot)
        mjai = find_mjai(place.locations)
        house = (*_house(mjai.python, str(bot)), "tsumogiri:2")
        return Meeting(
            _name_of(faulty), mjai.version, BATCHES, (UMP_01,), house, faulty.options, {"mjai-1": faulty.fault}
        )

    return meeting


def _name_of(faulty: Faulty) -> str:
    return f"{faulty.bot} chombo" if "chombo" in faulty.options else faulty.bot


MEETINGS: Mapping[str, Callable[[Place], Meeting]] = {
    "clients": _clients,
    "majiang-bot": _majiang_bots("majiang-bot", "majiang-bot"),
    "majiang-bot x4": _majiang_bots("majiang-bot x4", "bot-1", "bot-2", "bot-3", "bot-4"),
    "majiang-ai": _majiang_ai_over_lines,
    "majiang-ai ws": _majiang_ai_over_frames,
    "mixed": _mixed,
    "mjai.Bot x3": _mjai_package,
    "mjai examples": _mjai_examples,
    "mjai rulebase": _joined,
    "gimite x3": _gimite,
    "riichienv x4": _riichienv("riichienv x4", "mjai on request", 4),
    "riichienv sanma": _riichienv("riichienv sanma", "mjai on request, three players", 2, "--rules", "tenhou3"),
    **{_name_of(faulty): _mjai_faults(faulty) for faulty in FAULTY},
}
"""All games by name; the functions raise Missing if a program is not installed."""
