"""Builds the events of one kyoku from what a format states, and adds what it leaves to its readers.

Formats differ in what they repeat: some have no word for a riichi stick, for the hands that are shown at a draw, or for
the melds of a winner. All of that follows from the moves. ``KyokuBuilder`` follows them and adds it, so that every
reader returns the same events. It judges nothing: whether the moves are legal is for the replay to find out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable
from dataclasses import replace

from ump.model.events import (
    DoraRevealed,
    DrawReason,
    Event,
    HandDealt,
    HandOpened,
    HandWon,
    KanDeclared,
    KitaDeclared,
    KyokuDrawn,
    KyokuStarted,
    RiichiDeclared,
    RiichiPaid,
    RonDeclared,
    TenpaiDeclared,
    TileCalled,
    TileDiscarded,
    TileDrawn,
)
from ump.model.melds import Meld, MeldType
from ump.model.seats import LETTERS, Seat, others_after, seats_from
from ump.model.tiles import NORTH, WINDS, Face, sort_faces
from ump.record.recorded_game import RecordedKyoku, RecordError, Remark, Stated
from ump.rules.ruleset import KanDoraTime
from ump.rules.wall import LAYOUTS

AT_THE_END = frozenset((DrawReason.EXHAUSTED, DrawReason.NAGASHI_MANGAN))
"""Draws after which every player declares tenpai or noten."""

MOST_EVENTS = 1_000
"""Limit of events in one kyoku; a real one has 250 at most."""


class KyokuBuilder:
    """Collects the events of one kyoku in order. Use an instance once."""

    def __init__(self, kan_dora: Iterable[Face] = (), dora_time: KanDoraTime = KanDoraTime.BEFORE_DISCARD) -> None:
        """Begin a kyoku.

        A format that lists the kan dora indicators without their places passes them as ``kan_dora``, with the time at
        which the rules reveal that of an open kan. Other formats add ``DoraRevealed`` themselves.
        """
        self.events: list[Event] = []
        self.stated: dict[int, Stated] = {}
        self.remarks: list[Remark] = []
        """What the record says about seats besides the events."""
        self.complete = False
        """Whether the kyoku has a result."""
        self.melds: list[list[Meld]] = []
        """The melds of each seat."""
        self.drawn: tuple[Seat, Face | None] | None = None
        """The last draw, until a discard or a call."""
        self._dealer: Seat = 0
        self._dice = (1, 1)
        self._norths: list[int] = []
        self._hands: list[list[Face] | None] = []
        """The concealed tiles of each seat; None for a hand that is hidden."""
        self.in_riichi: set[Seat] = set()
        """The seats whose riichi stands."""
        self._declared: Seat | None = None
        """The seat that declared riichi and has not discarded yet."""
        self._unpaid: Seat | None = None
        """The seat that discarded with riichi and has not paid yet."""
        self._source: Seat = 0
        """The seat of the last discard or kan."""
        self._kan: Seat | None = None
        """The seat that made a kan or set a north aside, and has not drawn the replacement tile yet."""
        self._left = 0
        self._kan_dora = deque(kan_dora)
        self._dora_time = dora_time
        self._owed = 0
        """The number of open and added kans whose dora of ``kan_dora`` is still to come."""

    @property
    def seats(self) -> int:
        """The number of players."""
        return len(self._hands)

    @property
    def dealer(self) -> Seat:
        """The seat of the dealer."""
        return self._dealer

    def hand(self, seat: Seat) -> tuple[Face, ...] | None:
        """Return the concealed tiles of a seat, sorted; None if they are hidden."""
        held = self._hands[seat]
        return None if held is None else sort_faces(held)

    def kyoku(self) -> RecordedKyoku:
        """Return the kyoku as far as it was built."""
        remarks = tuple(self.remarks)
        return RecordedKyoku(tuple(self.events), None, self.stated, self._dice, None, self.complete, remarks=remarks)

    # Moves

    def start(self, started: KyokuStarted, hands: Iterable[tuple[Face, ...] | None], indicator: Face) -> None:
        """Begin with the deal; ``hands`` are by seat."""
        self._dealer, self._dice = started.dealer, started.dice
        dealt = list(hands)
        self._left = LAYOUTS[len(dealt)].live
        self._hands = [None if hand is None else list(hand) for hand in dealt]
        self.melds = [[] for _ in dealt]
        self._norths = [0] * len(dealt)
        self.stated[0] = Stated(number=started.bakaze * len(WINDS) + started.dealer)
        self.events.append(started)
        for seat in seats_from(started.dealer, len(dealt)):
            hand = dealt[seat]
            self.events.append(HandDealt(seat, None if hand is None else sort_faces(hand)))
        self.events.append(DoraRevealed(indicator))

    def draw(self, seat: Seat, face: Face | None) -> None:
        """Add a draw; a riichi that nobody has won on is paid before it. None is a hidden tile."""
        self.pay_riichi()
        self._left -= 1
        if self._left < 0:
            raise RecordError("more draws than the wall has tiles")
        self._add(TileDrawn(seat, self._left, face, self._kan == seat))
        self._kan = None
        self.drawn = seat, face
        held = self._hands[seat]
        if face is None:
            self._hands[seat] = None
        elif held is not None:
            held.append(face)

    def declare_riichi(self, seat: Seat, *, opened: bool = False) -> None:
        """Add a declaration of riichi; the discard comes next."""
        self._reveal_owed(KanDoraTime.BEFORE_DISCARD)
        self._declared = seat
        self._add(RiichiDeclared(seat, opened))

    def discard(self, seat: Seat, face: Face, *, tsumogiri: bool) -> None:
        """Add a discard."""
        self._reveal_owed(KanDoraTime.BEFORE_DISCARD)
        riichi = self._declared == seat
        self._remove(seat, (face,))
        self._add(TileDiscarded(seat, face, tsumogiri, riichi))
        self._declared, self.drawn, self._source = None, None, seat
        self._unpaid = seat if riichi else None

    def pay_riichi(self, points: tuple[int, ...] | None = None) -> None:
        """Add the payment of a riichi, if one is due; ``points`` are the scores after it, if the record states them."""
        if self._unpaid is not None:
            self.in_riichi.add(self._unpaid)
            if points is not None:
                self.stated[len(self.events)] = Stated(points=points)
            self._add(RiichiPaid(self._unpaid))
            self._unpaid = None
        if self.drawn is None and self._kan is None:
            self._reveal_owed(KanDoraTime.AFTER_DISCARD)

    def call(self, seat: Seat, meld: Meld) -> None:
        """Add a call of a discard."""
        self.pay_riichi()
        self._remove(seat, meld.own)
        self.melds[seat].append(meld)
        self.drawn = None
        self._add(TileCalled(seat, meld))
        if meld.is_kan:
            self._open_kan(seat)

    def kan(self, seat: Seat, meld: Meld) -> None:
        """Add a closed or an added kan, with the dora that follows at once."""
        self._source, self.drawn = seat, None
        if meld.added is None:
            self._remove(seat, meld.own)
            self.melds[seat].append(meld)
            self._add(KanDeclared(seat, meld))
            self._kan = seat
            self._owed += 1
            self._reveal_owed(self._dora_time)
            return
        self._remove(seat, (meld.added,))
        melds = self.melds[seat]
        is_pon = [old.type is MeldType.PON and old.kind == meld.kind for old in melds]
        self.melds[seat] = [meld if replaced else old for old, replaced in zip(melds, is_pon, strict=True)]
        self._add(KanDeclared(seat, meld))
        self._reveal_owed(self._dora_time)
        self._open_kan(seat)

    def _open_kan(self, seat: Seat) -> None:
        self._kan = seat
        self._owed += 1
        self._reveal_owed(KanDoraTime.AT_ONCE)

    def set_north_aside(self, seat: Seat) -> None:
        """Add a north that a player sets aside, in a game of three."""
        self._source, self.drawn, self._kan = seat, None, seat
        self._norths[seat] += 1
        self._remove(seat, (NORTH,))
        self._add(KitaDeclared(seat))
        self._reveal_owed(self._dora_time)

    def reveal(self, indicator: Face) -> None:
        """Add a kan dora indicator."""
        self._add(DoraRevealed(indicator))

    def _reveal_owed(self, time: KanDoraTime) -> None:
        """Reveal the dora of earlier kans, if it is the time that the rules name."""
        if time is not self._dora_time:
            return
        while self._owed and self._kan_dora:
            self._owed -= 1
            self.reveal(self._kan_dora.popleft())

    def show(self, seat: Seat, faces: tuple[Face, ...]) -> None:
        """Take note of a hand that is shown. After a discard with riichi that makes it an open one."""
        if self._hands[seat] is None:
            self._hands[seat] = list(faces)
        last = self.events[-1]
        if isinstance(last, TileDiscarded) and last.riichi and last.seat == seat:
            self.events[-2] = RiichiDeclared(seat, opened=True)
            self._add(HandOpened(seat, sort_faces(faces), tuple(self.melds[seat])))

    # Results

    def win(self, won: HandWon, stated: Stated) -> None:
        """Add a win. Melds, riichi and the hand follow from the moves, the hand only if ``won`` has none."""
        faces = won.faces or self._winning_hand(won)
        riichi = won.seat in self.in_riichi
        melds, ura = tuple(self.melds[won.seat]), won.ura if riichi else ()
        self.stated[len(self.events)] = stated
        self._add(replace(won, faces=faces, melds=melds, riichi=riichi, ura=ura, norths=self._norths[won.seat]))
        self.complete = True

    def _winning_hand(self, won: HandWon) -> tuple[Face, ...]:
        held = self.hand(won.seat)
        if held is None or won.loser is not None:
            return held or ()
        if won.tile not in held:
            raise RecordError(f"{LETTERS[won.seat]} wins on a tile that it does not hold")
        rest = list(held)
        rest.remove(won.tile)
        return (*rest, won.tile)

    def finish(self, reason: DrawReason, changes: tuple[int, ...], tenpai: Container[Seat] = ()) -> None:
        """Add a draw, and the hands that are shown; ``tenpai`` are the seats that are tenpai at the last tile."""
        if reason is not DrawReason.SANCHAHO:
            self.pay_riichi()
        if reason in AT_THE_END:
            for seat in seats_from(self._dealer, self.seats):
                is_tenpai = seat in tenpai
                shown = self.hand(seat) if is_tenpai else None
                self._add(TenpaiDeclared(seat, is_tenpai, shown, tuple(self.melds[seat])))
        else:
            self._open_hands(reason)
        self._add(KyokuDrawn(reason, changes))
        self.complete = True

    def _open_hands(self, reason: DrawReason) -> None:
        """Add the hands that an abortive draw shows."""
        shown: Iterable[Seat] = ()
        match reason:
            case DrawReason.SANCHAHO:
                shown = tuple(others_after(self._source, self.seats))
                for seat in shown:
                    self._add(RonDeclared(seat))
            case DrawReason.SUUCHA_RIICHI:
                shown = range(self.seats)
            case DrawReason.KYUSHU_KYUHAI if self.drawn is not None:
                shown = (self.drawn[0],)
        for seat in shown:
            hand = self.hand(seat)
            if hand is not None:
                self._add(HandOpened(seat, hand, tuple(self.melds[seat])))

    def _add(self, event: Event) -> None:
        if len(self.events) == MOST_EVENTS:
            raise RecordError(f"more than {MOST_EVENTS} events in a kyoku")
        self.events.append(event)

    def _remove(self, seat: Seat, faces: Iterable[Face]) -> None:
        held = self._hands[seat]
        if held is None:
            return
        for face in faces:
            if face in held:
                held.remove(face)
