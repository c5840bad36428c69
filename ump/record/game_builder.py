"""Build a recorded game from events that a format states only in part.

The readers of the wire protocols return events with what their messages say. ``GameBuilder`` takes them one after the
other; ``KyokuBuilder`` adds what follows from the moves, so that every reader returns the same events. Neither judges:
whether the moves are legal is for the replay to find out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from ump.game.deals import Deal
from ump.model import events as ev
from ump.model.constants import DEALT_TILES
from ump.model.melds import Meld, MeldType
from ump.model.seats import LETTERS, Seat, others_after, seats_from
from ump.model.tiles import COPIES, KIND_OF, KINDS, NORTH, WINDS, Face, sort_faces
from ump.record.findings import StatedKyoku, Statement, Unclear, located
from ump.record.recorded_game import (
    NoKyokuError,
    RecordedGame,
    RecordedKyoku,
    RecordError,
    Remark,
    Stated,
    scores_after,
)
from ump.rules.analysis import waits
from ump.rules.payments import liabilities
from ump.rules.presets import TENHOU, TENHOU3, rounded_as
from ump.rules.ruleset import ExtraRound, KanDoraTime, Length, Ruleset, Tenpai
from ump.rules.wall import LAYOUTS

# Kyoku


AT_THE_END = frozenset((ev.DrawReason.EXHAUSTED, ev.DrawReason.NAGASHI_MANGAN))
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
        self.events: list[ev.Event] = []
        self.stated: dict[int, Stated] = {}
        self.remarks: list[Remark] = []
        """Statements of the record about seats besides the events."""
        self.complete = False
        """Whether the kyoku has a result."""
        self.is_tsumogiri_known = True
        """Whether the record states which discards are the tile just drawn, or that follows from the hands."""
        self._wrong: set[int] = set()
        """The indices of discards that are said wrongly to be, or not to be, the tile just drawn."""
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

    def without_winning_tile(self, won: ev.HandWon) -> list[Face]:
        """Return the concealed tiles of a winner besides the tile of the win, as far as they are known."""
        concealed = list(self.hand(won.seat) or won.faces)
        if won.loser is None and won.tile in concealed:
            concealed.remove(won.tile)
        return concealed

    def kyoku(self) -> RecordedKyoku:
        """Return the kyoku as far as it was built."""
        return RecordedKyoku(
            tuple(self.events),
            None,
            self.stated,
            self._dice,
            None,
            self.complete,
            remarks=tuple(self.remarks),
            wrong_tsumogiri=frozenset(self._wrong),
        )

    # Moves

    def start(self, started: ev.KyokuStarted, hands: Iterable[tuple[Face, ...] | None], indicator: Face) -> None:
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
            self.events.append(ev.HandDealt(seat, None if hand is None else sort_faces(hand)))
        self.events.append(ev.DoraRevealed(indicator))

    def draw(self, seat: Seat, face: Face | None) -> None:
        """Add a draw; a riichi that nobody has won on is paid before it. None is a hidden tile."""
        self.pay_riichi()
        self._left -= 1
        if self._left < 0:
            raise RecordError("more draws than the wall has tiles")
        self._add(ev.TileDrawn(seat, self._left, face, self._kan == seat))
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
        self._add(ev.RiichiDeclared(seat, opened))

    def discard(self, seat: Seat, face: Face, *, tsumogiri: bool | None) -> None:
        """Add a discard; None for ``tsumogiri`` says that the record does not state it."""
        self._reveal_owed(KanDoraTime.BEFORE_DISCARD)
        riichi = self._declared == seat
        if tsumogiri is None:
            tsumogiri = self._unsaid_tsumogiri(seat, face)
        elif self._is_wrong(seat, face, tsumogiri=tsumogiri):
            self._wrong.add(len(self.events))
        self._remove(seat, (face,))
        self._add(ev.TileDiscarded(seat, face, tsumogiri, riichi))
        self._declared, self.drawn, self._source = None, None, seat
        self._unpaid = seat if riichi else None

    def _is_wrong(self, seat: Seat, face: Face, *, tsumogiri: bool) -> bool:
        """Tell whether the known tiles of a hand contradict that a discard is the tile just drawn, or is not."""
        held = self._hands[seat]
        if held is None or face not in held:
            return False
        return self.drawn != (seat, face) if tsumogiri else self.drawn == (seat, face) and held.count(face) == 1

    def _unsaid_tsumogiri(self, seat: Seat, face: Face) -> bool:
        """Return whether a discard is the drawn tile, as far as that follows from the hand."""
        if self.drawn != (seat, face):
            return False
        held = self._hands[seat]
        is_only = held is not None and held.count(face) == 1
        self.is_tsumogiri_known = self.is_tsumogiri_known and (is_only or seat in self.in_riichi)
        return is_only or seat in self.in_riichi

    def pay_riichi(self, points: tuple[int, ...] | None = None) -> None:
        """Add the payment of a riichi, if one is due; ``points`` are the scores after it, if the record states them."""
        if self._unpaid is not None:
            self.in_riichi.add(self._unpaid)
            if points is not None:
                self.stated[len(self.events)] = Stated(points=points)
            self._add(ev.RiichiPaid(self._unpaid))
            self._unpaid = None
        if self.drawn is None and self._kan is None:
            self._reveal_owed(KanDoraTime.AFTER_DISCARD)

    def call(self, seat: Seat, meld: Meld) -> None:
        """Add a call of a discard."""
        self.pay_riichi()
        self._remove(seat, meld.own)
        self.melds[seat].append(meld)
        self.drawn = None
        self._add(ev.TileCalled(seat, meld))
        if meld.is_kan:
            self._open_kan(seat)

    def kan(self, seat: Seat, meld: Meld) -> None:
        """Add a closed or an added kan, with the dora that follows at once."""
        self._source, self.drawn = seat, None
        if meld.added is None:
            self._remove(seat, meld.own)
            self.melds[seat].append(meld)
            self._add(ev.KanDeclared(seat, meld))
            self._kan = seat
            self._owed += 1
            self._reveal_owed(self._dora_time)
            return
        self._remove(seat, (meld.added,))
        melds = self.melds[seat]
        for place, old in enumerate(melds):
            if old.type is MeldType.PON and old.kind == meld.kind:
                melds[place] = meld
        self._add(ev.KanDeclared(seat, meld))
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
        self._add(ev.KitaDeclared(seat))
        self._reveal_owed(self._dora_time)

    def reveal(self, indicator: Face) -> None:
        """Add a kan dora indicator."""
        self._add(ev.DoraRevealed(indicator))

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
        if isinstance(last, ev.TileDiscarded) and last.riichi and last.seat == seat:
            self.events[-2] = ev.RiichiDeclared(seat, opened=True)
            self._add(ev.HandOpened(seat, sort_faces(faces), tuple(self.melds[seat])))

    # Results

    def win(self, won: ev.HandWon, stated: Stated) -> None:
        """Add a win. Melds, riichi and the hand follow from the moves, the hand only if ``won`` has none."""
        faces = won.faces or self._winning_hand(won)
        riichi = won.seat in self.in_riichi
        melds, ura = tuple(self.melds[won.seat]), won.ura if riichi else ()
        self.stated[len(self.events)] = stated
        self._add(replace(won, faces=faces, melds=melds, riichi=riichi, ura=ura, norths=self._norths[won.seat]))
        self.complete = True

    def _winning_hand(self, won: ev.HandWon) -> tuple[Face, ...]:
        held = self.hand(won.seat)
        if held is None or won.loser is not None:
            return held or ()
        if won.tile not in held:
            raise RecordError(f"{LETTERS[won.seat]} wins on a tile that it does not hold")
        rest = list(held)
        rest.remove(won.tile)
        return (*rest, won.tile)

    def finish(self, reason: ev.DrawReason, changes: tuple[int, ...], tenpai: Mapping[Seat, bool]) -> None:
        """Add a draw, and the hands that are shown; ``tenpai`` says which seats are tenpai at the last tile."""
        if reason is not ev.DrawReason.SANCHAHO:
            self.pay_riichi()
        if reason in AT_THE_END:
            for seat in seats_from(self._dealer, self.seats):
                if seat in tenpai:
                    shown = self.hand(seat) if tenpai[seat] else None
                    self._add(ev.TenpaiDeclared(seat, tenpai[seat], shown, tuple(self.melds[seat])))
        else:
            self._open_hands(reason)
        self._add(ev.KyokuDrawn(reason, changes))
        self.complete = True

    def _open_hands(self, reason: ev.DrawReason) -> None:
        """Add the hands that an abortive draw shows."""
        shown: Iterable[Seat] = ()
        match reason:
            case ev.DrawReason.SANCHAHO:
                shown = tuple(others_after(self._source, self.seats))
                for seat in shown:
                    self._add(ev.RonDeclared(seat))
            case ev.DrawReason.SUUCHA_RIICHI:
                shown = range(self.seats)
            case ev.DrawReason.KYUSHU_KYUHAI if self.drawn is not None:
                shown = (self.drawn[0],)
        for seat in shown:
            hand = self.hand(seat)
            if hand is not None:
                self._add(ev.HandOpened(seat, hand, tuple(self.melds[seat])))

    def _add(self, event: ev.Event) -> None:
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


def liable_payer(loser: Seat | None, changes: Sequence[int]) -> Seat | None:
    """Return who pays for a win without having dealt in, or alone for a tsumo."""
    payers = [seat for seat, change in enumerate(changes) if change < 0 and seat != loser]
    return payers[0] if len(payers) == 1 else None


def liable_seat(won: ev.HandWon, ruleset: Ruleset, melds: Sequence[Meld]) -> Seat | None:
    """Return who is liable for a win, for formats that do not state it: by the payments, or else by the rules."""
    payer = liable_payer(won.loser, won.changes)
    if payer is not None:
        return payer
    yaku = dict(won.value.yaku)
    for each in liabilities(ruleset, melds):
        if each.yaku in yaku:
            return each.liable
    return None


# Games


MOST_KYOKU = 200
"""Limit of kyoku in one game; the rules have no limit."""

MOST_NAME = 200
"""Names are cut after this many characters."""

NOT_DEALT = "a kyoku without its first dora indicator"
"""The error of a record in which something happens before the deal is complete."""

ASSUMED = TENHOU
"""The rules that are assumed for a record that does not say which were played."""


ExactWin: TypeAlias = "Callable[[ev.HandWon, GameBuilder], ev.HandWon]"
"""Returns a win with the yaku that follow from the moves before it, where the words of a format are ambiguous."""


class GameBuilder:
    """Collects the events of one game. Use an instance once."""

    def __init__(self, ruleset: Ruleset | None, assumed: Ruleset = ASSUMED, exact: ExactWin | None = None) -> None:
        """Begin a game; ``ruleset`` is None if the record does not state all rules, but lets us assume some."""
        self._exact = exact
        self._stated = ruleset is not None
        self._ruleset = ruleset or assumed
        self._names: tuple[str, ...] = ()
        self._kyoku: list[KyokuBuilder] = []
        self._started: ev.KyokuStarted | None = None
        """The start of a kyoku, until its hands and its indicator are known."""
        self._hands: dict[Seat, tuple[Face, ...] | None] = {}
        self.length: Length | None = None
        """The length of the game, if the record states it without all rules."""
        self.tenpai: set[Seat] | None = None
        """The seats that have declared tenpai; None if the record does not say who did."""
        self._ended: ev.GameEnded | None = None
        self.kan_dora: Sequence[Face] | None = None
        """The kan dora of the kyoku that starts next, if the format lists them without their places."""

    @property
    def ruleset(self) -> Ruleset:
        """The rules, or those that are assumed."""
        return self._ruleset

    @property
    def has_kyoku(self) -> bool:
        """Whether a kyoku has begun."""
        return bool(self._kyoku)

    @property
    def kyoku(self) -> KyokuBuilder:
        """The kyoku that is being built; raises RecordError before the first one, and until it is dealt."""
        if not self._kyoku:
            raise RecordError("no kyoku has begun")
        if self._started is not None:
            raise RecordError(NOT_DEALT)
        return self._kyoku[-1]

    def add(self, event: Statement, stated: Stated | None = None) -> None:
        """Add an event as the record states it; raises RecordError if it does not belong here."""
        if self._started is not None:
            self._deal(event)
            return
        match event:
            case ev.TileDiscarded():
                is_unsaid = stated is not None and not stated.has_tsumogiri
                self.kyoku.discard(event.seat, event.face, tsumogiri=None if is_unsaid else event.tsumogiri)
            case ev.TileDrawn():
                self.kyoku.draw(event.seat, event.face)
            case ev.TileCalled():
                self.kyoku.call(event.seat, event.meld)
            case ev.KanDeclared():
                self.kyoku.kan(event.seat, event.meld)
            case ev.KitaDeclared():
                self.kyoku.set_north_aside(event.seat)
            case ev.DoraRevealed():
                if self.kan_dora is None:
                    self.kyoku.reveal(event.indicator)
            case ev.RiichiDeclared():
                self.kyoku.declare_riichi(event.seat, opened=event.opened)
            case ev.RiichiPaid():
                self.kyoku.pay_riichi(None if stated is None else stated.points)
            case ev.HandWon():
                won = event if self._exact is None else self._exact(event, self)
                self.kyoku.win(won, stated or Stated())
            case ev.TenpaiDeclared():
                self.tenpai = (self.tenpai or set()) | ({event.seat} if event.tenpai else set())
                if event.faces is not None:
                    self.kyoku.show(event.seat, event.faces)
            case ev.KyokuDrawn():
                known = self._unsaid_tenpai(event) if self.tenpai is None else self._are_among(self.tenpai)
                self.kyoku.finish(event.reason, event.changes, known)
            case ev.KyokuStarted():
                self._start(event)
            case ev.GameStarted():
                self._names = tuple(_as_text(name[:MOST_NAME]) for name in event.names)
            case ev.GameEnded():
                self._ended = event
            case ev.HandOpened():
                self.kyoku.show(event.seat, event.faces)
            case ev.RonDeclared() | ev.KyokuEnded():
                pass  # they follow from the draw
            case Unclear():
                pass  # a strict reader has raised an error
            case ev.HandDealt():
                raise RecordError("a hand is dealt in the middle of a kyoku")

    def add_kyoku(self, stated: StatedKyoku) -> None:
        """Add a kyoku that a strict reader has read; raise RecordError, with the place of what does not belong here."""
        place = stated.place
        self.kan_dora = stated.listed_dora
        try:
            self._start(stated.started)
            self._started = None
            kyoku = self.kyoku
            kyoku.start(stated.started, stated.hands, stated.indicator)
            counts = [len(kyoku.events)]
            for entry in stated.entries:
                place = entry.place
                self.add(entry.what, entry.stated)
                counts.append(len(kyoku.events))
        except RecordError as error:
            raise RecordError(f"{located(stated.ordinal, place)}: {error}") from None
        kyoku.remarks += [replace(remark, place=counts[remark.place]) for remark in stated.remarks]

    def _are_among(self, seats: Container[Seat]) -> dict[Seat, bool]:
        """Return for each seat whether it is among some."""
        return {seat: seat in seats for seat in range(self.kyoku.seats)}

    def _unsaid_tenpai(self, drawn: ev.KyokuDrawn) -> dict[Seat, bool]:
        """Return who is tenpai by the payments of a draw; if they do not tell, by the hands that are known."""
        if not self._ruleset.noten_penalty and self._ruleset.tenpai is Tenpai.RIICHI_ONLY:
            return self._are_among(self.kyoku.in_riichi)
        is_paid = drawn.reason is not ev.DrawReason.NAGASHI_MANGAN and self._ruleset.noten_penalty
        if is_paid and any(drawn.changes):
            return {seat: change > 0 for seat, change in enumerate(drawn.changes)}
        known = {}
        for seat in range(self.kyoku.seats):
            hand = self.kyoku.hand(seat)
            if hand is not None:
                known[seat] = _is_tenpai(hand)
        if is_paid and drawn.changes and known:  # all are tenpai, or nobody is
            return dict.fromkeys(range(self.kyoku.seats), all(known.values()))
        return known

    def _start(self, event: ev.KyokuStarted) -> None:
        if len(self._kyoku) == MOST_KYOKU:
            raise RecordError(f"more than {MOST_KYOKU} kyoku")
        if len(event.points) not in LAYOUTS:
            raise RecordError(f"a kyoku of {len(event.points)} players")
        if self._stated and len(event.points) != self._ruleset.seats:
            raise RecordError(f"rules for {self._ruleset.seats} players, but scores of {len(event.points)}")
        self._started = event
        self._hands = {}
        self.tenpai = None
        dora = () if self.kan_dora is None else self.kan_dora
        self._kyoku.append(KyokuBuilder(dora, self._ruleset.open_kan_dora))

    def _deal(self, event: Statement) -> None:
        """Take the deal of a kyoku: its hands, and its first indicator at the end."""
        started = self._started
        match event:
            case ev.HandDealt():
                self._hands[event.seat] = event.faces
            case ev.DoraRevealed() if started is not None:
                hands = [self._hands.get(seat) for seat in range(len(started.points))]
                self._started = None
                self.kyoku.start(started, hands, event.indicator)
            case _:
                raise RecordError(NOT_DEALT)

    def game(self, deals: Sequence[Deal | None] | None = None, *, own_counting: bool = False) -> RecordedGame:
        """Return the game as far as it was built; ``deals`` are the walls of its kyoku, if they are known."""
        if not self._kyoku or self._started is not None:
            raise NoKyokuError
        kyoku = [each.kyoku() for each in self._kyoku]
        if deals is not None:
            kyoku = [replace(each, deal=deal) for each, deal in zip(kyoku, deals, strict=True)]
        first = kyoku[0].started
        from_start = (first.bakaze, first.dealer, first.honba, first.kyotaku) == (0, 0, 0, 0)
        ruleset, length = self._ruleset, self.length
        if not self._stated:
            ruleset = rounded_as(_with_start(ruleset, kyoku), self._ended)
            length = length or (played_length(ruleset, kyoku, self._ended) if from_start else None)
            ruleset = replace(ruleset, length=length or ruleset.length)
        return RecordedGame(
            names=self._names or ("",) * len(first.points),
            ruleset=ruleset,
            kyoku=tuple(kyoku),
            ended=self._ended,
            from_start=from_start,
            own_counting=own_counting,
            rules_stated=self._stated,
            length_stated=self._stated or length is not None,
            tsumogiri_stated=all(each.is_tsumogiri_known for each in self._kyoku),
            dora_listed=self.kan_dora is not None,
        )


def with_listed_dora(game: RecordedGame) -> RecordedGame:
    """Return a game whose kan dora stand where its rules reveal them, if its record lists them apart from the moves."""
    if not game.dora_listed:
        return game
    builder = GameBuilder(game.ruleset)
    for kyoku in game.kyoku:
        indicators = [event.indicator for event in kyoku.events if isinstance(event, ev.DoraRevealed)]
        builder.kan_dora = indicators[1:]
        for index, event in enumerate(kyoku.events):
            builder.add(event, kyoku.stated.get(index))
    return replace(game, kyoku=builder.game().kyoku)


def played_length(ruleset: Ruleset, kyoku: Sequence[RecordedKyoku], ended: ev.GameEnded | None) -> Length | None:
    """Return how long a game from its first kyoku on is, by the winds that were played; None if they fit either way.

    South is played in a hanchan, or after an east round in which nobody has reached the target.
    """
    starts = [each.started for each in kyoku]
    south = [started for started in starts if started.bakaze > 0]
    has_extra = ruleset.extra_round is not ExtraRound.NONE
    if south:
        has_target = max(south[0].points) >= ruleset.target
        if not has_extra or has_target or south[-1].bakaze > 1:
            return Length.HANCHAN
    last = scores_after(kyoku[-1])
    points = () if ended is None else ended.points or (last.points if last.are_known else ())
    if not points or min(points) < 0:
        return None
    is_last = starts[-1].dealer == ruleset.seats - 1
    if south:
        return None if is_last else Length.TONPU
    if is_last:
        return Length.TONPU
    return Length.KYOKU if len(kyoku) == 1 else None


def _as_text(name: str) -> str:
    """Return a name that every format can write: with ``?`` for half of a surrogate pair, which JSON can contain."""
    return name.encode(errors="replace").decode()


def _is_tenpai(hand: Sequence[Face]) -> bool:
    """Return whether a hand is tenpai; False if no player can have it, which a replay finds."""
    counts = [0] * KINDS
    for face in hand:
        counts[KIND_OF[face]] += 1
    is_hand = len(hand) % 3 == 1 and len(hand) <= DEALT_TILES and max(counts) <= COPIES
    return is_hand and bool(waits(counts))


def _with_start(assumed: Ruleset, kyoku: Sequence[RecordedKyoku]) -> Ruleset:
    """Return assumed rules with the points of the first kyoku as starting points, if they are equal."""
    first = kyoku[0].started
    if len(first.points) == TENHOU3.seats != assumed.seats:
        assumed = TENHOU3
    points = set(first.points)
    return replace(assumed, start_points=points.pop()) if len(points) == 1 else assumed
