"""What a client says of itself in its hello, read and checked.

What a server cannot do without is refused with a message: the version, texts (names, rooms) and the number of
games. A wish that is not understood (``_offer=yes``, ``_lang=fr``) or not known is passed over: a client must be able
to talk to other servers with the same hello.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from ump.model.value import value
from ump.wire.session import Introduction
from ump.wire.text import WireError, check_name
from ump.wire.ump01.render import Language

VERSION = "0.1"
"""What is spoken where a hello asks for nothing with ``ump=``."""

_VERSION = re.compile("0[.][0-9]")

MAX_GAMES = 10_000
"""Games that may be asked for at once; 0 means as many as there are."""


@value
class RequestedExtensions:
    """What a client would like to be told."""

    offer: bool = False
    explain: bool = False
    language: Language = Language.JAPANESE
    hand: bool = False
    time: bool = False


def version_of(options: Mapping[str, str], others: Collection[str]) -> str | None:
    """Return which of the other versions is wanted, or None for this one; raises WireError where it is none of them."""
    asked = options.get("ump", VERSION)
    if asked == VERSION:
        return None
    if asked in others:
        return asked
    newest = max(others, default=VERSION)
    if _VERSION.fullmatch(asked) is None or asked < newest or newest == VERSION:
        raise WireError(f"ump={asked[:16]} is not served here, only {', '.join((VERSION, *others))}")
    return newest  # a client that knows more knows this too


def read_introduction(options: Mapping[str, str]) -> Introduction:
    """Return who says hello; raises WireError with the message for the client where it cannot be accepted."""
    return Introduction(
        name=_text(options, "name"),
        user=options.get("user"),
        password=options.get("password"),
        room=_text(options, "_room"),
        games=_games(options),
        watch=_text(options, "_watch"),
    )


def read_extensions(options: Mapping[str, str]) -> RequestedExtensions:
    """Return what a client would like to be told; what is not understood is passed over."""
    return RequestedExtensions(
        offer=options.get("_offer") == "1",
        explain=options.get("_explain") == "1",
        language=language_of(options),
        hand=options.get("_hand") == "1",
        time=options.get("_time") == "1",
    )


def _text(options: Mapping[str, str], name: str) -> str | None:
    """Return an option that names something, or None where it was not given."""
    text = options.get(name)
    return None if text is None else check_name(text, f"{name}=")


def language_of(options: Mapping[str, str]) -> Language:
    """Return the language of yaku names; ``lang=`` is 0.2's word for it. One that we do not have is passed over."""
    asked = options.get("_lang", options.get("lang"))
    return Language.ENGLISH if asked == "en" else Language.JAPANESE


def _games(options: Mapping[str, str]) -> int:
    """Return how many games the client stays for."""
    asked = options.get("_games", "1")
    if not (asked.isascii() and asked.isdigit() and len(asked) <= 5 and int(asked) <= MAX_GAMES):
        raise WireError(f"_games= wants a number from 0 to {MAX_GAMES}")
    return int(asked)
