"""Text on the wire: errors and their limits, and the percent-encoding of words.

UMP writes text as UTF-8, in which ``%`` and each byte up to 0x20 and from 0x7f on become ``%XX``. In names and option
values ``=`` is encoded too, because a reader splits words there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from urllib.parse import unquote

MAX_LINE = 1_024
"""Maximum length in bytes of a client's line; a hello with a long password is the longest that clients need."""

MAX_WRITTEN = 2_048
"""Maximum length in characters of a line that the server writes. The longest is ``gamestart``: with four names of 32
characters outside the basic plane it has 1,550. ``agari`` with a dozen yaku in Japanese stays below 800."""

MAX_ERROR = 160
"""Maximum length of an error message to a client, in characters. Percent-encoded, each may become twelve."""

MAX_ANNOUNCEMENT = 160
"""Maximum length of what an operator tells all clients, in characters; encoded it fits on a line as an error does."""

MAX_NAME = 32
"""Maximum length of a name of a client or a room, in characters."""

TOKEN = re.compile("[A-HJKMNP-Z]?[0-9a-f]{32}")
"""The form of a token with which a client comes back to its seat: 128 bits in hex."""

RECORD = re.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}")
"""The form of the name of a record: its file without endings. Those of running games begin with a dot."""

GAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}-[0-9]{1,9}")
"""The form of the name of a game: that of its room, and a number."""

GUEST_KEY = re.compile("[A-Za-z0-9_-]{22,64}")
"""The form of the secret by which the browser of a guest is known: at least 128 random bits."""

SERVER_LETTERS = "abcdefghjkmnpqrstuvwxyz"
"""The letters that servers of a site may have."""

TABLE_CODE = re.compile("[2-9A-HJKMNP-Z]{8,9}")
"""The form of the code of a table among friends: eight of 31 characters, without 0 and O, 1, I and L.

On a site of several servers the letter of its server comes first.
"""

TAB = re.compile("[0-9a-f]{8}")
"""The form of the name of one tab of a browser."""

DIGEST = re.compile("[0-9a-f]{64}")
"""The form of a SHA-256 digest, and of the secret of the walls."""

MAX_SECRET = 256
"""Maximum length of a user name or a password, in characters."""

_SHOWN = 80
"""The number of characters of a wrong line that an error quotes."""

_PLAIN = frozenset(range(0x21, 0x7F)) - {ord("%")}
_ESCAPE = re.compile(rb"%(..)?", re.DOTALL)
_WORD = re.compile(r"[\x21-\x7e]+")


class WireError(ValueError):
    """Something that was read is invalid, which is the peer's fault; the message quotes it, in ASCII."""


class UnwritableError(ValueError):
    """Something to be written is invalid, which is a bug in this program."""


def read_table_code(text: str) -> str | None:
    """Return the code of a table as it was made, whatever its case, with or without hyphens; None if it is none."""
    code = text.upper().replace("-", "")
    return code if TABLE_CODE.fullmatch(code) else None


def encode(text: str, *, is_value: bool = False) -> str:
    """Encode a text as one word; with ``is_value``, for a name or an option's value, encode ``=`` too."""
    plain = _PLAIN - {ord("=")} if is_value else _PLAIN
    return "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in text.encode())


def decode(word: str) -> str:
    """Decode one word; raise WireError if an escape is not two hex digits or the bytes are not UTF-8."""
    try:
        return _ESCAPE.sub(_unescaped, word.encode()).decode()
    except ValueError as error:
        raise WireError(f"{quoted(word)} is not percent-encoded UTF-8") from error


def _unescaped(match: re.Match[bytes]) -> bytes:
    digits = match[1] or b""
    if re.fullmatch(rb"[0-9A-Fa-f]{2}", digits) is None:
        raise WireError("expected two hex digits after %")
    return bytes((int(digits, 16),))


def quoted(text: str) -> str:
    """Return the start of a text in quotation marks, in ASCII, for an error message."""
    return f"{text[:_SHOWN]!a}"


def written(*words: str) -> str:
    """Join words to a sentence; raise UnwritableError if it could be read as anything else.

    A line end in a name must never start a sentence of its own: no word may be empty or hold a space, a control
    character or anything outside ASCII, and the line may not be longer than MAX_WRITTEN.
    """
    line = " ".join(words)
    if len(line) > MAX_WRITTEN or not all(map(_WORD.fullmatch, words)):
        raise UnwritableError(f"{quoted(line)} must not be written")
    return line


# Removal of secrets from texts that are written down: passwords, bearer tokens, and the tokens of seats.

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

_TOKEN = re.compile("(?<![0-9a-f])[a-z]?[0-9a-f]{32}(?![0-9a-f])|ump_[0-9a-f]{12}_[A-Za-z0-9_-]+", re.IGNORECASE)
"""The forms of the server's own tokens, of seats and of users. Commitments to walls are longer."""

_INVITATION = re.compile(r'((?:\b_room=|\b_watch=|"room"\s*:\s*")[^\s:"&]*(?::|%3a))[^\s"&]+', re.IGNORECASE)
"""The name of a room with an invitation code: ``_room=cup:CODE``."""

_TYPED_INVITATION = re.compile(r"(?<!\S)([^\W\d_][\w.-]*[:：]\s?)[0-9a-z]{4,}(?!\S)", re.IGNORECASE)
"""The same as people type it, or almost: ``Mika cup:CODE``. Answers such as ``chi:46m`` are shorter."""

_TABLE = re.compile(r"(\btable\s+|/t/)(?:[2-9a-hjkmnp-z]-?){8,9}(?![0-9a-z])", re.IGNORECASE)
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


def without_typed_codes(line: str) -> str:
    """Return a client's line with ``***`` in the place of what may be an invitation code, as in ``Mika cup:CODE``."""
    return _TYPED_INVITATION.sub(rf"\g<1>{REDACTED}", line)


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
