"""Removal of secrets from texts that are written down: passwords, bearer tokens, and the tokens of seats."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from urllib.parse import unquote

REDACTED = "***"
"""The text in the place of a secret."""

_HINT = re.compile(
    r"pass|_?resume|token|bearer|authorization|guest|invitation|table|/t/|ump_|room|watch|[%\\]|[0-9a-f]{32}",
    re.IGNORECASE,
)
"""A part that every text with a secret has. Most texts have none, and stay as they are."""

_SECRET_KEY = re.compile(r"(?:passw(?:or)?d|pass|resume|token|authorization|invitation|_guest|_table)\Z", re.IGNORECASE)
"""The end of the name of an option, or of a field in JSON, whose value is a secret."""

_NO_SECRET = "1"
"""The value of ``_resume=`` that asks for a token, and is none itself."""

_TOKEN = re.compile("(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])|ump_[0-9a-f]{12}_[A-Za-z0-9_-]+", re.IGNORECASE)
"""The forms of the server's own tokens, of seats and of users. Commitments to walls are longer."""

_INVITATION = re.compile(r'((?:\b_room=|\b_watch=|"room"\s*:\s*")[^\s:"&]*(?::|%3a))[^\s"&]+', re.IGNORECASE)
"""The name of a room with an invitation code: ``_room=cup:CODE``."""

_TABLE = re.compile(r"(\btable\s+|/t/)(?:[2-9a-hjkmnp-z]-?){8}(?![0-9a-z])", re.IGNORECASE)
"""The code of a table among friends, as people type it, or in its address."""

_CREDENTIALS = re.compile(r"(\bbearer\s|\bbasic\s|authorization\s*[:=]).*", re.IGNORECASE)
_BETWEEN_WORDS = re.compile(r"([\s&?;,]+)")

_LITERAL = re.compile(r"\s*:\s*(?:true|false|null)\b")
"""A value in JSON that is no secret, whatever its name."""

_STRING = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)
"""A JSON string, finished or not. It matches at every quotation mark, so that a search takes linear time."""


def without_secrets(text: str) -> str:
    """Return a message in any dialect with ``***`` in the place of each secret. Other texts are returned as they are.

    Secrets are the values of ``password=``, ``_resume=`` and similar options, also percent-encoded, of such fields in
    JSON, HTTP credentials, codes of invitations (``_room=ROOM:CODE``, ``table CODE``), and the forms of the server's
    own tokens: 32 hex digits, and ``ump_ID_SECRET``.
    """
    if _HINT.search(text) is None:
        return text
    text = _INVITATION.sub(rf"\g<1>{REDACTED}", _TOKEN.sub(REDACTED, text))
    text = _TABLE.sub(rf"\g<1>{REDACTED}", text)
    text = "".join(_without_fields(text)) if '"' in text else text
    text = "".join(map(_without_value, _BETWEEN_WORDS.split(text))) if "=" in text else text
    return _CREDENTIALS.sub(rf"\g<1> {REDACTED}", text)


def is_secret(name: str) -> bool:
    """Tell whether the option or the field of this name, percent-encoded or not, has a secret as its value."""
    return _SECRET_KEY.search(unquote(name)) is not None


def _without_value(word: str) -> str:
    """Hide the value in a word such as ``password=secret``."""
    key, equals, found = word.partition("=")
    if not equals or not found or found == _NO_SECRET or not is_secret(key):
        return word
    return f"{key}={REDACTED}"


def _without_fields(text: str) -> Iterator[str]:
    """Yield the parts of a JSON text, with secret strings hidden; after any other secret value the rest is left out."""
    is_secret = False
    at = 0
    for match in _STRING.finditer(text):
        before = text[at : match.start()]
        is_secret = is_secret and _LITERAL.match(before) is None
        if is_secret and before.strip() == ":":
            yield f'{before}"{REDACTED}"'
            is_secret = False
        elif is_secret and before.lstrip().startswith(":"):
            yield f":{REDACTED}"
            return
        else:
            yield before + match[0]
            is_secret = _is_secret_key(match[0])
        at = match.end()
    rest = text[at:]
    is_secret = is_secret and _LITERAL.match(rest) is None
    yield f":{REDACTED}" if is_secret and rest.lstrip().startswith(":") else rest


def _is_secret_key(string: str) -> bool:
    """Tell whether a JSON string is the name of a field with a secret."""
    try:
        return _SECRET_KEY.search(json.loads(string, strict=False)) is not None
    except ValueError:
        return False
