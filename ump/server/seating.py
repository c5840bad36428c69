"""What a new table makes of its seats: receivers of its events, and players as its record names them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ump.model.seats import Seat
from ump.players.policy import POLICIES
from ump.record.journal import JournalHeader, JournalPlayer, PlayerKind
from ump.server.player_connection import PlayerConnection
from ump.server.seed_exchange import Seated
from ump.table.receivers import BuiltinBot, EventLog, LogKeeper, Receiver, SeatedBot, SeatedClient


def journal_player(player: Seated, token_hash: str | None) -> JournalPlayer:
    """Return a player as the record of its game names it, with the hash by which it comes back."""
    if not isinstance(player, PlayerConnection):
        return JournalPlayer(PlayerKind.BOT, player.kind)
    session = player.connection.session
    kind = PlayerKind.CLIENT if player.is_client else PlayerKind.CHILD
    return JournalPlayer(kind, session.DIALECT, token_hash)


def receivers(
    header: JournalHeader, connected: Mapping[Seat, PlayerConnection], logs: Iterable[EventLog]
) -> Iterator[Receiver]:
    """Yield the receivers of a table: one for each seat, unless its player is gone, and one for each of its logs."""
    for seat, player in enumerate(header.players):
        if player.kind is PlayerKind.BOT:
            yield SeatedBot(BuiltinBot(POLICIES[player.speaks](), seat, header.opening.ruleset), seat)
        elif seat in connected:
            yield SeatedClient(connected[seat].connection, seat)
    yield from map(LogKeeper, logs)
