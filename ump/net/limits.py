"""Limits: every bound that the network side sets, with its reason."""

from __future__ import annotations

from ump.model.value import value

MAX_UNSENT = 64 * 1024
"""Bytes kept for a peer that does not read, beside the 64 KiB of the transport: together a whole hanchan."""

IDLE_PER_SECOND = 1_000
"""Lines that answer nothing, from one client in one second. They cost some microseconds each; answers are not
counted, because each of them needs a question first."""

IDLE_BYTES = 1_024
"""Bytes of a message that answers nothing that count as one such line: the longest of UMP is one, a long one of JSON is
sixty."""

HELLO_SECONDS = 60
"""Until the hello: as the protocol page says; long enough to type it."""

CLOSE_SECONDS = 5
"""Until a closing connection that does not take its last bytes is cut."""

DRAIN_SECONDS = 8
"""Until a stopping server cuts who is still connected: longer than CLOSE_SECONDS, shorter than the 10 seconds that
containers grant."""

LOGOUT_SECONDS = 1
"""From the end of a quota until the ports close: who has polled logs out with a request of its own."""

QUIT_SECONDS = 3
"""From the end of its standard input until a bot is asked to end (SIGTERM): time to write down what it has learnt."""

KILL_SECONDS = 3
"""From then on until it is killed. Both together are shorter than DRAIN_SECONDS."""

PIPE_SECONDS = 1
"""From the end of a bot until the pipes that its own children still hold are closed."""

PLACE_SECONDS = 5
"""How often a table that only bots could complete looks whether one more may be started."""

SILENT_SECONDS = 60
"""Until a bot that was asked by another's server, and says nothing, is given up."""

MAX_TAIL = 8 * 1024
"""Bytes that are kept of what a bot wrote to its standard error, for the report of its end."""

MAX_LOGGED = 1_000
"""Lines of a bot's standard error that are logged, so that a loop in it does not keep the server busy."""


@value
class Limits:
    """How many may be connected at the same time."""

    connections: int = 4_000
    """In all; a thousand full tables."""
    per_host: int = 1_000
    """From one address: generous, because bots come in dozens from one machine."""
    unseated: int = 1_000
    """Connected without playing: before their hello, waiting, watching."""
    children: int = 64
    """Bots that the server itself has started."""
