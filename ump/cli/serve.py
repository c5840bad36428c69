"""The command ``ump serve``: the server of ``twist ump-server``, with help and completion like the other commands.

The options, and Twisted, are imported only when they are needed, so that the other commands need not wait for them.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from ump.server.settings import ServerOption, ServerSettings

PATHS = {"FILE": "file", "FOLDER": "dir"}
"""The kind of words that a shell completes for options with these placeholders."""


class ServeError(click.ClickException):
    """A server that cannot start; the message is one line."""

    exit_code = 1


class ServerClickOption(click.Option):
    """One option of the server, as the table of all options describes it. Its value are the texts that were given."""

    def __init__(self, described: ServerOption[Any]) -> None:
        self.described = described
        kind = described.kind
        if kind.metavar:
            super().__init__(
                [f"--{described.name}"], multiple=True, metavar=kind.metavar, help=described.full_help, default=None
            )
        else:
            super().__init__([f"--{described.name}"], is_flag=True, help=described.full_help)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the values that begin like this; for files and folders, the shell finds them."""
        kind = self.described.kind
        if kind.metavar in PATHS:
            return [CompletionItem(incomplete, type=PATHS[kind.metavar])]
        return [CompletionItem(word) for word in kind.words if word.startswith(incomplete)]


class ServeCommand(click.Command):
    """A command with all options of the server. Its mistakes end with one line and status 1."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the options of the server, then the others."""
        from ump.server.settings import all_options

        return [*map(ServerClickOption, all_options()), *super().get_params(ctx)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the command line; raises ServeError for a mistake."""
        from ump.server.config import misused_option, unknown_option
        from ump.server.settings import all_options

        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise ServeError(unknown_option(error.option_name, all_options())) from None
        except click.BadOptionUsage as error:
            raise ServeError(misused_option(error.option_name, all_options())) from None
        except click.UsageError as error:
            raise ServeError(error.format_message().rstrip(".")) from None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in groups."""
        from ump.server.settings import Group

        groups: defaultdict[Group | None, list[click.Parameter]] = defaultdict(list)
        for param in self.get_params(ctx):
            groups[param.described.group if isinstance(param, ServerClickOption) else None].append(param)
        for group in (*Group, None):
            with formatter.section("Other options" if group is None else group.value):
                formatter.write_dl(_help_records(ctx, groups[group]))


def _help_records(ctx: click.Context, params: Iterable[click.Parameter]) -> list[tuple[str, str]]:
    """Return what the help says about some options."""
    return [record for param in params if (record := param.get_help_record(ctx)) is not None]


@click.command(
    cls=ServeCommand,
    short_help="Run a server for bots and people.",
    epilog="""\b
Examples:
  ump serve --house efficiency:3
  ump serve --listen tcp:19000 --rules mleague --set kuitan=no --time 5+10
  ump serve --config ump.toml --verbose

\b
Exit status: 0 after the last of --games, 1 if the server cannot start,
130 after Ctrl-C.""",
)
@click.option(
    "--verbose", is_flag=True, help="Log refused answers, dropped lines and what bots print, too. It reveals tiles."
)
def serve(verbose: bool, **given: Any) -> None:
    """Run a server, in the foreground. It is the same as twist ump-server.

    Without --config, --room, --house or --rated it has a room for each length of a game, with built-in bots, and one
    without. It listens on 127.0.0.1. Ctrl-C ends it. docs/server.md describes everything.
    """
    run_server(given, is_verbose=verbose)


def run_server(given: Mapping[str, Any], *, is_verbose: bool) -> None:
    """Run the server that these options describe until it ends; raises ServeError if it cannot start.

    ``given`` has the texts of each option by its key, or whether a switch is on.
    """
    from ump.server.config import DEFAULT_FILE, DESCRIBE_ROOMS, read_command_line, server_settings
    from ump.server.settings import ConfigError, all_options

    texts = {}
    for option in all_options():
        value = given[option.key]
        texts[option.name] = ([""] if value else []) if isinstance(value, bool) else list(value or ())

    if not any(texts[name] for name in DESCRIBE_ROOMS):
        texts["config"] = [DEFAULT_FILE]

    def settings_again() -> ServerSettings:
        """Return the settings for the command line as its files are now; raises ConfigError."""
        return server_settings(read_command_line(texts, all_options()))

    try:
        settings = settings_again()
    except ConfigError as error:
        raise ServeError(str(error)) from None
    _run(settings, settings_again, is_verbose=is_verbose)


def install_reactor() -> None:
    """Install the reactor that serves players first where there is epoll; elsewhere Twisted's default stays."""
    if hasattr(select, "epoll"):
        from ump.net.reactor import install

        install()


def _run(settings: ServerSettings, settings_again: Callable[[], ServerSettings], *, is_verbose: bool) -> None:
    """Run a server in the foreground, with its log on standard output; if a signal ends it, die of the signal."""
    install_reactor()
    from twisted.internet import reactor as installed
    from twisted.logger import LogLevel, globalLogBeginner

    from ump.net.listener import PortError
    from ump.server.journals import FolderError
    from ump.server.log_file import from_level
    from ump.server.service import Server
    from ump.server.settings import ConfigError
    from ump.server.tap import escape_unwritable, print_banner

    reactor: Any = installed
    escape_unwritable(sys.stdout, sys.stderr)

    def welcome(text: str) -> None:
        """Print the banner, and then begin the log."""
        print_banner(text)
        level = LogLevel.debug if is_verbose else LogLevel.info
        globalLogBeginner.beginLoggingTo([from_level(level, settings.log.form.observer(sys.stdout))])

    server = Server(settings, reactor, welcome, settings_again)
    try:
        server.open_log()
        server.open_records()
        server.startService()
    except (FolderError, ConfigError) as error:
        raise ServeError(str(error)) from None
    except PortError as error:
        raise ServeError(error.reason) from None
    reactor.addSystemEventTrigger("before", "shutdown", server.stopService)
    reactor.run()
    if (number := getattr(reactor, "_exitSignal", None)) is not None:  # as twist does
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
