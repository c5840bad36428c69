"""The first line of a journal: everything about a game that is known before it begins, as a JSON object."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any

from ump.model.commitments import PLAYER_TEXT, SECRET, PlayerSeed, commitment_of, text_commitment_of
from ump.model.duplicate_game import DuplicateGame
from ump.model.value import value
from ump.record.journal.journal_error import JournalError
from ump.rules.options import OPTIONS, RulesetError
from ump.rules.ruleset import Ruleset
from ump.table.bot_delay import BotDelay
from ump.table.clock import TimeControl
from ump.table.opening import Opening
from ump.table.outcomes import Faults

VERSION = 1
"""The version of the format."""

SCHEME = "ump-wall-2"
"""How walls follow from the secret (``ump.game.deals``)."""


class PlayerKind(Enum):
    """The kind of a player at a seat."""

    CLIENT = "client"
    BOT = "bot"
    """A built-in bot."""
    CHILD = "child"
    """A bot that the server has started."""


@value
class JournalPlayer:
    """A player of the game, apart from its name."""

    kind: PlayerKind
    speaks: str
    """The dialect of a client or child, the policy of a built-in bot."""
    token: str | None = None
    """SHA-256 of the token with which the player may come back, in hex."""


@value
class JournalHeader:
    """The settings of a game, and who plays it."""

    opening: Opening
    room: str
    began: str
    """The date and time in UTC at which the game began, in ISO 8601; instants of the game count from there."""
    server: str
    """The name and version of the program."""
    players: tuple[JournalPlayer, ...]
    """By seat."""


def write_header(header: JournalHeader) -> str:
    """Return the first line of a journal, without its end."""
    opening = header.opening
    rules = {"name": opening.ruleset.name} | {each.field: each.format(opening.ruleset) for each in OPTIONS.values()}
    return json.dumps(
        {
            "journal": VERSION,
            "game": opening.name,
            "room": header.room,
            "began": header.began,
            "server": header.server,
            "rules": rules,
            "time": str(opening.times),
            "faults": opening.faults.value,
            "refusals": opening.refusals,
            "ask_all": opening.ask_all,
            "grace": opening.grace,
            "takeover": opening.takeover,
            "bot_delay": str(opening.bot_delay),
            "hints": opening.hints,
            "players": [
                {
                    "name": name,
                    "kind": player.kind.value,
                    "speaks": player.speaks,
                    "retries": retries,
                    "token": player.token,
                }
                for name, retries, player in zip(opening.players, opening.retries, header.players, strict=True)
            ],
            "walls": _written_walls(opening),
        },
        separators=(",", ":"),
    )


def _written_walls(opening: Opening) -> dict[str, object]:
    walls: dict[str, object] = {
        "scheme": SCHEME,
        "secret": opening.secret,
        "commitment": commitment_of(opening.secret),
    }
    if opening.seeds:
        walls["seeds"] = [
            None if seed is None else {"commitment": seed.commitment, "text": seed.text} for seed in opening.seeds
        ]
    if opening.duplicate is not None:
        place = opening.duplicate
        walls["duplicate"] = {"group": place.group, "number": place.number, "games": place.games}
    return walls


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
    opening = _opening(given)
    players = tuple(map(_player, given["players"]))
    if len(players) != opening.ruleset.seats:
        raise JournalError(f"expected {opening.ruleset.seats} players")
    return JournalHeader(opening, _text(given["room"]), _text(given["began"]), _text(given["server"]), players)


def _opening(given: dict[str, Any]) -> Opening:
    players = given["players"]
    return Opening(
        name=_text(given["game"]),
        ruleset=_ruleset(given["rules"]),
        players=tuple(_text(player["name"]) for player in players),
        secret=_secret(given["walls"]),
        times=TimeControl.parse(_text(given["time"])),
        clients=tuple(seat for seat, player in enumerate(players) if player["kind"] == PlayerKind.CLIENT.value),
        retries=tuple(_retries(player["retries"]) for player in players),
        faults=Faults(given["faults"]),
        refusals=_count(given.get("refusals", 0)),
        ask_all=_flag(given["ask_all"]),
        grace=_seconds(given["grace"]),
        takeover=_text_or_none(given["takeover"]),
        bot_delay=BotDelay.parse(_text(given["bot_delay"])),
        hints=_flag(given.get("hints", True)),
        seeds=_seeds(given["walls"].get("seeds", []), len(players)),
        duplicate=_duplicate(given["walls"].get("duplicate")),
    )


def _seconds(given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given < float("inf"):
        raise JournalError(f"{given!a} is not a number of seconds")
    return float(given)


def _count(given: object) -> int:
    if type(given) is not int or given < 0:
        raise JournalError(f"{given!a} is not a number from 0 on")
    return given


def _retries(given: object) -> int:
    if type(given) is not int:
        raise JournalError(f"{given!a} is not a number of retries")
    return given


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
    return JournalPlayer(PlayerKind(given["kind"]), _text(given["speaks"]), _text_or_none(given["token"]))


def _secret(given: dict[str, Any]) -> str:
    secret = _text(given["secret"])
    if given["scheme"] != SCHEME or SECRET.fullmatch(secret) is None:
        raise JournalError("the walls are made in an unknown way")
    if given["commitment"] != commitment_of(secret):
        raise JournalError("the secret of the walls is not the one of the commitment")
    return secret


def _seeds(given: object, players: int) -> tuple[PlayerSeed | None, ...]:
    """Return what the players add to the walls; records from before they could have nothing there."""
    if not isinstance(given, list) or len(given) not in (0, players):
        raise JournalError(f"expected the seeds of {players} players")
    return tuple(None if each is None else _seed(each) for each in given)


def _seed(given: dict[str, Any]) -> PlayerSeed:
    commitment, text = _text(given["commitment"]), _text_or_none(given["text"])
    if text is not None and (PLAYER_TEXT.fullmatch(text) is None or text_commitment_of(text) != commitment):
        raise JournalError("the text of a player is not the one of its commitment")
    return PlayerSeed(commitment, text)


def _duplicate(given: dict[str, Any] | None) -> DuplicateGame | None:
    """Return the group of the game; most games have none."""
    if given is None:
        return None
    game = DuplicateGame(_text(given["group"]), _count(given["number"]), _count(given["games"]))
    if not 1 <= game.number <= game.games:
        raise JournalError(f"there is no game {game.number} among {game.games}")
    return game


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
