"""Replays a captured kyoku, of which only one player's view is known, and compares the offers to that player.

A real ``Kyoku`` is played, so every offer comes from a real question, and the engine counts furiten, first turns, kans
and the wall. Tiles that the player cannot see are invented: before a hidden hand acts it gets tiles that fit, and the
wall has the drawn tiles. This does not affect the offers to the player.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, repeat

from support.tenhou_captures import ME, NOTHING, SEATS, CapturedKyoku, Offer, Resumed

from ump.game.board import PlayerBoard
from ump.game.kyoku import Kyoku
from ump.model import events as ev
from ump.model.actions import Action, Ankan, Chi, Daiminkan, Discard, Kakan, KyushuKyuhai, Pon, Riichi, Ron, Tsumo
from ump.model.claims import IllegalAction
from ump.model.constants import LIVE_WALL
from ump.model.hand import Hand
from ump.model.phases import Phase
from ump.model.seats import Seat, others_after
from ump.model.tiles import COPIES, IN_ORDER, KIND_OF, NORTH, Face
from ump.model.value import value
from ump.record.replay import infer_action
from ump.rules.analysis import ALL_KINDS
from ump.rules.questions import Question
from ump.rules.ruleset import Ruleset
from ump.rules.turn_question import TurnQuestion
from ump.rules.wall import Wall
from ump.table.view import view

BITS: dict[type[Action], Offer] = {
    Pon: Offer.PON,
    Daiminkan: Offer.DAIMINKAN,
    Chi: Offer.CHI,
    Ron: Offer.RON,
    Tsumo: Offer.TSUMO,
    Riichi: Offer.RIICHI,
    KyushuKyuhai: Offer.KYUSHU_KYUHAI,
}
"""The actions whose offers a capture contains. It has no offers of kans on the player's own turn."""

UNKNOWN: Face = NORTH
"""Stands for a tile that another player draws and keeps."""

FULL = 13
"""Tiles of a hand between turns, each meld counted as three."""


@value
class Point:
    """One tile that could have come with an offer to the player."""

    file: str
    kyoku: int
    event: int
    """Its place in the round."""
    about: ev.Event
    offered: Offer
    """The offer in the capture."""
    ours: Offer
    """The offer of our question; nothing if there is none."""
    told_furiten: bool = False
    """Whether the server has reported furiten; compared when the player draws."""
    in_furiten: bool = False
    """Whether the player is in furiten in our kyoku."""

    @property
    def differs(self) -> bool:
        """Whether the capture differs from our kyoku."""
        return self.offered != self.ours or self.told_furiten != self.in_furiten

    def __str__(self) -> str:
        where = f"{self.file}, round {self.kyoku}, event {self.event}"
        furiten = f"furiten {self.told_furiten}, ours {self.in_furiten}"
        return f"{where}: offered {self.offered!r}, ours {self.ours!r}, {furiten} on {self.about}"


class Drift(Exception):
    """Our kyoku has departed from the captured one. The text has the place, and the event of each."""


class SeenWall(Wall):
    """A wall of which only the revealed tiles are known, in the order of their appearance."""

    __slots__ = ("_draws", "_indicators", "_own")

    def __init__(self, events: Sequence[ev.Event]) -> None:
        self.left = LIVE_WALL
        self.rinshan_drawn = 0
        self._own = _dealt(events)
        self._draws: Iterator[Face] = chain(_draws(events), repeat(UNKNOWN))
        self._indicators = [event.indicator for event in events if isinstance(event, ev.DoraRevealed)]

    def hands(self, dealer: Seat) -> tuple[tuple[Face, ...], ...]:
        """Return the player's own 13 tiles, and invented ones for the three others."""
        return (self._own, *((_filled((), FULL),) * 3))

    def draw(self) -> Face:
        """Take the next tile."""
        self.left -= 1
        return next(self._draws)

    def draw_rinshan(self) -> Face:
        """Take the next tile, as a replacement tile."""
        self.rinshan_drawn += 1
        return self.draw()

    def indicator(self, n: int) -> Face:
        """Return an indicator; one that was never revealed is UNKNOWN."""
        return self._indicators[n] if n < len(self._indicators) else UNKNOWN


def _dealt(events: Sequence[ev.Event]) -> tuple[Face, ...]:
    """Return the player's own starting hand."""
    return next(event.faces for event in events if isinstance(event, ev.HandDealt) and event.faces is not None)


def _draws(events: Sequence[ev.Event]) -> Iterator[Face]:
    """Yield the drawn tiles in order; those of others as far as their later actions reveal them."""
    for place, event in enumerate(events):
        if isinstance(event, ev.TileDrawn):
            yield _seen_later(events[place + 1 :]) if event.face is None else event.face


def _seen_later(upcoming: Sequence[ev.Event]) -> Face:
    """Return the tile that another player has drawn, from its next action."""
    for event in upcoming:
        match event:
            case ev.TileDiscarded(face=face, tsumogiri=True):
                return face
            case ev.KanDeclared(meld=meld) if meld.added is None:
                return meld.own[0]
            case ev.TileDiscarded() | ev.KanDeclared() | ev.TileDrawn():
                break
    return UNKNOWN


def comparable_points(captured: CapturedKyoku, ruleset: Ruleset) -> Iterator[Point]:
    """Replay the kyoku, and yield each point of comparison; raises Drift if it cannot go on."""
    return _Replay(captured, ruleset).play()


class _Replay:
    """The replay of a captured kyoku, with the number of events that agree so far."""

    def __init__(self, captured: CapturedKyoku, ruleset: Ruleset) -> None:
        self.captured = captured
        start = captured.events[0]
        assert isinstance(start, ev.KyokuStarted)
        self.own = _dealt(captured.events)
        self.kyoku = Kyoku(
            ruleset,
            SeenWall(captured.events),
            bakaze=start.bakaze,
            dealer=start.dealer,
            honba=start.honba,
            kyotaku=start.kyotaku,
            points=start.points,
            dice=start.dice,
            ask_all=False,
        )
        self.place = 0

    def play(self) -> Iterator[Point]:
        """Play to the end of the captured events."""
        told = self.kyoku.begin()
        if self.captured.resumed is not None:
            told = [*told[:-1], self._resume(self.captured.resumed)]
        yield from self._compare(self._told(told))
        while self.place < len(self.captured.events):
            yield from self._compare(self._answer())

    def _resume(self, resumed: Resumed) -> ev.TileDrawn:
        """Set the board to its state when the client reconnected, with the dealer's drawn tile at the player to move.

        Earlier kans are not handled: the captures have none.
        """
        board = self.kyoku.board
        drawn = next(event for event in self.captured.events if isinstance(event, ev.TileDrawn))
        for seat, player in enumerate(board.players):
            melds = resumed.melds[seat]
            player.hand = Hand(self.own if seat == ME else _filled((), FULL - 3 * len(melds)), melds)
            board.renew_waits(seat)
            player.river = [*resumed.rivers[seat], *_called_from(seat, resumed)]
            player.discarded = {KIND_OF[face] for face in player.river}
        board.uninterrupted = not any(resumed.melds)
        board.wall.left = drawn.left
        (first,) = self.kyoku.questions.values()
        assert first.tile is not None
        board.players[drawn.seat].hand.add(first.tile)
        self.kyoku.questions = {drawn.seat: TurnQuestion(board, drawn.seat, first.tile)}
        return ev.TileDrawn(drawn.seat, drawn.left, first.tile)

    def _compare(self, told: Sequence[ev.Event]) -> Iterator[Point]:
        """Compare events with the capture, and yield the points among them; the last one has the open question."""
        places = range(self.place, min(self.place + len(told), len(self.captured.events)))
        for place, event in zip(places, told, strict=False):
            if view(event, ME) != self.captured.events[place]:
                raise Drift(f"{self._where(place)}: {view(event, ME)} in place of {self.captured.events[place]}")
        at = [place for place in places if _concerns_me(self.captured.events[place])]
        self.place += len(told)
        for place in at:
            ours = self._ours() if place == at[-1] and self.place <= len(self.captured.events) else NOTHING
            yield self._point(place, ours)

    def _point(self, place: int, ours: Offer) -> Point:
        captured = self.captured
        event, offered = captured.events[place], captured.offers[place]
        point = Point(captured.file, captured.number, place, event, offered, ours)
        if not isinstance(event, ev.TileDrawn):
            return point
        return replace(point, told_furiten=captured.furiten[place], in_furiten=self.kyoku.board.players[ME].furiten)

    def _ours(self) -> Offer:
        """Return the offers of our open question in the server's form."""
        question = self.kyoku.questions.get(ME)
        legal = () if question is None else question.legal()
        offer = Offer(sum({BITS[type(action)] for action in legal if type(action) in BITS}))
        return offer & ~Offer.RIICHI if offer & Offer.TSUMO else offer

    def _answer(self) -> list[ev.Event]:
        """Answer one open question as in the captured kyoku."""
        if not self.kyoku.questions:
            raise Drift(f"{self._where(self.place)}: our round is over, then {self.captured.events[self.place]}")
        seat, question = next(iter(self.kyoku.questions.items()))
        upcoming = self.captured.events[self.place :]
        action = infer_action(seat, question.phase, self.captured.events, self.place)
        if action is None:
            raise Drift(f"{self._where(self.place)}: seat {seat} is asked, then {upcoming[:2]}")
        try:
            if question.phase is Phase.TURN:
                self._make_up(question, action)
                self._fit_caller(upcoming)
            return self._told(self.kyoku.answer(seat, action))
        except (IllegalAction, ValueError) as problem:
            raise Drift(f"{self._where(self.place)}: {problem} (seat {seat}), then {upcoming[:2]}") from problem

    def _told(self, events: list[ev.Event]) -> list[ev.Event]:
        """Let hidden hands wait for no tile, and be tenpai with any draw: their real waits and shanten are unknown."""
        for seat in others_after(ME, SEATS):
            player = self.kyoku.board.players[seat]
            player.waits, player.tenpai_draws = frozenset(), ALL_KINDS
        return events

    def _make_up(self, question: Question, action: Action) -> None:
        """Give a hidden hand the tiles for its action, and the drawn tile."""
        if question.seat != ME:
            drawn = () if question.tile is None else (question.tile,)
            fit(self.kyoku.board.players[question.seat], (*_needed(action), *drawn), drawn=1)

    def _fit_caller(self, upcoming: Sequence[ev.Event]) -> None:
        """Give fitting tiles to the player who calls the next discard, so that the engine asks that player."""
        for event in upcoming:
            match event:
                case ev.TileCalled(seat=seat, meld=meld) if seat != ME:
                    fit(self.kyoku.board.players[seat], meld.own)
                case ev.RiichiDeclared() | ev.DoraRevealed() | ev.TileDiscarded() | ev.RiichiPaid():
                    continue
            break

    def _where(self, place: int) -> str:
        return f"{self.captured.file}, round {self.captured.number}, event {place}"


def _called_from(seat: Seat, resumed: Resumed) -> tuple[Face, ...]:
    """Return the discards of a seat that others have called."""
    melds = chain.from_iterable(resumed.melds)
    return tuple(meld.called for meld in melds if meld.source == seat and meld.called is not None)


def _concerns_me(event: ev.Event) -> bool:
    """Return whether an offer is possible after this event: the player's draw, others' discards and kans."""
    match event:
        case ev.TileDrawn(seat=seat):
            return seat == ME
        case ev.TileDiscarded(seat=seat) | ev.KanDeclared(seat=seat):
            return seat != ME
    return False


def fit(player: PlayerBoard, needed: Sequence[Face], *, drawn: int = 0) -> None:
    """Give a hidden hand the needed tiles, and ``drawn`` more tiles than it keeps."""
    melds = player.hand.melds
    player.hand = Hand(_filled(needed, FULL - 3 * len(melds) + drawn), melds)


def _needed(action: Action) -> tuple[Face, ...]:
    """Return the tiles that an action on the own turn needs besides the drawn tile."""
    match action:
        case Discard(face=face, tsumogiri=False) | Riichi(face=face, tsumogiri=False) | Kakan(face=face):
            return (face,)
        case Ankan(kind=kind):
            return (kind,) * (COPIES - 1)
    return ()


def _filled(needed: Sequence[Face], size: int) -> tuple[Face, ...]:
    """Return ``size`` tiles: the needed ones, then triplets and an incomplete triplet, honours first.

    With one tile to discard, and at most one other needed tile, the hand is tenpai after the discard.
    """
    taken = {KIND_OF[face] for face in needed}
    others = [face for face in reversed(IN_ORDER) if KIND_OF[face] == face and face not in taken]
    fill = [face for face in others for _ in range(3)]
    return (*needed, *fill[: size - len(needed)])
