"""The hello of a Majiang client, its first message: ``{"hello":{"name":"alice","room":"main"}}``.

Besides ``name``, ``room``, ``user`` and ``password`` it may hold ``"games":n`` (to stay for more than one game; 0 for
all that follow), ``"form":"type-data"`` (to receive the form of 2015), ``"explain":true`` (to receive the reason when
an answer does not count) and ``"resume"``: true asks for a token, and the token leads back to the seat after a lost
connection. Other keys are ignored.
"""

from __future__ import annotations

from collections.abc import Mapping

from ump.model.value import value
from ump.wire.json_text import JSON, read_object, resume_of, secret_of
from ump.wire.names import check_name
from ump.wire.session import Introduction
from ump.wire.text import WireError

MAX_GAMES = 10_000
"""The highest number of games that a hello may ask for."""

OLD_FORM = "type-data"


@value
class Hello:
    """A client's introduction, and the form in which it wants its messages."""

    introduction: Introduction
    is_old: bool
    """Whether the client wants the form of 2015: ``{"type":"zimo","data":{..}}``."""
    explain: bool
    """Whether the client wants the reason when an answer does not count."""
    wants_token: bool = False
    """Whether the client wants to be able to come back to its seat."""


def read_hello(message: bytes) -> Hello:
    """Read the first message. Raises WireError, with a message for the client, if it is not a valid hello."""
    content = read_object(message)
    hello = content.get("data") if content.get("type") == "hello" else content.get("hello")
    if not isinstance(hello, dict):
        raise WireError('expected a hello, as in: {"hello":{"name":"alice"}}')
    wants_token, token = resume_of(hello)
    introduction = Introduction(
        name=_name(hello, "name"),
        user=secret_of(hello, "user"),
        password=secret_of(hello, "password"),
        room=_name(hello, "room"),
        games=_games(hello),
        token=token,
    )
    is_old, explain = hello.get("form") == OLD_FORM, hello.get("explain") is True
    return Hello(introduction, is_old=is_old, explain=explain, wants_token=wants_token)


def _name(hello: Mapping[str, JSON], key: str) -> str | None:
    """Return a name that others may see, or None if it is missing."""
    text = secret_of(hello, key)
    return None if text is None else check_name(text, f'"{key}"')


def _games(hello: Mapping[str, JSON]) -> int:
    games = hello.get("games", 1)
    if type(games) is not int or not 0 <= games <= MAX_GAMES:
        raise WireError(f'"games" must be an integer from 0 to {MAX_GAMES}')
    return games
