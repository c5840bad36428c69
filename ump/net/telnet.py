"""The two commands of telnet that the server sends (RFC 854 and 857): around a password, to a person at a prompt.

A client of telnet says nothing before a server's first command, unless it was given no port. So it cannot be told from
``nc``, which shows these bytes.
"""

from __future__ import annotations

WILL_ECHO = b"\xff\xfb\x01"
"""The server offers to show what is typed. A client of telnet then does not; nor does the server."""

WONT_ECHO = b"\xff\xfc\x01"
"""The client shows again what is typed."""
