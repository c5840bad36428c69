"""Plays the games of one bot: connects, converses, and connects again where the protocol lets it.

A client that loses its connection during a game takes its seat back with the token that the server has given it.
"""

from __future__ import annotations

import argparse
import inspect
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields
from functools import partial
from signal import SIGINT
from typing import Any

from ump.bots.bot import Announce, Bot, BotFault, BotPlayer, Report, ignore
from ump.bots.conversations import (
    PROTOCOLS,
    ClientFacts,
    Conversation,
    Protocol,
    WallCheck,
    check_port,
    open_link,
    protocol_of,
)
from ump.bots.links import (
    GREETING_SECONDS,
    STREAMS,
    Address,
    AddressError,
    Link,
    LinkError,
    read_address,
    wrong_service,
)
from ump.model.seats import Ranking
from ump.model.setting import Setting, setting, setting_of
from ump.model.value import value
from ump.rules.options import read_ruleset
from ump.rules.ruleset import Ruleset
from ump.wire.names import check_name
from ump.wire.session import MAX_GAMES, ServerRefusal
from ump.wire.text import WireError

RETRY_SECONDS = 120.0
"""Default for how long to try to connect again after a lost connection, in seconds."""

LONGEST_PAUSE = 15.0
"""Maximum pause between two attempts, in seconds; the first is one second, and each is twice as long as the last."""

LINGER_SECONDS = 2.0
"""Seconds to wait for the server to close after the last game."""

MAX_UNREADABLE = 20
"""The number of unreadable messages that are ignored on a connection."""


@value
class ClientOptions:
    """The options of a client: where a bot plays, and how."""

    address: Address
    protocol: str | None = setting(
        None, "The protocol; by default the usual one of the address.", choices={name: name for name in PROTOCOLS}
    )
    name: str = setting("bot", "The name to play under.")
    room: str | None = setting(None, "The room to play in; by default the server chooses.")
    games: int = setting(1, "Number of games; 0: no limit.", least=0, most=MAX_GAMES)
    user: str | None = setting(None, "User name, for servers that ask for it.")
    password: str | None = setting(None, "Password; other users of this machine can see it.", variable="UMP_PASSWORD")
    token: str | None = setting(None, "Bearer token for WebSockets.", variable="UMP_TOKEN")
    retry: float = setting(RETRY_SECONDS, "How long to try again after a lost connection.", metavar="SECONDS", least=0)
    """Seconds of pauses; 0: not at all."""
    rules: Ruleset | None = setting(
        None,
        "Rules for the bot's legal actions; by default those of the server.",
        metavar="PRESET",
        read=read_ruleset,
    )
    """The rules where the server lists no legal actions; None: those that it names, or ``ump``."""
    is_strict: bool = False
    """Whether a fault of the bot ends the program."""
    seed: bool = False
    """Whether the client adds randomness of its own to the walls, and checks what the server reveals (UMP)."""


@value
class PlayedGames:
    """The result of the games."""

    games: int
    """The number of games that were played to their end."""
    refusals: int
    """The number of answers that the server has refused, as far as it says so."""
    faults: int
    """The number of the bot's decisions that were replaced by the default."""
    failure: str | None
    """Why the client gave up; None if it did not."""


class ConnectionCut(Exception):
    """The connection ended before the games were over."""


def play(
    bot: Bot,
    options: ClientOptions,
    report: Report = print,
    announce: Announce = ignore,
    sleep: Callable[[float], None] = time.sleep,
) -> PlayedGames:
    """Play until the games are over or the client has to give up.

    ``report`` takes messages about faults, ``announce`` the ranking at the end of each game. Raises AddressError if
    the address and the protocol do not fit, and BotFault if the bot fails and the options are strict.
    """
    player = BotPlayer(bot, report, announce, rules=options.rules, is_strict=options.is_strict)
    protocol = protocol_of(options.address, options.protocol)
    failure = _Rounds(player, protocol, options, sleep).play()
    return PlayedGames(player.games, player.refusals, player.faults, failure)


class _Rounds:
    """One connection after the other."""

    def __init__(
        self, player: BotPlayer, protocol: Protocol, options: ClientOptions, sleep: Callable[[float], None]
    ) -> None:
        self._player = player
        self._protocol = protocol
        self._options = options
        self._walls = WallCheck(player.report) if options.seed else None
        self._sleep = sleep
        self._may_retry = False
        """Whether another attempt makes sense: the server has been reached, and has not refused the client."""
        self._slept = 0.0
        """Seconds of pauses since the bot last had something to decide, or finished a game."""

    def play(self) -> str | None:
        """Play all games; return why the client gave up, or None."""
        while True:
            before, decisions = self._player.games, self._player.decisions
            failure = self._connect()
            if self._is_done() or self._options.address.scheme == STREAMS:
                return None if self._is_done() else failure
            if self._player.games > before or self._player.decisions > decisions:
                self._slept = 0.0
            if failure is None and self._player.games > before:
                continue
            failure = failure or "the server has ended the connection before a game was over"
            if not self._may_retry or not self._pause(failure):
                return failure

    def _is_done(self) -> bool:
        return 0 < self._options.games <= self._player.games

    def _pause(self, failure: str) -> bool:
        """Wait before the next attempt; return False if it is time to give up."""
        pause = min(LONGEST_PAUSE, 2.0 ** int(self._slept).bit_length())
        if self._slept + pause > self._options.retry:
            return False
        self._player.report(f"{failure}; connecting again in {pause:.0f} s")
        self._sleep(pause)
        self._slept += pause
        return True

    def _connect(self) -> str | None:
        """Play over one connection; return why it ended if that was not expected."""
        options = self._options
        try:
            link = open_link(options.address, self._protocol, name=options.name, token=options.token, room=options.room)
        except LinkError as error:
            return str(error)
        except OSError as error:
            return f"no connection to {options.address}: {error.strerror or error}"
        self._may_retry = self._may_retry or options.address.is_web_socket  # its handshake has shown a server
        introduction = self._introduction()
        conversation = self._protocol.converse(self._player, introduction)
        self._player.is_in_game = False
        try:
            self._converse(link, conversation)
        except (BotFault, KeyboardInterrupt):
            with suppress(OSError):  # the server may have gone
                link.expect(LINGER_SECONDS)
                link.send(conversation.leave())
            raise
        except ServerRefusal as refusal:
            self._may_retry = self._may_come_again(refusal, is_return=introduction.seat_token is not None)
            return f"the server says: {refusal}"
        except LinkError as error:
            return str(error)
        except (ConnectionCut, OSError) as error:
            return f"lost the connection: {error}"
        except ValueError as error:
            self._may_retry = False
            return f"{options.address} does not speak {self._protocol.name}: {error}"
        finally:
            link.close()
        return None

    def _may_come_again(self, refusal: ServerRefusal, *, is_return: bool) -> bool:
        """Tell whether a server that has refused the client may let it in when it tries again."""
        if is_return and refusal.is_about_token:
            self._player.seat_token = None  # the game went on without the bot and is over; it begins a new one
            return True
        return (is_return or self._player.is_in_game) and not refusal.is_final

    def _introduction(self) -> ClientFacts:
        options, token = self._options, self._player.seat_token
        if token is not None:
            user, password = options.user, options.password
            return ClientFacts(options.name, user=user, password=password, seat_token=token, walls=self._walls)
        left = options.games and options.games - self._player.games
        return ClientFacts(options.name, options.room, left, options.user, options.password, walls=self._walls)

    def _converse(self, link: Link, conversation: Conversation) -> None:
        """Pass messages on until the conversation is over and the server has closed."""
        link.send(conversation.begin())
        link.expect(None if self._protocol.speaks_first else GREETING_SECONDS)
        unreadable = 0
        while (message := self._next(link, conversation)) is not None:
            try:
                answers = conversation.receive(message)
            except WireError as error:
                unreadable += 1
                self._check_service(conversation, message)
                if not conversation.is_greeted or unreadable > MAX_UNREADABLE:
                    raise
                self._player.report(f"ignored a message: {error}")
                continue
            if answers:
                link.send(answers)
            self._may_retry = self._may_retry or conversation.is_greeted
            if conversation.is_over:
                link.expect(LINGER_SECONDS)

    def _check_service(self, conversation: Conversation, first: str) -> None:
        """Raise LinkError if a server that lets the client speak first turns out to be another one."""
        service = self._protocol.service
        if service is not None and not self._protocol.speaks_first and not conversation.is_greeted:
            raise LinkError(wrong_service(first.encode(), service, str(self._options.address)))

    def _next(self, link: Link, conversation: Conversation) -> str | None:
        """Return the next message; None if the conversation has ended as it should."""
        try:
            message = link.receive()
        except OSError as error:
            if conversation.is_over:
                return None
            if not isinstance(error, TimeoutError):
                raise
            check_port(self._options.address, self._protocol)
            self._may_retry = True  # the server is there, and lets the client wait
            link.expect(None)
            message = link.receive()
        may_end = conversation.is_over or self._options.address.scheme == STREAMS
        if message is None and not may_end:
            if not self._may_retry:
                self._check_service(conversation, "")
            raise ConnectionCut("the server has closed it")
        return message


# The command line of a bot: ``run(MyBot)``.


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
    given = dict(vars(options))
    address = read_address(given.pop("server"))
    if address.scheme == "mjsonp":
        given["room"] = options.room or address.path or None
    return ClientOptions(address, **given)


def _parser(make_bot: Callable[[], Bot], name: str | None) -> argparse.ArgumentParser:
    name = name or getattr(make_bot, "__name__", "bot").lower()
    parser = argparse.ArgumentParser(description=inspect.getdoc(make_bot) if inspect.isclass(make_bot) else None)
    parser.add_argument(
        "server",
        metavar="SERVER",
        help="HOST:PORT (UMP), mjsonp://HOST:PORT (mjai), ws://HOST:PORT/PATH (WebSocket), or - (standard streams)",
    )
    for described in fields(ClientOptions):
        about = setting_of(described)
        if about is not None:
            default = name if described.name == "name" else described.default
            _add_option(parser, described.name, default, about)
    parser.add_argument(
        "--seed", action="store_true", help="Add random bits to the walls, and check what the server reveals (UMP)."
    )
    parser.add_argument(
        "--strict",
        dest="is_strict",
        action="store_true",
        help="End at the first fault of the bot, with a traceback.",
    )
    return parser


def _add_option(parser: argparse.ArgumentParser, name: str, default: Any, about: Setting) -> None:
    """Add the option for one field of ClientOptions, as its description says."""
    note = ""
    if about.variable:
        note = f" Better set {about.variable}."
    elif default is not None:
        note = f" (default: {default})"
    parser.add_argument(
        f"--{name}",
        type=_type_of(default, about),
        default=os.environ.get(about.variable) if about.variable else default,
        choices=about.choices,
        metavar=about.metavar or None,
        help=about.help + note,
    )


def _type_of(default: Any, about: Setting) -> Callable[[str], Any]:
    """Return what reads the text of an option: its description decides, or else the type of its default."""
    if about.read is not None:
        return partial(_read, about.read)
    if isinstance(default, int):
        return _count
    return float if isinstance(default, float) else str


def _read(read: Callable[[str], Any], text: str) -> Any:
    """Return what a text stands for; raise the error of argparse that shows the reason."""
    try:
        return read(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _count(text: str) -> int:
    count = int(text)
    if count < 0:
        raise argparse.ArgumentTypeError("must not be negative")
    return count
