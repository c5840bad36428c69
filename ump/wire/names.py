"""Names that come from outside: of clients and rooms. They are shown on terminals, and stand in records."""

from __future__ import annotations

import re

from ump.wire.text import WireError

MAX_NAME = 32
"""Characters of a name: it stands in every client's list of players, and in records."""

_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, line separators, those that turn the direction of text, and halves of characters."""


def check_name(text: str, option: str) -> str:
    """Return a text that names somebody or something; raises WireError unless it is a decent one."""
    if not text.strip() or len(text) > MAX_NAME or _CONTROLS.search(text):
        raise WireError(f"{option} wants 1 to {MAX_NAME} characters, none of them a control character")
    return text
