"""A position as an observation, from text: for the estimates of ``ump.players`` outside of a game."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from ump.model.constants import DEALT_TILES
from ump.model.events import DoraRevealed, HandDealt, KyokuStarted, RiichiDeclared, TileDiscarded, TileDrawn
from ump.model.melds import Meld
from ump.model.seats import Seat
from ump.model.tiles import COPIES, KIND_OF, Face, kinds_of, live_wall
from ump.model.value import value
from ump.model.written import parse_written_hand, parse_written_tiles
from ump.players.observation import Observation
from ump.rules.ruleset import Ruleset
from ump.text.hand import WINDS, check_size, check_tiles
from ump.text.win import ConditionsError
from ump.text.written_hands import FrozenHand, hand

_KYOKU = re.compile("([ESWN])([1-4])")
_DISCARD = re.compile(r"\s*([0-9][mpsz])([.*>]*)\s*")


def observed(
    given: FrozenHand | str,
    *,
    rules: Ruleset | str | None = None,
    kyoku: str = "E1",
    seat_wind: str = "south",
    dora: str = "",
    rivers: Mapping[str, str] | None = None,
    melds: Mapping[str, str] | None = None,
    seen: str = "",
    left: int | None = None,
    points: Sequence[int] = (),
    honba: int = 0,
    kyotaku: int = 0,
) -> Observation:
    """Return a position as an observation of the player who holds this hand.

    A last tile of 14 is the drawn one. ``kyoku`` is ``"E1"`` to ``"S4"`` and so on, ``seat_wind`` and the keys of
    ``rivers`` and ``melds`` are east (the dealer), south, west or north. A river is text such as ``1z 9m. 4p* 5s>``:
    ``.`` was discarded as drawn, ``*`` declared riichi, ``>`` was called. Rivers are taken to be in turn order.
    ``melds`` are those of others, such as ``<234p>(6666z)``. ``dora`` are the indicators, ``seen`` further tiles in
    sight, ``left`` the tiles left in the live wall (by default what the rivers leave), ``points`` the scores by seat,
    the first dealer first, ``kyotaku`` riichi sticks.

    Raises NotationError for unreadable text, HandError for impossible tiles, ConditionsError for other arguments that
    contradict each other, RulesetError for an unknown preset.
    """
    held = hand(given, rules=rules)
    check_size(held.faces)
    ruleset = held.rules
    bakaze, dealer = _round(kyoku, ruleset)
    me = _seat("seat_wind", seat_wind, dealer, ruleset)
    position = Observation(me, ruleset)
    position.see(KyokuStarted(bakaze, dealer, honba, kyotaku, tuple(_points(points, ruleset)), (1, 1)))
    for face in parse_written_tiles(dora, ruleset.red_fives) if dora else ():
        position.see(DoraRevealed(face))
    played = {_seat("rivers", wind, dealer, ruleset): _river(text) for wind, text in (rivers or {}).items()}
    _play(position, played)
    others = {_seat("melds", wind, dealer, ruleset): text for wind, text in (melds or {}).items()}
    called = [KIND_OF[each.face] for river in played.values() for each in river if each.called]
    for seat, each in _melds_of(held, others, me, ruleset):
        _lay_open(position, seat, each, called)
    position.show(parse_written_tiles(seen, ruleset.red_fives) if seen else ())
    _deal(position, held, given, sum(map(len, played.values())), left)
    _check(position)
    return position


@value
class _Discard:
    """A tile of a river."""

    face: Face
    tsumogiri: bool
    riichi: bool
    called: bool


def _river(text: str) -> list[_Discard]:
    """Return the discards of a river; raises ConditionsError for other text."""
    found = []
    at = 0
    while at < len(text):
        part = _DISCARD.match(text, at)
        if part is None:
            raise ConditionsError(f"a river is tiles such as 1z 9m. 4p* 5s>; cannot read {text[at : at + 20]!a}")
        (face,) = parse_written_tiles(part[1])
        found.append(_Discard(face, "." in part[2], "*" in part[2], ">" in part[2]))
        at = part.end()
    return found


def _play(position: Observation, rivers: Mapping[Seat, list[_Discard]]) -> None:
    """Let the players discard in turn order."""
    seats = [(position.dealer + turn) % position.ruleset.seats for turn in range(position.ruleset.seats)]
    for turn in zip_longest(*(rivers.get(seat, []) for seat in seats)):
        for seat, discard in zip(seats, turn, strict=True):
            if discard is None:
                continue
            if seat == position.seat:
                position.see(TileDrawn(seat, 0, discard.face))
            if discard.riichi:
                position.see(RiichiDeclared(seat))
            position.see(TileDiscarded(seat, discard.face, discard.tsumogiri, discard.riichi))


def _melds_of(held: FrozenHand, others: Mapping[Seat, str], me: Seat, ruleset: Ruleset) -> Iterator[tuple[Seat, Meld]]:
    """Yield each meld with its owner."""
    for meld in held.melds:
        yield me, meld
    for seat, text in others.items():
        if seat == me:
            raise ConditionsError("melds are those of others; own melds belong to the hand")
        for meld in hand([], text, rules=ruleset).melds:
            yield seat, meld


def _lay_open(position: Observation, seat: Seat, meld: Meld, called: list[int]) -> None:
    """Lay a meld open. Its called tile counts once, in the river from which it came if that marks it."""
    position.melds[seat].append(meld)
    faces = list(meld.faces)
    marked = [face for face in faces if meld.is_open and KIND_OF[face] in called]
    if marked:
        called.remove(KIND_OF[marked[0]])
        faces.remove(marked[0])
    position.show(tuple(faces))


def _deal(position: Observation, held: FrozenHand, given: FrozenHand | str, discards: int, left: int | None) -> None:
    """Deal the hand, its drawn tile last, and count the wall."""
    ruleset = position.ruleset
    faces = held.faces if isinstance(given, FrozenHand) else parse_written_hand(given, ruleset.red_fives)[0]
    has_drawn = len(faces) % 3 != DEALT_TILES % 3
    dealt = faces[:-1] if has_drawn else faces
    position.see(HandDealt(position.me, dealt))
    if left is None:
        left = max(0, live_wall(ruleset.seats) - discards - (1 if has_drawn else 0))
    position.left = left
    if has_drawn:
        position.see(TileDrawn(position.me, left, faces[-1]))
    if held.riichi:
        position.in_riichi[position.me] = True


def _check(position: Observation) -> None:
    """Refuse more than four tiles of a kind in sight."""
    for kind in kinds_of(position.ruleset.seats):
        if position.unseen(kind) < 0:
            check_tiles([kind] * (COPIES - position.unseen(kind)), position.ruleset)


def _round(kyoku: str, ruleset: Ruleset) -> tuple[int, Seat]:
    """Return the round wind and the dealer of a kyoku."""
    found = _KYOKU.fullmatch(kyoku)
    if found is None or int(found[2]) > ruleset.seats:
        raise ConditionsError(f"kyoku={kyoku!a}: expected a wind and a number, as in E1 or S{ruleset.seats}")
    return "ESWN".index(found[1]), int(found[2]) - 1


def _seat(argument: str, wind: str, dealer: Seat, ruleset: Ruleset) -> Seat:
    """Return the seat with a wind."""
    winds = WINDS[: ruleset.seats]
    if wind not in winds:
        raise ConditionsError(f"{argument}: {wind!a} is no seat wind; choose {', '.join(winds)}")
    return (dealer + winds.index(wind)) % ruleset.seats


def _points(given: Sequence[int], ruleset: Ruleset) -> Sequence[int]:
    """Return the scores; those of the start for none."""
    if given and len(given) != ruleset.seats:
        raise ConditionsError(f"points: expected {ruleset.seats} scores, not {len(given)}")
    return given or (ruleset.start_points,) * ruleset.seats
