"""Positions of a kyoku as seat 0 sees them, in one line, with tiles in MPSZ (``123m0p6z``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ump.model.events import DoraRevealed, Event, HandDealt, KyokuStarted, TileCalled, TileDiscarded, TileDrawn
from ump.model.hand import Hand
from ump.model.melds import Meld, MeldType
from ump.model.notation import parse_mpsz
from ump.model.seats import Seat
from ump.model.tiles import Face, Kind, sort_faces
from ump.players.observation import Observation
from ump.rules.ruleset import Ruleset

ME: Seat = 0
"""The seat that observes. The dealer is another seat by default."""


def face(tile: str) -> Face:
    """Return the only tile in a text."""
    (only,) = parse_mpsz(tile)
    return only


def pair(tiles: str) -> tuple[Face, Face]:
    """Return two tiles, sorted as in an action."""
    first, second = sort_faces(parse_mpsz(tiles))
    return first, second


def kinds(tiles: str) -> frozenset[Kind]:
    """Return the kinds of some tiles."""
    return frozenset(kind for kind, count in enumerate(Hand(parse_mpsz(tiles)).kinds) if count)


def meld(type_: MeldType, own: str, called: str = "", *, source: Seat = 3, added: str = "") -> Meld:
    """Return a meld; without a called tile it is a closed kan."""
    tiles = sort_faces(parse_mpsz(own))
    if not called:
        return Meld(type_, tiles)
    return Meld(type_, tiles, face(called), source, face(added) if added else None)


def chi(own: str, called: str) -> Meld:
    """Return a chi."""
    return meld(MeldType.CHI, own, called)


def pon(tile: str) -> Meld:
    """Return a pon from the previous seat."""
    return meld(MeldType.PON, tile * 2, tile)


def start(dealer: Seat = 1, bakaze: int = 0, points: Sequence[int] = (25_000,) * 4) -> KyokuStarted:
    """Return the start of an ordinary kyoku."""
    return KyokuStarted(bakaze, dealer, honba=0, kyotaku=0, points=tuple(points), dice=(1, 1))


def watched(events: Sequence[Event], seat: Seat | None = ME, ruleset: Ruleset | None = None) -> Observation:
    """Return the observation of a seat after these events."""
    seen = Observation(seat, ruleset or Ruleset())
    for event in events:
        seen.see(event)
    return seen


def position(
    concealed: str,
    *,
    melds: Sequence[Meld] = (),
    dora: str = "",
    rivers: Mapping[Seat, str] | None = None,
    drawn: str = "",
    left: int = 40,
    started: KyokuStarted | None = None,
    ruleset: Ruleset | None = None,
) -> Observation:
    """Return the observation of seat 0 with these concealed tiles and melds, after drawing a tile if one is named.

    ``dora`` are indicators. The rivers are discarded seat by seat, and nobody calls.
    """
    own = tuple(tile for each in melds for tile in each.own)
    assert len(parse_mpsz(concealed)) + 3 * len(melds) in (13, 14), "14 only after a call"
    events: list[Event] = [
        started or start(),
        HandDealt(ME, sort_faces((*parse_mpsz(concealed), *own, *parse_mpsz((rivers or {}).get(ME, ""))))),
        *(DoraRevealed(indicator) for indicator in parse_mpsz(dora)),
        *(TileCalled(ME, each) for each in melds),
    ]
    for seat, river in (rivers or {}).items():
        for tile in parse_mpsz(river):
            events += [] if seat == ME else [TileDrawn(seat, left, None)]
            events.append(TileDiscarded(seat, tile, tsumogiri=False))
    events.append(TileDrawn(ME, left, face(drawn)) if drawn else TileDrawn(1, left, None))
    return watched(events, ruleset=ruleset)
