"""The client's side of every protocol: a bot is a class with one method, ``decide``.

    from ump.bots.bot import Bot
    from ump.bots import run

``docs/client.md`` explains it with examples. A ``Conversation`` speaks one protocol and is a state machine without
input or output; ``links`` carries their messages over blocking sockets and standard streams, and
``session`` connects, plays and connects again. Nothing here uses Twisted.
"""

from ump.bots.bot import Bot, Legal
from ump.bots.links import read_address
from ump.bots.session import ClientOptions, play, run

__all__ = ["Bot", "ClientOptions", "Legal", "play", "read_address", "run"]
