"""What a client says of itself in its first message: ``{"hello":{"name":"alice","room":"main"}}``.

Beside ``name``, ``room``, ``user`` and ``password`` it may say ``"games":n`` (to stay for more than one; 0: for all),
``"form":"type-data"`` (to be told in the form of 2015) and ``"explain":true`` (to hear why an answer does not count).
What is not known is passed over.
"""

from __future__ import annotations

from collections.abc import Mapping

from ump.model.value import value
from ump.wire.json_text import JSON, read_object
from ump.wire.session import Introduction
from ump.wire.text import WireError, check_name

MAX_GAMES = 10_000
"""Games that may be asked for at once."""

MAX_SECRET = 256
"""Characters of the longest user name or password that is read."""

OLD_FORM = "type-data"


@value
class Hello:
    """Who a client is, and how it wants to be told."""

    introduction: Introduction
    is_old: bool
    """Whether it wants the form of 2015: ``{"type":"zimo","data":{..}}``."""
    explain: bool


def read_hello(message: bytes) -> Hello:
    """Read the first message; raises WireError with the message for the client where it cannot be accepted."""
    content = read_object(message)
    hello = content.get("data") if content.get("type") == "hello" else content.get("hello")
    if not isinstance(hello, dict):
        raise WireError('hello was expected, as in: {"hello":{"name":"alice"}}')
    introduction = Introduction(
        name=_name(hello, "name"),
        user=_secret(hello, "user"),
        password=_secret(hello, "password"),
        room=_name(hello, "room"),
        games=_games(hello),
    )
    return Hello(introduction, is_old=hello.get("form") == OLD_FORM, explain=hello.get("explain") is True)


def _name(hello: Mapping[str, JSON], key: str) -> str | None:
    """Return what names something, or None where it was not given."""
    text = _secret(hello, key)
    return None if text is None else check_name(text, f'"{key}"')


def _secret(hello: Mapping[str, JSON], key: str) -> str | None:
    text = hello.get(key)
    if text is None or (isinstance(text, str) and len(text) <= MAX_SECRET):
        return text
    raise WireError(f'"{key}" wants a text of {MAX_SECRET} characters at most')


def _games(hello: Mapping[str, JSON]) -> int:
    games = hello.get("games", 1)
    if type(games) is not int or not 0 <= games <= MAX_GAMES:
        raise WireError(f'"games" wants a number from 0 to {MAX_GAMES}')
    return games
