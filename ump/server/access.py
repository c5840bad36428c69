"""The clients that may enter a room: all, users, or those that know its invitation code."""

from __future__ import annotations

import hmac

from ump.model.value import value

USERS_ONLY = "this room is for users of this server; log in"
"""What a client without a login hears."""

CODE_NEEDED = "this room is for invited players; name it as ROOM:CODE"
"""What a client hears that gives no code."""

WRONG_CODE = "wrong invitation code"
"""What a client hears that gives another code."""


@value
class Access:
    """The clients that may enter a room, to play or to watch. A login and a code may both be needed."""

    is_for_users: bool = False
    """Whether only users who have logged in may enter."""
    code: str | None = None
    """The invitation code; None: none is needed."""

    @property
    def kind(self) -> str:
        """How the room is listed: ``open``, ``users``, ``code`` or ``users+code``."""
        kinds = [*(["users"] if self.is_for_users else []), *(["code"] if self.code is not None else [])]
        return "+".join(kinds) or "open"

    def refusal(self, user: str | None, code: str) -> str | None:
        """Return why a client may not enter, or None; ``code`` is "" if it gave none."""
        if self.is_for_users and user is None:
            return USERS_ONLY
        if self.code is None:
            return None
        if not code:
            return CODE_NEEDED
        if not hmac.compare_digest(code.encode(), self.code.encode()):
            return WRONG_CODE
        return None


OPEN = Access()
"""The access of a room that is open to everybody."""
