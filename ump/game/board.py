"""The board: the state of the table in one kyoku, hidden tiles included."""

from __future__ import annotations

from collections.abc import Sequence

from ump.model.constants import MAX_KANS, STICK_POINTS
from ump.model.events import DrawReason
from ump.model.hand import Hand
from ump.model.melds import Meld, MeldType, place_of_pon
from ump.model.seats import Seat, others_after, wind_of
from ump.model.tiles import EAST, KIND_OF, WINDS, Face, Kind
from ump.model.yaku import HandValue
from ump.rules.analysis import ALL_KINDS, readiness
from ump.rules.call_question import Robbed, may_rob_closed
from ump.rules.payments import Pao, liabilities
from ump.rules.questions import RUNS_WITH, BoardFacts, PlayerFacts
from ump.rules.ruleset import KanDoraTime, OwnCopies, Ruleset
from ump.rules.score import Circumstances, hand_value, is_last_tile
from ump.rules.wall import Wall


class PlayerBoard(PlayerFacts):
    """One player's part of the board."""

    __slots__ = (
        "advances",
        "discarded",
        "hand",
        "ippatsu",
        "least_shanten",
        "norths",
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
        self.least_shanten: int
        """The shanten number of the hand without the drawn tile is this or higher."""
        self.advances: int
        """The draws, as a bit mask of kinds, with which that number may fall; with any other it does not."""
        self.renew_waits(own_copies)
        self.norths = 0
        """The number of norths that this player has set aside."""
        self.river: list[Face] = []
        """All tiles that this player has discarded, called ones included."""
        self.discarded: set[Kind] = set()
        """The kinds in the river."""
        self.river_called = False
        """Whether a player has called one of them, which rules out nagashi mangan."""
        self.riichi = 0
        """0 not in riichi, 1 riichi, 2 double riichi; set with the declaration."""
        self.opened = False
        """Whether it is an open riichi."""
        self.ippatsu = False
        """Whether a win now would be ippatsu."""
        self.temporary_furiten = False
        """Whether a wait has passed since this player's last discard."""
        self.riichi_furiten = False
        """Whether a wait has passed in riichi, which lasts for the rest of the kyoku."""
        self.pao: tuple[Pao, ...] = ()
        """The players liable for yakuman that this player's calls have made certain."""
        self.rinshan_from: Seat | None = None
        """The giver of the open kan of this turn; a further kan in the same turn changes nothing (riichi.wiki)."""

    def clone(self) -> PlayerBoard:
        """Return an independent copy."""
        twin = PlayerBoard.__new__(PlayerBoard)
        twin.hand, twin.norths = self.hand.copy(), self.norths
        twin.least_shanten, twin.waits, twin.advances = self.least_shanten, self.waits, self.advances
        twin.tenpai_draws = self.tenpai_draws
        twin.river, twin.discarded, twin.river_called = self.river[:], self.discarded.copy(), self.river_called
        twin.riichi, twin.opened, twin.ippatsu = self.riichi, self.opened, self.ippatsu
        twin.temporary_furiten, twin.riichi_furiten = self.temporary_furiten, self.riichi_furiten
        twin.pao, twin.rinshan_from = self.pao, self.rinshan_from
        return twin

    def renew_waits(self, own_copies: OwnCopies) -> None:
        """Work out the waits of the hand, which holds no drawn tile; they change only with that hand."""
        self.least_shanten, self.waits, self.advances = readiness(self.hand, own_copies)
        self.tenpai_draws = self.advances if self.least_shanten < 2 else 0

    @property
    def furiten(self) -> bool:
        """Whether this player may not win by ron: by its river, temporarily, or by a wait missed in riichi."""
        return self.temporary_furiten or self.riichi_furiten or not self.waits.isdisjoint(self.discarded)


class Board(BoardFacts):
    """The wall, the players and the counters of one kyoku."""

    __slots__ = (
        "abort_due",
        "bakaze",
        "dealer",
        "dealt",
        "has_chi",
        "honba",
        "indicators",
        "kans",
        "kyotaku",
        "others",
        "owed_dora",
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
        """The number of players."""
        self.others = tuple([others_after(seat, ruleset.seats) for seat in range(ruleset.seats)])
        """The other players of each seat in turn order, the next one first."""
        self.has_chi = ruleset.chi
        """Whether players may call chi. The rules work it out, and each discard asks."""
        self.wall = wall
        self.bakaze = bakaze
        self.dealer = dealer
        self.honba = honba
        self.kyotaku = kyotaku
        """The number of riichi sticks on the table, those of this kyoku included."""
        self.points = list(points)
        self.dealt = wall.hands(dealer)
        """The first 13 tiles of each seat, sorted."""
        self.players = tuple([PlayerBoard(faces, ruleset.own_copies) for faces in self.dealt])
        self.indicators = [wall.indicator(0)]
        """The dora indicators revealed so far."""
        self.owed_dora = 0
        """The number of open and added kans whose indicator is not revealed yet."""
        self.kans = []
        self.uninterrupted = True
        """Whether nobody has called, made a kan or set a north aside.

        Tenhou, chihou, double riichi, nine terminals and four winds depend on it.
        """
        self.unpaid: Seat | None = None
        """The player that has declared riichi and not yet paid: the riichi stands when nobody wins on its tile."""
        self.rinshan = False
        """Whether the tile just drawn is a replacement tile."""
        self.abort_due = None

    def clone(self) -> Board:
        """Return an independent copy."""
        twin = Board.__new__(Board)
        twin.ruleset, twin.seats, twin.others, twin.has_chi = self.ruleset, self.seats, self.others, self.has_chi
        twin.wall = self.wall.clone()
        twin.bakaze, twin.dealer, twin.honba, twin.kyotaku = self.bakaze, self.dealer, self.honba, self.kyotaku
        twin.points, twin.dealt = self.points[:], self.dealt
        twin.players = tuple([player.clone() for player in self.players])
        twin.indicators, twin.owed_dora, twin.kans = self.indicators[:], self.owed_dora, self.kans[:]
        twin.uninterrupted, twin.unpaid = self.uninterrupted, self.unpaid
        twin.rinshan, twin.abort_due = self.rinshan, self.abort_due
        return twin

    @property
    def left(self) -> int:
        """Tiles left in the live wall."""
        return self.wall.left

    def renew_waits(self, seat: Seat) -> None:
        """Update the waits of a hand that has changed; it must hold no drawn tile."""
        self.players[seat].renew_waits(self.ruleset.own_copies)

    def renew_waits_after_discard(self, seat: Seat, drawn: Face) -> None:
        """Update the waits of a hand that has kept its drawn tile, or has called, and has discarded.

        An exchange lowers the shanten number by at most 1, and only with a draw that brings the hand forward. So a hand
        need not be analysed while it cannot be tenpai, nor a closed one before its next draw can make it tenpai.
        """
        player = self.players[seat]
        if player.advances >> KIND_OF[drawn] & 1:
            player.least_shanten -= 1
        player.advances = ALL_KINDS  # until the next analysis
        if player.least_shanten < 2 and (player.least_shanten < 1 or player.hand.is_closed):
            player.renew_waits(self.ruleset.own_copies)

    def player(self, seat: Seat) -> PlayerBoard:
        """Return the player in this seat."""
        return self.players[seat]

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
        """Return the value of the seat's hand with a winning tile, or None if it is not complete or has no yaku.

        Without a ``loser`` the tile is the drawn one, in the hand; otherwise it is the loser's, and not in the hand.
        ``ura`` are the ura indicators that count.
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
        tsumo = loser is None
        is_last = is_last_tile(tsumo=tsumo, left=self.left, rinshan=self.rinshan, chankan=chankan)
        return Circumstances(
            tsumo=tsumo,
            seat_wind=wind_of(seat, self.dealer, self.seats),
            round_wind=self.bakaze,
            riichi=player.riichi,
            open_riichi=player.opened,
            ippatsu=player.ippatsu and self.ruleset.ippatsu,
            rinshan=tsumo and self.rinshan,
            chankan=chankan,
            haitei=tsumo and is_last,
            houtei=not tsumo and is_last,
            first_turn=self.is_first_turn(seat),
            loser_in_riichi=loser is not None and self.players[loser].riichi > 0 and loser != self.unpaid,
            indicators=tuple(self.indicators),
            ura=ura,
            norths=player.norths,
        )

    def pao(self, seat: Seat, *, tsumo: bool) -> tuple[Pao, ...]:
        """Return the players liable for a win of this seat, and for what."""
        player = self.players[seat]
        if tsumo and self.ruleset.rinshan_pao and player.rinshan_from is not None:
            return (*player.pao, Pao(player.rinshan_from, None))
        return player.pao

    def lay_down(self, seat: Seat, meld: Meld) -> None:
        """Lay down a meld whose tiles have left the hand. Only a call interrupts at once: a kan may be robbed first."""
        player = self.players[seat]
        melds = player.hand.melds
        is_kan = meld.is_kan
        if is_kan:
            self.kans.append(seat)
            pon = place_of_pon(melds, meld.kind) if meld.type is MeldType.KAKAN else None
            if pon is not None:
                melds[pon] = meld
                return
        melds.append(meld)
        if meld.source is not None and meld.added is None:
            player.advances = ALL_KINDS  # with its discard, a call is an exchange that also fixes a set
            if is_kan:
                player.rinshan_from = meld.source
            player.pao = liabilities(self.ruleset, melds)
            self.players[meld.source].river_called = True
            self.interrupt()

    def owe_dora(self, kan: MeldType) -> int:
        """Return how many indicators a kan reveals at once: 1; or 0, and those of open and added kans come later."""
        if not self.ruleset.kan_dora:
            return 0
        if kan is MeldType.ANKAN or self.ruleset.open_kan_dora is KanDoraTime.AT_ONCE:
            return 1
        self.owed_dora += 1
        return 0

    def due_dora(self, time: KanDoraTime | None = None) -> int:
        """Return how many indicators of earlier kans are revealed at this time; None is that of a further kan."""
        if time is not None and self.ruleset.open_kan_dora is not time:
            return 0
        due, self.owed_dora = self.owed_dora, 0
        return due

    def put_down(self, seat: Seat, face: Face, riichi: bool = False, opened: bool = False) -> None:
        """Add a discard, which has left the hand, to the river; a riichi with it is paid when nobody wins on it."""
        player = self.players[seat]
        player.ippatsu = player.temporary_furiten = False
        player.rinshan_from = None
        if riichi:
            player.riichi = player.riichi or (2 if self.is_first_turn(seat) else 1)
            player.opened = opened
            player.ippatsu = True
            self.unpaid = seat
        player.river.append(face)
        kind = KIND_OF[face]
        player.discarded.add(kind)
        may_abort = riichi or self.kans or (kind >= EAST and self.uninterrupted)
        self.abort_due = self.abort_reason(kind, riichi=riichi) if may_abort else None

    def may_call(self, source: Seat, kind: Kind) -> list[Seat]:
        """Return the players, the next one first, that might have an answer other than pass to a discard of this kind.

        A filter by a few counts for the usual case that nobody can call: whether one of them can, ``CallQuestion`` has
        to work out. A player that waits for the kind is always among them.
        """
        found: list[Seat] = []
        runs = RUNS_WITH[kind] if self.has_chi else ()  # for the next player alone
        for seat in self.others[source]:
            player = self.players[seat]
            if player.waits and kind in player.waits:
                found.append(seat)
            elif not player.riichi:
                kinds = player.hand.kinds
                if kinds[kind] >= 2:
                    found.append(seat)
                elif runs:
                    for low, high in runs:
                        if kinds[low] and kinds[high]:
                            found.append(seat)
                            break
            runs = ()
        return found

    def pay_stick(self, seat: Seat) -> None:
        """Put the riichi stick of a seat on the table."""
        self.points[seat] -= STICK_POINTS
        self.kyotaku += 1
        self.unpaid = None

    def pass_tile(self, source: Seat, face: Face, robbed: Robbed | None = None) -> None:
        """Go on after a tile that nobody has won on: a discard, or one that was ``robbed`` of nobody.

        The players that wait for it are furiten, with or without a yaku on it: temporarily, or permanently in riichi.
        The tile of a closed kan concerns thirteen orphans only. A kan and a north set aside interrupt now.
        """
        kind, closed_kan = KIND_OF[face], robbed is Robbed.CLOSED_KAN
        for seat in self.others[source]:
            player = self.players[seat]
            if kind not in player.waits or (closed_kan and not may_rob_closed(self, seat)):
                continue
            if player.riichi:
                player.riichi_furiten = True
            else:
                player.temporary_furiten = True
        if robbed is not None:
            self.interrupt()

    def abort_reason(self, kind: Kind, *, riichi: bool) -> DrawReason | None:
        """Return why the kyoku is drawn if nobody wins on the tile just discarded, or None.

        ``kind`` is the tile's; ``riichi`` tells whether riichi was declared with it.
        """
        ruleset = self.ruleset
        if kind in WINDS and self.uninterrupted and ruleset.suufon_renda and self._same_discards():
            return DrawReason.SUUFON_RENDA
        if riichi and ruleset.suucha_riichi and all(player.riichi for player in self.players):
            return DrawReason.SUUCHA_RIICHI
        if len(self.kans) == MAX_KANS and ruleset.suukaikan and len(set(self.kans)) > 1:
            return DrawReason.SUUKAIKAN
        return None

    def _same_discards(self) -> bool:
        """Tell whether all players have discarded exactly one tile, and the same one."""
        river = self.players[self.dealer].river
        return len(river) == 1 and all(player.river == river for player in self.players)

    def interrupt(self) -> None:
        """End first turns and ippatsu: a player has called, made a kan or set a north aside."""
        self.uninterrupted = False
        for player in self.players:
            player.ippatsu = False
