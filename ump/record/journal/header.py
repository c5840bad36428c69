"""The first line of a journal: everything about a game that is known before it begins, as a JSON object."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any

from ump.game.deals import SECRET, commitment_of
from ump.model.value import value
from ump.record.journal.journal_error import JournalError
from ump.rules.options import OPTIONS, RulesetError
from ump.rules.ruleset import Ruleset
from ump.table.clock import TimeControl
from ump.table.outcomes import Faults

VERSION = 1
"""The version of the format."""

SCHEME = "ump-wall-2"
"""How walls follow from the secret (``ump.game.deals``)."""


class PlayerKind(Enum):
    """What sits at a seat."""

    CLIENT = "client"
    BOT = "bot"
    """A built-in bot."""
    CHILD = "child"
    """A bot that the server has started."""


@value
class JournalPlayer:
    """A player of the game."""

    name: str
    kind: PlayerKind
    speaks: str
    """The dialect of a client or child, the policy of a built-in bot."""
    retries: int
    """How often a question is asked again after an answer that does not count."""
    token: str | None = None
    """SHA-256 of the token with which the player may come back, in hex."""


@value
class JournalHeader:
    """The settings of a game."""

    game: str
    """The game's name; no other game in the folder has it."""
    room: str
    began: str
    """The date and time in UTC at which the game began, in ISO 8601; instants of the game count from there."""
    server: str
    """The name and version of the program."""
    ruleset: Ruleset
    times: TimeControl
    faults: Faults
    ask_all: bool
    grace: float
    """Seconds of the game for which a seat is kept for a player without a connection."""
    takeover: str | None
    """The policy that plays on after that, or None."""
    bot_delay: str
    """Seconds that built-in bots think while a person plays, as ``0.5`` or ``0.3-1.2``. It changes no step."""
    players: tuple[JournalPlayer, ...]
    """By seat."""
    secret: str
    """The secret of all walls."""


def write_header(header: JournalHeader) -> str:
    """Return the first line of a journal, without its end."""
    rules = {"name": header.ruleset.name} | {each.field: each.format(header.ruleset) for each in OPTIONS.values()}
    return json.dumps(
        {
            "journal": VERSION,
            "game": header.game,
            "room": header.room,
            "began": header.began,
            "server": header.server,
            "rules": rules,
            "time": str(header.times),
            "faults": header.faults.value,
            "ask_all": header.ask_all,
            "grace": header.grace,
            "takeover": header.takeover,
            "bot_delay": header.bot_delay,
            "players": [
                {
                    "name": player.name,
                    "kind": player.kind.value,
                    "speaks": player.speaks,
                    "retries": player.retries,
                    "token": player.token,
                }
                for player in header.players
            ],
            "walls": {"scheme": SCHEME, "secret": header.secret, "commitment": commitment_of(header.secret)},
        },
        separators=(",", ":"),
    )


def read_header(line: str) -> JournalHeader:
    """Read the first line of a journal; raises JournalError."""
    try:
        given = json.loads(line)
        if not isinstance(given, dict) or "journal" not in given:
            raise JournalError("not a journal: expected an object with the key 'journal'")
        if given["journal"] != VERSION:
            raise JournalError(f"version {given['journal']!a} of the format is unknown; this program reads {VERSION}")
        return _header(given)
    except JournalError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise JournalError(f"damaged first line: {type(error).__name__} {error}") from error


def _header(given: dict[str, Any]) -> JournalHeader:
    ruleset = _ruleset(given["rules"])
    players = tuple(map(_player, given["players"]))
    if len(players) != ruleset.seats:
        raise JournalError(f"expected {ruleset.seats} players")
    grace = given["grace"]
    if isinstance(grace, bool) or not isinstance(grace, int | float) or not 0 <= grace < float("inf"):
        raise JournalError(f"{grace!a} are not seconds of grace")
    return JournalHeader(
        game=_text(given["game"]),
        room=_text(given["room"]),
        began=_text(given["began"]),
        server=_text(given["server"]),
        ruleset=ruleset,
        times=TimeControl.parse(_text(given["time"])),
        faults=Faults(given["faults"]),
        ask_all=_flag(given["ask_all"]),
        grace=float(grace),
        takeover=_text_or_none(given["takeover"]),
        bot_delay=_text(given["bot_delay"]),
        players=players,
        secret=_secret(given["walls"]),
    )


def _ruleset(given: dict[str, str]) -> Ruleset:
    unknown = sorted(set(given) - set(OPTIONS) - {"name"})
    if unknown:
        raise JournalError(f"unknown rule {unknown[0]!a}")
    try:
        fields: dict[str, Any] = {name: option.parse(given[name]) for name, option in OPTIONS.items()}
    except RulesetError as error:
        raise JournalError(str(error)) from error
    return Ruleset(name=_text(given["name"]), **fields)


def _player(given: dict[str, Any]) -> JournalPlayer:
    if type(given["retries"]) is not int:
        raise JournalError(f"{given['retries']!a} is not a number of retries")
    return JournalPlayer(
        _text(given["name"]),
        PlayerKind(given["kind"]),
        _text(given["speaks"]),
        given["retries"],
        _text_or_none(given["token"]),
    )


def _secret(given: dict[str, Any]) -> str:
    secret = _text(given["secret"])
    if given["scheme"] != SCHEME or SECRET.fullmatch(secret) is None:
        raise JournalError("the walls are made in an unknown way")
    if given["commitment"] != commitment_of(secret):
        raise JournalError("the secret of the walls is not the one of the commitment")
    return secret


def _text(given: object) -> str:
    if not isinstance(given, str):
        raise JournalError(f"{given!a} is not a text")
    return given


def _text_or_none(given: object) -> str | None:
    return None if given is None else _text(given)


def _flag(given: object) -> bool:
    if not isinstance(given, bool):
        raise JournalError(f"{given!a} is neither true nor false")
    return given
