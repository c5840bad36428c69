"""The board: everything that lies on the table in one kyoku, hidden tiles included. Facts, no moves."""

from __future__ import annotations

from collections.abc import Sequence

from ump.model.events import DrawReason
from ump.model.hand import Hand
from ump.model.melds import Meld
from ump.model.seats import Seat, wind_of
from ump.model.tiles import Face, Kind
from ump.model.yaku import HandValue
from ump.rules.analysis import waits_and_tenpai_draws
from ump.rules.payments import Pao, liabilities
from ump.rules.ruleset import OwnCopies, Ruleset
from ump.rules.score import Circumstances, hand_value
from ump.rules.wall import Wall


class Player:
    """One seat's side of the board."""

    __slots__ = (
        "discarded",
        "hand",
        "ippatsu",
        "opened",
        "pao",
        "riichi",
        "riichi_furiten",
        "rinshan_from",
        "river",
        "river_called",
        "temporary_furiten",
        "tenpai_draws",
        "waits",
    )

    def __init__(self, faces: Sequence[Face], own_copies: OwnCopies) -> None:
        self.hand = Hand(faces)
        self.waits: frozenset[Kind]
        """What the hand without the drawn tile waits for. Renewed only when that hand changes."""
        self.tenpai_draws: int
        """The kinds, as a bit mask, with which that hand may be tenpai after a discard; with any other it is not."""
        self.waits, self.tenpai_draws = waits_and_tenpai_draws(self.hand, own_copies)
        self.river: list[Face] = []
        """All tiles this player has discarded, also those that were called."""
        self.discarded: set[Kind] = set()
        """The kinds in the river."""
        self.river_called = False
        """Whether anybody has called one of them (no nagashi mangan then)."""
        self.riichi = 0
        """0 not in riichi, 1 riichi, 2 double riichi; from the declaration on."""
        self.opened = False
        """Whether it is an open riichi."""
        self.ippatsu = False
        self.temporary_furiten = False
        """Temporary furiten: a wait has passed since the last discard of one's own."""
        self.riichi_furiten = False
        """Furiten for the rest of the kyoku: a wait has passed in riichi."""
        self.pao: tuple[Pao, ...] = ()
        """Who is liable for yakuman that this player's calls have made certain; noted with each call."""
        self.rinshan_from: Seat | None = None
        """Who gave the open kan of this turn; a further kan of the same turn changes nothing (riichi.wiki)."""

    @property
    def furiten(self) -> bool:
        """Whether this player may not win by ron: by the river, temporarily, or by a wait missed in riichi."""
        return self.temporary_furiten or self.riichi_furiten or not self.waits.isdisjoint(self.discarded)


class Board:
    """The wall, the players and the counters of one kyoku."""

    __slots__ = (
        "abort_due",
        "bakaze",
        "dealer",
        "honba",
        "indicators",
        "kans",
        "kyotaku",
        "players",
        "points",
        "rinshan",
        "ruleset",
        "seats",
        "uninterrupted",
        "unpaid",
        "wall",
    )

    def __init__(
        self,
        ruleset: Ruleset,
        wall: Wall,
        *,
        bakaze: int,
        dealer: Seat,
        honba: int,
        kyotaku: int,
        points: Sequence[int],
    ) -> None:
        self.ruleset = ruleset
        self.seats = ruleset.seats
        """How many play."""
        self.wall = wall
        self.bakaze = bakaze
        self.dealer = dealer
        self.honba = honba
        self.kyotaku = kyotaku
        """Sticks on the table, those of this kyoku included."""
        self.points = list(points)
        self.players = tuple(Player(faces, ruleset.own_copies) for faces in wall.hands(dealer, ruleset.seats))
        self.indicators = [wall.indicator(0)]
        """The dora indicators turned over so far."""
        self.kans: list[Seat] = []
        """Who made each kan."""
        self.uninterrupted = True
        """Whether nobody has called or made a kan yet (tenhou, chihou, double riichi, nine terminals, four winds)."""
        self.unpaid: Seat | None = None
        """Who has just declared riichi and has not paid: it does not stand before its tile has passed ron."""
        self.rinshan = False
        """Whether the tile just drawn is a replacement tile."""
        self.abort_due: DrawReason | None = None
        """Why the kyoku is drawn if this discard passes ron: then nobody may call it."""

    @property
    def left(self) -> int:
        """Tiles left in the live wall."""
        return self.wall.left

    def renew_waits(self, seat: Seat) -> None:
        """Work out the waits of a hand that has changed and holds no drawn tile."""
        player = self.players[seat]
        player.waits, player.tenpai_draws = waits_and_tenpai_draws(player.hand, self.ruleset.own_copies)

    def is_first_turn(self, seat: Seat) -> bool:
        """Tell whether the seat has not discarded yet and nobody has called."""
        return self.uninterrupted and not self.players[seat].river

    def ura_indicators(self) -> tuple[Face, ...]:
        """Return the ura indicators that count for a hand in riichi."""
        if not self.ruleset.ura_dora:
            return ()
        count = len(self.indicators) if self.ruleset.kan_ura else 1
        return tuple(self.wall.ura(number) for number in range(count))

    def value_of(
        self, seat: Seat, tile: Face, loser: Seat | None = None, *, chankan: bool = False, ura: tuple[Face, ...] = ()
    ) -> HandValue | None:
        """Return what the seat wins with this tile: the drawn one, or the loser's (then it is not in the hand yet).

        None when the hand is not complete with it or has no yaku.
        """
        player = self.players[seat]
        concealed = player.hand.concealed
        return hand_value(
            self.ruleset,
            concealed if loser is None else (*concealed, tile),
            player.hand.melds,
            tile,
            self._circumstances(seat, loser, chankan, ura),
        )

    def _circumstances(self, seat: Seat, loser: Seat | None, chankan: bool, ura: tuple[Face, ...]) -> Circumstances:
        player = self.players[seat]
        last = self.left == 0 and not self.rinshan
        return Circumstances(
            tsumo=loser is None,
            seat_wind=wind_of(seat, self.dealer, self.seats),
            round_wind=self.bakaze,
            riichi=player.riichi,
            open_riichi=player.opened,
            ippatsu=player.ippatsu and self.ruleset.ippatsu,
            rinshan=loser is None and self.rinshan,
            chankan=chankan,
            haitei=loser is None and last,
            houtei=loser is not None and self.left == 0 and not chankan,
            first_turn=self.is_first_turn(seat),
            loser_in_riichi=loser is not None and self.players[loser].riichi > 0 and loser != self.unpaid,
            indicators=tuple(self.indicators),
            ura=ura,
        )

    def pao(self, seat: Seat, *, tsumo: bool) -> tuple[Pao, ...]:
        """Return who is liable for the seat's win, and for what."""
        player = self.players[seat]
        if tsumo and self.ruleset.rinshan_pao and player.rinshan_from is not None:
            return (*player.pao, Pao(player.rinshan_from, None))
        return player.pao

    def take(self, seat: Seat, source: Seat, meld: Meld) -> None:
        """Lay down a meld made with the source's discard."""
        player = self.players[seat]
        for face in meld.own:
            player.hand.remove(face)
        player.hand.melds.append(meld)
        player.pao = liabilities(self.ruleset, player.hand.melds)
        self.players[source].river_called = True
        self.interrupt()

    def note_missed_wait(self, seat: Seat) -> None:
        """Note that a tile the seat waits for has passed it by."""
        player = self.players[seat]
        if player.riichi:
            player.riichi_furiten = True
        else:
            player.temporary_furiten = True

    def interrupt(self) -> None:
        """Note that somebody has called or made a kan: first turns and ippatsu are over."""
        self.uninterrupted = False
        for player in self.players:
            player.ippatsu = False
