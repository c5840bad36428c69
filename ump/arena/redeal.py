"""Positions for search: a kyoku with other tiles where one seat cannot see them, played to the same point.

The new tiles agree with all that the seat knows: its own tiles, the indicators, and what others discarded, called,
declared and showed. Players have the tiles that they gave away later, and have drawn those that they discarded as
drawn. A hand in riichi is tenpai, and its player has let no win pass, if that can be. All other hands are equally
likely: nothing is concluded from discards, or from calls that nobody made.

Hands in riichi are made of sets and a pair, or of pairs, less one tile, by how many ways the hidden tiles have to make
them. So waits with more live tiles are more frequent than by chance alone. No such hand waits for thirteen orphans.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, factorial
from random import Random

from ump.game.deals import Deal, seeded_deals
from ump.game.game import Game
from ump.model import events as ev
from ump.model.actions import Action
from ump.model.claims import IllegalAction
from ump.model.constants import DEALT_TILES
from ump.model.hand import Hand
from ump.model.melds import Meld
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import EAST, FACES, KIND_OF, KINDS, NORTH, Face, Kind, Tile, faces_of_tiles
from ump.model.value import value
from ump.record.physical_tiles import WallPlaces
from ump.record.replay import infer_action
from ump.rules.analysis import waits_of
from ump.rules.questions import Question
from ump.rules.wall import LAYOUTS
from ump.table.view import view

TRIES, MORE_TRIES = 1_000, 1_000
"""Walls to try, and more of them with riichi hands that may have let a win pass, as players may."""

_PAIRS = 7
_RUNS: tuple[Kind, ...] = tuple(kind for kind in range(EAST) if kind % 9 < 7)
"""The lowest kind of each run."""


@value
class Redealt:
    """A game that has come to the same point with other tiles."""

    game: Game
    events: tuple[ev.Event, ...]
    """Those of the kyoku, with hidden tiles."""
    answers: tuple[tuple[Seat, Action], ...]
    """The answers of the kyoku, and who gave them."""


def redealt(game: Game, events: Sequence[ev.Event], seat: Seat, chance: Random) -> Redealt:
    """Deal the tiles anew that a seat cannot see, and play the kyoku to the same point.

    ``events`` are those of the game so far, or of this kyoku. The seat is asked first then, if several are; what others
    have answered to their open questions is forgotten. The walls of the following kyoku are new, too. Raises ValueError
    if the seat is not asked, or if no wall is found that agrees with everything.
    """
    question = game.questions.get(seat)
    if question is None:
        raise ValueError(f"seat {seat} is not asked; asked are {tuple(game.questions)}")
    began = max(place for place, event in enumerate(events) if isinstance(event, ev.KyokuStarted))
    known = _Known([view(event, seat) for event in events[began:]], game, question)
    for number in range(TRIES + MORE_TRIES):
        deal = known.deal(chance, may_miss=number >= TRIES)
        if deal is not None:
            following = seeded_deals(str(chance.getrandbits(64)), game.ruleset.seats)
            found = _played(game.dealt_anew(deal, following), known.events, seat)
            if found is not None:
                return found
    raise ValueError(f"found no other tiles that agree with all that seat {seat} knows")


def _played(game: Game, told: Sequence[ev.Event], seat: Seat) -> Redealt | None:
    """Play a kyoku so that the seat is told the same; return None if it cannot be."""
    answers: list[tuple[Seat, Action]] = []
    happened = game.proceed()
    while len(happened) < len(told):
        asked, question = next(iter(game.questions.items()))
        action = infer_action(asked, question.phase, told, len(happened))
        if action is None:
            return None
        try:
            happened += game.answer(asked, action)
        except IllegalAction:
            return None
        answers.append((asked, action))
        if not game.questions:
            return None
    if seat not in game.questions or [view(event, seat) for event in happened] != list(told):
        return None
    others = {other: game.questions.pop(other) for other in list(game.questions) if other != seat}
    game.questions.update(others)
    return Redealt(game, tuple(happened), tuple(answers))


class _HiddenHand:
    """The tiles of another player, as the seat knows them."""

    def __init__(self) -> None:
        self.given: list[Face] = []
        """The tiles that were in the hand before a draw and are known by now, in the order in which they became so."""
        self.kept: list[int] = []
        """The events with which the player drew a tile that it kept."""
        self.drawn: dict[int, Face] = {}
        """The drawn tiles that the player gave away at once, by the event of the draw."""
        self.melds: list[Meld] = []
        self.river: set[Kind] = set()
        self.is_shown = False
        self.riichi = False
        self.missed: set[Kind] = set()
        """The kinds of others that have passed since the riichi."""
        self.refused: set[Kind] = set()
        """The kinds that the player has drawn and discarded since its riichi."""

    @property
    def hidden(self) -> int:
        """The number of concealed tiles that the seat does not know."""
        return DEALT_TILES + len(self.kept) - len(self.given)

    def discard(self, event: ev.TileDiscarded) -> None:
        """Take a discard: the last drawn tile, or one that was in the hand before."""
        kind = KIND_OF[event.face]
        if event.tsumogiri:
            self.drawn[self.kept.pop()] = event.face
        else:
            self.given.append(event.face)
        if self.riichi:
            self.refused.add(kind)
        else:
            self.river.add(kind)
        self.riichi = self.riichi or event.riichi

    def give(self, faces: Sequence[Face]) -> None:
        """Take tiles that leave the hand. In riichi one of them was drawn just now, and others may be shown already."""
        if self.riichi:
            self.drawn[self.kept.pop()] = faces[0]
            faces = faces[1:]
        if not self.is_shown:
            self.given += faces

    def show(self, faces: Sequence[Face]) -> None:
        """Take a hand that everybody sees."""
        if not self.is_shown:
            self.given += faces
        self.is_shown = True

    def agrees(self, waits: frozenset[Kind]) -> bool:
        """Tell whether a player in riichi with these waits has had no win to let pass."""
        is_furiten = not waits.isdisjoint(self.river)
        return waits.isdisjoint(self.refused) and (is_furiten or waits.isdisjoint(self.missed))


class _Known:
    """All that a seat knows about the tiles of a kyoku."""

    def __init__(self, told: Sequence[ev.Event], game: Game, question: Question) -> None:
        self.events = told
        self._ruleset = game.ruleset
        self._seat = question.seat
        self._hands = [_HiddenHand() for _ in range(game.ruleset.seats)]
        faces = faces_of_tiles(game.ruleset.red_fives)
        self._tiles: list[list[Tile]] = [[] for _ in range(FACES)]
        """The tiles of each face."""
        for tile in LAYOUTS[game.ruleset.seats].tiles:
            self._tiles[faces[tile]].append(tile)
        self._seen: list[Face] = []
        """The seat's own tiles, and the indicators."""
        self._last: tuple[Seat, Kind] | None = None
        """The last tile that others could win on, until it has passed."""
        for number, event in enumerate(told):
            self._see(number, event)
        if question.phase is Phase.DECLARE:
            self._pass()
        self._pool = self._hidden_faces()

    def _see(self, number: int, event: ev.Event) -> None:
        match event:
            case ev.HandDealt(faces=faces) if faces is not None:
                self._seen += faces
            case ev.DoraRevealed(indicator=indicator):
                self._seen.append(indicator)
            case ev.TileDrawn(seat=seat, face=face):
                self._pass()
                if face is not None:
                    self._seen.append(face)
                else:
                    self._hands[seat].kept.append(number)
            case ev.TileDiscarded(seat=seat):
                self._last = (seat, KIND_OF[event.face])
                if seat != self._seat:
                    self._hands[seat].discard(event)
            case ev.TileCalled(seat=seat, meld=meld) | ev.KanDeclared(seat=seat, meld=meld):
                self._lay_down(seat, meld)
            case ev.KitaDeclared(seat=seat):
                self._last = (seat, NORTH)
                if seat != self._seat:
                    self._hands[seat].give((NORTH,))
            case ev.HandOpened(seat=seat, faces=faces) | ev.TenpaiDeclared(seat=seat, faces=faces):
                if seat != self._seat and faces is not None:
                    self._hands[seat].show(faces)
            case _:
                pass  # the others say nothing about tiles

    def _lay_down(self, seat: Seat, meld: Meld) -> None:
        if meld.added is not None:
            self._last = (seat, meld.kind)
        elif meld.source is not None:
            self._pass()
        hand = self._hands[seat]
        if meld.added is None:
            hand.melds.append(meld)
        if seat != self._seat:
            hand.give(meld.own if meld.added is None else (meld.added,))

    def _pass(self) -> None:
        """Note that nobody has won on the last tile."""
        if self._last is not None:
            seat, kind = self._last
            for other, hand in enumerate(self._hands):
                if other != seat and hand.riichi:
                    hand.missed.add(kind)
            self._last = None

    def _hidden_faces(self) -> list[Face]:
        """Return the tiles that the seat cannot see."""
        counts = [len(tiles) for tiles in self._tiles]
        seen = [*self._seen]
        for hand in self._hands:
            seen += [*hand.given, *hand.drawn.values()]
        for face in seen:
            counts[face] -= 1
        return [face for face, count in enumerate(counts) for _ in range(count)]

    def deal(self, chance: Random, *, may_miss: bool) -> Deal | None:
        """Return a wall that leads to the same events, if the draw succeeds.

        ``may_miss`` tells whether players in riichi may have let a win pass.
        """
        pool = self._pool[:]
        chance.shuffle(pool)
        hands: dict[Seat, list[Face]] = {}
        others = [seat for seat in range(len(self._hands)) if seat != self._seat]
        others.sort(key=lambda seat: not self._hands[seat].riichi)  # tenpai hands first: they need special tiles
        for seat in others:
            hand = self._hands[seat]
            if hand.riichi and not hand.is_shown:
                found = self._in_riichi(hand, pool, chance)
                if not found:
                    return None
                waits = waits_of(Hand(found, hand.melds), self._ruleset.own_copies)
                if not waits or not (may_miss or hand.agrees(waits)):
                    return None
            else:
                found = [pool.pop() for _ in range(hand.hidden)]
            chance.shuffle(found)
            hands[seat] = [*hand.given, *found]
        return self._wall(hands, pool)

    def _in_riichi(self, hand: _HiddenHand, pool: list[Face], chance: Random) -> list[Face]:
        """Take a tenpai hand out of the pool; an empty one if this try fails."""
        found: list[Face] = []
        for kind in tenpai_kinds(pool, hand.hidden, chance):
            place = next(place for place, face in enumerate(pool) if KIND_OF[face] == kind)
            found.append(pool.pop(place))
        return found

    def _wall(self, hands: dict[Seat, list[Face]], rest: list[Face]) -> Deal:
        """Return the wall from which the others get these tiles, in this order; the rest lies where nobody has been."""
        started = self.events[0]
        assert isinstance(started, ev.KyokuStarted)
        places = WallPlaces(started.dealer, len(self._hands))
        wall: dict[int, Face] = {}
        for number, event in enumerate(self.events):
            wall.update(zip(places.of(event), self._faces(number, event, hands), strict=True))
        free = [[*tiles] for tiles in self._tiles]
        left = iter(rest)
        ordered = [wall[place] if place in wall else next(left) for place in range(len(wall) + len(rest))]
        return Deal(tuple([free[face].pop() for face in ordered]), started.dice)

    def _faces(self, number: int, event: ev.Event, hands: dict[Seat, list[Face]]) -> Sequence[Face]:
        """Return the tiles that an event takes from the wall."""
        match event:
            case ev.DoraRevealed(indicator=indicator):
                return (indicator,)
            case ev.HandDealt(seat=seat, faces=faces):
                return hands[seat][:DEALT_TILES] if faces is None else faces
            case ev.TileDrawn(seat=seat, face=face):
                if face is not None:
                    return (face,)
                hand = self._hands[seat]
                if number in hand.drawn:
                    return (hand.drawn[number],)
                return (hands[seat][DEALT_TILES + hand.kept.index(number)],)
            case _:
                return ()


def tenpai_kinds(pool: Sequence[Face], count: int, chance: Random) -> list[Kind]:
    """Return the kinds of a tenpai hand of so many tiles of the pool: a complete hand without one of its tiles.

    Return nothing if the sets that were drawn first leave too little for the others.
    """
    left = [0] * KINDS
    for face in pool:
        left[KIND_OF[face]] += 1
    sets = count // 3
    if sets == 4 and _is_seven_pairs(left, chance):
        kinds = _seven_pairs(left, chance)
    else:
        kinds = _sets_and_pair(left, sets, chance)
    if kinds:
        kinds.pop(chance.randrange(len(kinds)))
    return kinds


def _blocks(left: Sequence[int]) -> tuple[list[tuple[Kind, ...]], list[int]]:
    """Return all sets of these tiles, and how many ways there are to take each."""
    blocks: list[tuple[Kind, ...]] = []
    ways: list[int] = []
    for kind in _RUNS:
        blocks.append((kind, kind + 1, kind + 2))
        ways.append(left[kind] * left[kind + 1] * left[kind + 2])
    for kind in range(KINDS):
        blocks.append((kind,) * 3)
        ways.append(comb(left[kind], 3))
    return blocks, ways


def _pair_ways(left: Sequence[int]) -> list[int]:
    """Return how many ways there are to take a pair of each kind."""
    return [comb(count, 2) for count in left]


def _sets_and_pair(left: list[int], sets: int, chance: Random) -> list[Kind]:
    """Take so many sets and a pair out of the tiles; nothing if too few are left."""
    found: list[Kind] = []
    for _ in range(sets):
        blocks, ways = _blocks(left)
        if not any(ways):
            return []
        (block,) = chance.choices(blocks, ways)
        for kind in block:
            left[kind] -= 1
        found += block
    ways = _pair_ways(left)
    if not any(ways):
        return []
    (pair,) = chance.choices(range(KINDS), ways)
    return [*found, pair, pair]


def _is_seven_pairs(left: Sequence[int], chance: Random) -> bool:
    """Draw whether a closed hand is one of seven pairs, by how many ways there are to make each form."""
    pairs = _pair_ways(left)
    by_number = [1] + [0] * _PAIRS
    for ways in pairs:
        for number in range(_PAIRS, 0, -1):
            by_number[number] += by_number[number - 1] * ways
    others = sum(_blocks(left)[1]) ** 4 // factorial(4) * sum(pairs)
    return chance.random() * (by_number[_PAIRS] + others) < by_number[_PAIRS]


def _seven_pairs(left: Sequence[int], chance: Random) -> list[Kind]:
    """Take seven different pairs out of the tiles."""
    ways = _pair_ways(left)
    found: list[Kind] = []
    for _ in range(_PAIRS):
        (kind,) = chance.choices(range(KINDS), ways)
        ways[kind] = 0
        found += [kind, kind]
    return found
