"""Both hellos: the server's, and the options of a client's, which are read and checked.

An invalid version, name, room or number of games is refused with a message. An extension that is unknown or has an
unknown value (``_offer=yes``, ``_lang=fr``) is ignored, so that a client can send the same hello to other servers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ump.model.seats import LETTERS
from ump.model.value import value
from ump.wire.dialect import Caller
from ump.wire.names import check_name
from ump.wire.session import MAX_GAMES, Introduction, SeatWish, TableWish
from ump.wire.text import DIGEST, GAME, GUEST_KEY, TAB, TOKEN, WireError, read_table_code
from ump.wire.ump.render01 import Language
from ump.wire.ump.sentences01 import Hello

SERVER_NAME = "ump"

EXTENSIONS = (
    "_offer",
    "_explain",
    "_lang",
    "_hand",
    "_waits",
    "_time",
    "_room",
    "_games",
    "_watch",
    "_resume",
    "_guest",
    "_tab",
    "_seat",
    "_table",
    "_proof",
    "_seed",
    "_results",
    "_ping",
    "_person",
    "_human",
)
"""The extensions that a client may ask for in its hello."""

VERSIONS = ("0.1", "0.2")
"""The versions of UMP, the one for a hello without ``ump=`` first."""

_VERSION = re.compile("0[.][0-9]")

_BACK = "back"
_SEATS = {_BACK: SeatWish(), "free": SeatWish(yields=True), "new": SeatWish(is_new=True), "watch": SeatWish()}
"""The words of ``_seat=``; others name a game."""

_YIELDING = "free:"
_WATCHING = "watch"


@value
class RequestedExtensions:
    """The extensions that a client asked for in its hello."""

    offer: bool = False
    explain: bool = False
    language: Language = Language.JAPANESE
    hand: bool = False
    waits: bool = False
    time: bool = False
    resume: bool = False
    person: bool = False
    proof: bool = False
    results: bool = False
    ping: bool = False
    seed: str | None = None
    """The commitment to the client's text for the walls of its first game."""
    guest: str | None = None
    """The secret by which the browser of a guest is known."""
    tab: str | None = None
    """The name of the tab of that browser."""


def version_of(options: Mapping[str, str]) -> str:
    """Return the version that the client asks for; raise WireError for any other than ours."""
    asked = options.get("ump", VERSIONS[0])
    if asked in VERSIONS:
        return asked
    if _VERSION.fullmatch(asked) is None or asked < VERSIONS[-1]:
        raise WireError(f"unknown version {asked[:16]!a}; choose {', '.join(VERSIONS)}")
    return VERSIONS[-1]  # a client of a later version is assumed to know this one too


def read_introduction(options: Mapping[str, str]) -> Introduction:
    """Return the introduction of the client; raise WireError, with a message for the client, if it is invalid."""
    return Introduction(
        name=_text(options, "name"),
        user=options.get("user"),
        password=options.get("password"),
        room=_text(options, "_room"),
        games=_games(options),
        watch=_text(options, "_watch"),
        token=_token(options),
        seat=_seat(options),
        table=_table(options),
    )


def read_extensions(options: Mapping[str, str]) -> RequestedExtensions:
    """Return the extensions that the client asks for, without those that are unknown.

    Raises WireError for a commitment that is none: the client would believe that it takes part in the walls.
    """
    return RequestedExtensions(
        offer=options.get("_offer") == "1",
        explain=options.get("_explain") == "1",
        language=language_of(options),
        hand=options.get("_hand") == "1",
        waits=options.get("_waits") == "1",
        time=options.get("_time") == "1",
        resume="_resume" in options,
        person=options.get("_person") == "1",
        proof=options.get("_proof") == "1",
        results=options.get("_results") == "1",
        ping=options.get("_ping") == "1",
        seed=_commitment(options),
        guest=_guest(options),
        tab=_tab(options),
    )


def _token(options: Mapping[str, str]) -> str | None:
    """Return the token of the seat that the client comes back to; raise WireError if it is invalid.

    ``_resume=1`` asks for a token, and is none itself.
    """
    asked = options.get("_resume", "1")
    if asked == "1":
        return None
    if TOKEN.fullmatch(asked) is None:
        raise WireError("_resume= must be 1, to ask for a token, or a token")
    return asked


def _commitment(options: Mapping[str, str]) -> str | None:
    """Return the commitment to the client's text for the walls; raise WireError if it is invalid."""
    digest = options.get("_seed")
    if digest is not None and DIGEST.fullmatch(digest) is None:
        raise WireError("_seed= must be a SHA-256 digest, 64 hex digits in lower case")
    return digest


def _guest(options: Mapping[str, str]) -> str | None:
    """Return the secret of the client's browser; raise WireError if it is invalid."""
    key = options.get("_guest")
    if key is not None and GUEST_KEY.fullmatch(key) is None:
        raise WireError("_guest= must be 22 to 64 letters, digits, - and _, with 128 random bits")
    return key


def _tab(options: Mapping[str, str]) -> str | None:
    """Return the name of the tab of that browser; raise WireError if it is invalid."""
    tab = options.get("_tab")
    if tab is not None and TAB.fullmatch(tab) is None:
        raise WireError("_tab= must be 8 hex digits in lower case")
    return tab


def _table(options: Mapping[str, str]) -> TableWish | None:
    """Return the table among friends that the client wants; raise WireError if it is invalid."""
    asked, is_watching = options.get("_table"), options.get("_seat") == _WATCHING
    code = None if asked is None else read_table_code(asked)
    if asked is not None and asked != "new" and code is None:
        raise WireError("_table= must be new, or a code of 8 letters and digits")
    wish = TableWish(
        code,
        rules=options.get("_rule"),
        length=options.get("_length"),
        clock=options.get("_clock"),
        has_bots=options.get("_bots") != "none",
        bots=None if options.get("_bots") in ("none", "fill") else options.get("_bots"),
        has_spectators=options.get("_watchers") != "none",
        is_watching=is_watching,
    )
    return None if asked is None else wish


def _seat(options: Mapping[str, str]) -> SeatWish:
    """Return the seat that the client wants of those that it may hold; raise WireError if it is invalid."""
    asked = options.get("_seat", _BACK)
    if asked in _SEATS:
        return _SEATS[asked]
    yields, table = asked.startswith(_YIELDING), asked.removeprefix(_YIELDING)
    if GAME.fullmatch(table) is None:
        raise WireError("_seat= must be back, free, new, watch, or the name of a game, as in main-2 or free:main-2")
    return SeatWish(table, yields=yields)


def _text(options: Mapping[str, str], name: str) -> str | None:
    """Return the name that an option gives, or None without this option; raise WireError if the name is invalid."""
    text = options.get(name)
    return None if text is None else check_name(text, f"{name}=")


def language_of(options: Mapping[str, str]) -> Language:
    """Return the language of yaku names, from ``_lang=`` or 0.2's ``lang=``; Japanese if the language is unknown."""
    asked = options.get("_lang", options.get("lang"))
    return next((language for language in Language if language.value == asked), Language.JAPANESE)


def _games(options: Mapping[str, str]) -> int:
    """Return the number of games that the client stays for; raise WireError if it is invalid."""
    asked = options.get("_games", "1")
    if not (asked.isascii() and asked.isdigit() and len(asked) <= 5 and int(asked) <= MAX_GAMES):
        raise WireError(f"_games= must be a number from 0 to {MAX_GAMES}")
    return int(asked)


def greeting(caller: Caller) -> Hello:
    """Return the server's hello: protocol, name, the first room's rules as far as they are known, and extensions."""
    return Hello(tuple(_greeting_options(caller)))


def _greeting_options(caller: Caller) -> Iterator[tuple[str, str]]:
    yield "ump", "0.1"
    yield "name", SERVER_NAME
    if caller.ruleset is not None:
        yield "_rule", caller.ruleset.name
        yield "_length", caller.ruleset.length.value
        if caller.ruleset.seats != len(LETTERS):  # the usual number goes without saying
            yield "_seats", str(caller.ruleset.seats)
    yield "_ext", ",".join(EXTENSIONS)
    if caller.auth:
        yield "_auth", ",".join(caller.auth)
    if caller.pages is not None:
        yield "_http", str(caller.pages)
    yield "_human", "press_Enter"  # for a person who reads this line in telnet
