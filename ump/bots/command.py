"""The command line of a bot: ``run(MyBot)``."""

from __future__ import annotations

import argparse
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from signal import SIGINT

from ump.bots.bot import Bot
from ump.bots.links import STREAMS, AddressError, read_address
from ump.bots.player import BotFault
from ump.bots.protocols import PROTOCOLS
from ump.bots.session import RETRY_SECONDS, ClientOptions, PlayedGames, play
from ump.model.seats import Ranking
from ump.rules.presets import PRESETS
from ump.wire.names import check_name
from ump.wire.text import WireError


def run(make_bot: Callable[[], Bot], arguments: Sequence[str] | None = None, *, name: str | None = None) -> None:
    """Read the command line, play, and exit the process; ``make_bot`` is a class of bots or makes one.

    ``arguments`` replaces ``sys.argv``, and ``name`` the name to play under without ``--name``: the class's own, in
    lower case. The exit status is 0 if all games were played and no answer was refused or replaced, 1 if something
    failed (one line says what), 2 for a wrong command line, 130 after Ctrl-C.
    """
    options = _parser(make_bot, name).parse_args(arguments)
    announce = _print_nothing if options.server == STREAMS else _print_ranking
    try:
        outcome = play(make_bot(), _client_options(options), _report, announce)
    except (AddressError, WireError) as error:
        _report(str(error))
        sys.exit(2)
    except BotFault as fault:
        _report(f"the bot has failed: {fault}")
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(128 + SIGINT)  # as shells report it
    _finish(outcome)


def _finish(outcome: PlayedGames) -> None:
    """Report what went wrong, and exit."""
    if outcome.failure is not None:
        _report(outcome.failure)
    if outcome.faults:
        _report(f"{outcome.faults} of the bot's decisions failed and were replaced")
    if outcome.refusals:
        _report(f"the server has refused {outcome.refusals} answers")
    sys.exit(1 if outcome.failure is not None or outcome.faults or outcome.refusals else 0)


def _report(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _print_ranking(ranking: Ranking) -> None:
    print(ranking, flush=True)


def _print_nothing(ranking: Ranking) -> None:
    """Print nothing: standard output carries the messages, and the program at the other end knows the result."""


def _client_options(options: argparse.Namespace) -> ClientOptions:
    """Return the options of the client; raises AddressError or WireError."""
    for name in ("name", "room"):
        if getattr(options, name) is not None:
            check_name(getattr(options, name), f"--{name}")
    address = read_address(options.server)
    return ClientOptions(
        address,
        options.name,
        options.protocol,
        options.room or (address.path or None if address.scheme == "mjsonp" else None),
        options.games,
        options.user,
        options.password or os.environ.get("UMP_PASSWORD"),
        options.token or os.environ.get("UMP_TOKEN"),
        None if options.rules is None else PRESETS[options.rules],
        options.strict,
        options.retry,
        options.seed,
    )


def _parser(make_bot: Callable[[], Bot], name: str | None) -> argparse.ArgumentParser:
    name = name or getattr(make_bot, "__name__", "bot").lower()
    parser = argparse.ArgumentParser(description=inspect.getdoc(make_bot) if inspect.isclass(make_bot) else None)
    parser.add_argument(
        "server",
        metavar="SERVER",
        help="HOST:PORT (UMP), mjsonp://HOST:PORT (mjai), ws://HOST:PORT/PATH (WebSocket), or - (standard streams)",
    )
    parser.add_argument("--protocol", choices=PROTOCOLS, help="the protocol; by default the usual one of the address")
    parser.add_argument("--name", default=name, help=f"the name to play under (default: {name})")
    parser.add_argument("--room", help="the room to play in; by default the server chooses")
    parser.add_argument(
        "--games", type=_count, default=1, metavar="N", help="number of games; 0: no limit (default: 1)"
    )
    parser.add_argument("--user", help="user name, for servers that ask for it")
    parser.add_argument("--password", help="password; other users can see it, so better set UMP_PASSWORD")
    parser.add_argument("--token", help="bearer token for WebSockets; better set UMP_TOKEN")
    parser.add_argument(
        "--rules", choices=sorted(PRESETS), help="rules of the legal actions; by default those of the server"
    )
    parser.add_argument(
        "--retry",
        type=float,
        default=RETRY_SECONDS,
        metavar="SECONDS",
        help=f"how long to try again after a lost connection (default: {RETRY_SECONDS:.0f})",
    )
    parser.add_argument(
        "--seed", action="store_true", help="add random bits to the walls, and check what the server reveals (UMP)"
    )
    parser.add_argument("--strict", action="store_true", help="end at the first fault of the bot, with a traceback")
    return parser


def _count(text: str) -> int:
    count = int(text)
    if count < 0:
        raise argparse.ArgumentTypeError("must not be negative")
    return count
