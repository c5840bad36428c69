"""A game whose players have their seats, ready for its table."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version

from ump.model.commitments import DuplicateGame, PlayerSeed, commitment_of
from ump.model.seats import Seat
from ump.model.value import value
from ump.record.journal import JournalHeader
from ump.server.journal_folder import began_at
from ump.server.player_connection import PlayerConnection
from ump.server.seat_tokens import hash_of, new_token, return_hash
from ump.server.seating import journal_player
from ump.server.seed_exchange import Seated
from ump.server.settings import RoomSettings
from ump.table.opening import Opening
from ump.wire.session import TableInfo

SERVER = f"ump {version('ump')}"
"""The name and version of the program, for records."""


@value
class NewGame:
    """A game whose players have their seats, before its table is created."""

    settings: RoomSettings
    """Those of its room when it began."""
    name: str
    secret: str
    """The secret from which every wall is made."""
    seating: Mapping[Seat, Seated]
    seeds: tuple[PlayerSeed | None, ...] = ()
    """What the players add to the walls, by seat; empty if nobody does."""
    duplicate: DuplicateGame | None = None
    """Its place among the games with these walls; None: no other game has them."""

    @property
    def players(self) -> dict[Seat, PlayerConnection]:
        """The players with connections, by seat; some may be gone."""
        return {seat: player for seat, player in self.seating.items() if isinstance(player, PlayerConnection)}

    @property
    def connected(self) -> dict[Seat, PlayerConnection]:
        """The players with connections who are not gone, by seat."""
        return {seat: player for seat, player in self.players.items() if not player.is_gone}


@value
class PreparedGame:
    """Everything that a table needs besides its players' connections."""

    header: JournalHeader
    """The opening of the game, and who plays it."""
    infos: Mapping[Seat, TableInfo]
    """The information that the connected players receive when they sit down."""
    keeps_game: bool
    """Whether a player may come back who is then told the whole game."""
    show_delay: int | None
    """Seconds after which spectators see the table with all hidden tiles; None: they see it at once, without them."""

    @property
    def opening(self) -> Opening:
        """The opening of the game."""
        return self.header.opening

    @property
    def returning(self) -> dict[Seat, str]:
        """The hashes by which players can come back, by seat."""
        return {seat: player.token for seat, player in enumerate(self.header.players) if player.token is not None}


def prepared(game: NewGame, now: float) -> PreparedGame:
    """Give tokens to the players of a new game, and write down what all players receive.

    ``now`` is the time in seconds since 1970. A user comes back by another login, and needs no token.
    """
    settings, connected = game.settings, game.connected
    clients = {seat: player.connection for seat, player in connected.items()}
    tokens = {seat: new_token() for seat, each in clients.items() if each.session.wants_token and each.user is None}
    known = {seat: return_hash(player.connection, player.name) for seat, player in connected.items()}
    hashes = {seat: hash_of(token) for seat, token in tokens.items()}
    hashes |= {seat: each for seat, each in known.items() if each is not None}
    commitment = commitment_of(game.secret)
    infos = {
        seat: TableInfo(
            game.name,
            settings.ruleset,
            tokens.get(seat),
            commitment,
            hints=settings.table.hints,
            seeds=game.seeds,
            duplicate=game.duplicate,
        )
        for seat in connected
    }
    players = tuple(journal_player(player, hashes.get(seat)) for seat, player in sorted(game.seating.items()))
    return PreparedGame(
        JournalHeader(_opening(game), settings.name, began_at(now), SERVER, players),
        infos,
        keeps_game=any(clients[seat].session.TELLS_WHOLE_GAME for seat in hashes),
        show_delay=settings.spectators.delay,
    )


def _opening(game: NewGame) -> Opening:
    """Return the opening of a game whose players have their seats."""
    settings, connected = game.settings, game.connected
    return Opening(
        name=game.name,
        ruleset=settings.ruleset,
        players=tuple(player.name for _, player in sorted(game.seating.items())),
        secret=game.secret,
        times=settings.times,
        clients=tuple(seat for seat, player in game.players.items() if player.is_client),
        retries=tuple(
            connected[seat].connection.session.RETRIES if seat in connected else 0 for seat in sorted(game.seating)
        ),
        settings=settings.table,
        seeds=game.seeds,
        duplicate=game.duplicate,
    )
