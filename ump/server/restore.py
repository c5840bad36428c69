"""Restores the table of a recorded game, exactly as it was after its last step."""

from __future__ import annotations

from collections.abc import Iterable

from ump.players.policy import POLICIES
from ump.record.journal import Journal, JournalError, JournalHeader, PlayerKind
from ump.table.receivers import BuiltinBot, Receiver, SeatedBot, replacements
from ump.table.table_host import TableHost


def restored(journal: Journal, others: Iterable[Receiver] = (), *, keeps_game: bool = False) -> TableHost:
    """Return the host of a recorded game after its last step, with its built-in bots; ``others`` observe it.

    It begins at the last kyoku, whose start the journal describes, and takes the recorded inputs again. With
    ``keeps_game`` it begins with the game, whose journal must be whole, and keeps all events for returning clients.
    Clients' seats have no receiver yet. Raises JournalError if the inputs have other consequences than those on record.
    """
    opening = journal.header.opening
    first = None if keeps_game else journal.last_start
    start = None if first is None else journal.steps[first].start
    table = opening.table(None if start is None else start.standing)
    takeover = opening.settings.takeover
    if takeover not in (None, *POLICIES):
        raise JournalError(f"unknown built-in bot {takeover!a}")
    receivers = [*_bots(journal.header), *others]
    host = TableHost(table, receivers, opening.bot_delays(), replacements(opening), keeps_game=keeps_game)
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
            yield SeatedBot(BuiltinBot(POLICIES[player.speaks](), seat, header.opening.ruleset), seat)
