"""What a client says of itself in its hello, read and checked.

What a server cannot do without is refused with a message: the version, texts (names, rooms) and the number of
games. A wish that is not understood (``_offer=yes``, ``_lang=fr``) or not known is passed over: a client must be able
to talk to other servers with the same hello.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ump.model.value import value
from ump.wire.text import WireError
from ump.wire.ump01.client import ClientHello
from ump.wire.ump01.render import Language

VERSIONS = ("0.1",)
"""What can be asked for with ``ump=``."""

MAX_NAME = 32
"""Characters of a name: it stands in every client's list of players, and in records."""

MAX_GAMES = 10_000
"""Games that may be asked for at once; 0 means as many as there are."""

_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Control characters, line separators, and those that turn the direction of text: a name is shown on terminals."""


@value
class Introduction:
    """Who a client is, and what it would like."""

    name: str | None
    """None: the server makes one up."""
    user: str | None
    password: str | None
    """Both as they came: only a server with a user file looks at them."""
    offer: bool
    explain: bool
    language: Language
    hand: bool
    time: bool
    room: str | None
    """The room to sit in; None: the server's first."""
    games: int
    """How many games to stay for; 0: until ``bye``."""
    watch: str | None
    """The room to watch instead of playing."""


def read_introduction(hello: ClientHello) -> Introduction:
    """Check a hello; raises WireError with the message for the client where it cannot be accepted."""
    options = dict(hello.options)
    version = options.get("ump", VERSIONS[0])
    if version not in VERSIONS:
        raise WireError(f"ump={version[:16]} is not served here, only {', '.join(VERSIONS)}")
    return Introduction(
        name=_text(options, "name"),
        user=options.get("user"),
        password=options.get("password"),
        offer=options.get("_offer") == "1",
        explain=options.get("_explain") == "1",
        language=_language(options),
        hand=options.get("_hand") == "1",
        time=options.get("_time") == "1",
        room=_text(options, "_room"),
        games=_games(options),
        watch=_text(options, "_watch"),
    )


def _text(options: Mapping[str, str], name: str) -> str | None:
    """Return an option that names something, or None where it was not given."""
    text = options.get(name)
    if text is not None and (not text.strip() or len(text) > MAX_NAME or _CONTROLS.search(text)):
        raise WireError(f"{name}= wants 1 to {MAX_NAME} characters, none of them a control character")
    return text


def _language(options: Mapping[str, str]) -> Language:
    """Return the language of yaku names; ``lang=`` is 0.2's word for it. One that we do not have is passed over."""
    asked = options.get("_lang", options.get("lang"))
    return Language.ENGLISH if asked == "en" else Language.JAPANESE


def _games(options: Mapping[str, str]) -> int:
    """Return how many games the client stays for."""
    asked = options.get("_games", "1")
    if not (asked.isascii() and asked.isdigit() and len(asked) <= 5 and int(asked) <= MAX_GAMES):
        raise WireError(f"_games= wants a number from 0 to {MAX_GAMES}")
    return int(asked)
