"""The fields that clients' first messages have in common in the JSON dialects."""

from __future__ import annotations

from collections.abc import Mapping

from ump.model.value import value
from ump.wire.json_text import JSON
from ump.wire.session import Introduction
from ump.wire.text import MAX_SECRET, TOKEN, WireError


@value
class JsonHello:
    """A client's introduction, and its wishes that are the same in all these dialects."""

    introduction: Introduction = Introduction()
    wants_token: bool = False
    """Whether the client wants to be able to come back to its seat."""
    explains: bool = False
    """Whether the client wants the reason when an answer does not count."""


def read_hello_fields(content: Mapping[str, JSON], *, name: str | None, room: str | None, games: int = 1) -> JsonHello:
    """Read these fields of a first message, and complete the introduction with those that each dialect reads itself.

    Raises WireError, with a message for the client, if a field is wrong.
    """
    token = _token_of(content)
    introduction = Introduction(
        name=name,
        user=text_of(content, "user"),
        password=text_of(content, "password"),
        room=room,
        games=games,
        token=token,
    )
    wants_token = token is not None or content.get("resume") is True
    return JsonHello(introduction, wants_token=wants_token, explains=content.get("explain") is True)


def _token_of(content: Mapping[str, JSON]) -> str | None:
    """Return the token with which a client comes back; None if ``resume`` asks for tokens, or does not."""
    resume = content.get("resume")
    if resume is None or isinstance(resume, bool):
        return None
    if not isinstance(resume, str) or TOKEN.fullmatch(resume) is None:
        raise WireError('"resume" must be true, to ask for a token, or a token')
    return resume


def text_of(content: Mapping[str, JSON], key: str) -> str | None:
    """Return a text of a client's first message, or None; raise WireError if it is no text, or too long."""
    text = content.get(key)
    if text is None or (isinstance(text, str) and len(text) <= MAX_SECRET):
        return text
    raise WireError(f'"{key}" must be a string of at most {MAX_SECRET} characters')
