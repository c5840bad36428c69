"""Limits: every bound of the HTTP side, with its reason."""

from __future__ import annotations

MAX_BODY = 100_000
"""Bytes of a request's body: an answer of 64 KiB, the longest that any dialect reads, in its wrapping."""

MAX_HEADERS = 64
"""Header lines of a request; browsers send about twenty."""

MAX_HEAD = 8 * 1024
"""Bytes of a request's first line and headers together."""

MAX_LENGTH_DIGITS = 15
"""Digits of a body's length; far longer ones would be no number to Python."""

REQUEST_SECONDS = 60
"""Until a request has come whole: from the connection's beginning, or from the end of the request before it."""

MAX_CHANNELS = 10_000
"""Streams of HTTP at the same time: two for each client that polls, and some that browsers keep for later."""

MAX_UNPOLLED = 256 * 1024
"""Bytes kept for a client that does not poll; one message more is kept, because a record comes in one piece."""

MAX_LOGINS = 10_000
"""Who has logged in; of those without a connection the oldest is forgotten first."""

MAX_SECRET = 256
"""Characters of the longest password that is read, as in a hello."""

PING_INTERVAL = 25
"""Seconds between two signs that somebody listens, as Socket.IO's servers have it; proxies cut silence at 60."""

PING_TIMEOUT = 20
"""Seconds in which a client that polls must answer a ping."""
