"""From a table to its journal and back: a table is restored exactly as it was after its last recorded step."""

from __future__ import annotations

from collections.abc import Iterable

from ump.host.bot_delay import BotDelay
from ump.host.builtin_bots import BuiltinBot
from ump.host.opening import Opening
from ump.host.receivers import Receiver, SeatedBot
from ump.host.table_host import TableHost
from ump.players.policy import POLICIES
from ump.record.journal.header import JournalHeader, JournalPlayer, PlayerKind
from ump.record.journal.journal_error import JournalError
from ump.record.journal.journal_file import Journal
from ump.record.journal.journal_replay import table_of


def header_of(
    opening: Opening, room: str, began: str, server: str, players: tuple[JournalPlayer, ...]
) -> JournalHeader:
    """Return the header of the journal of a new game, which began at an instant in ISO 8601."""
    return JournalHeader(
        game=opening.name,
        room=room,
        began=began,
        server=server,
        ruleset=opening.ruleset,
        times=opening.times,
        faults=opening.faults,
        ask_all=opening.ask_all,
        grace=opening.grace,
        takeover=opening.takeover,
        bot_delay=str(opening.bot_delay),
        players=players,
        secret=opening.secret,
    )


def opening_of(header: JournalHeader) -> Opening:
    """Return the settings of a table from its journal."""
    return Opening(
        name=header.game,
        ruleset=header.ruleset,
        players=tuple(player.name for player in header.players),
        secret=header.secret,
        times=header.times,
        clients=tuple(seat for seat, player in enumerate(header.players) if player.kind is PlayerKind.CLIENT),
        retries=tuple(player.retries for player in header.players),
        faults=header.faults,
        ask_all=header.ask_all,
        grace=header.grace,
        takeover=header.takeover,
        bot_delay=BotDelay.parse(header.bot_delay),
    )


def restored(journal: Journal, others: Iterable[Receiver] = ()) -> TableHost:
    """Return the host of a recorded game after its last step, with its built-in bots; ``others`` observe it.

    It begins at the last kyoku, whose start the journal describes, and takes the recorded inputs again. Clients' seats
    have no receiver yet. Raises JournalError if the inputs have other consequences than the recorded ones.
    """
    opening = opening_of(journal.header)
    first = journal.last_start
    start = None if first is None else journal.steps[first].start
    table = table_of(journal.header, None if start is None else start.standing)
    host = TableHost(table, [*_bots(journal.header), *others], opening.bot_delays(), opening.replacement)
    rest = journal.steps
    try:
        if first is not None and start is not None:
            host.resume(start, journal.steps[first].now)
            rest = journal.steps[first + 1 :]
        for step in rest:
            host.replay(step.entries, step.now)
    except ValueError as error:
        raise JournalError(str(error)) from error
    return host


def _bots(header: JournalHeader) -> Iterable[SeatedBot]:
    """Yield the built-in bots; raises JournalError for an unknown policy."""
    for seat, player in enumerate(header.players):
        if player.kind is PlayerKind.BOT:
            if player.speaks not in POLICIES:
                raise JournalError(f"unknown built-in bot {player.speaks!a}")
            yield SeatedBot(BuiltinBot(POLICIES[player.speaks](), seat, header.ruleset), seat)
