"""Events as sentences, without ids: what every connection of one view is told alike.

Three events need more than themselves, and are written by functions of their own: how a game starts is a matter of who
is told, the first dora goes before the hands, and what a win is worth depends on the dealer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ump.model.constants import BAIMAN, DEALT_TILES, HANEMAN, MANGAN, SANBAIMAN, STICK_POINTS, YAKUMAN, YAKUMAN_HAN
from ump.model.events import (
    DoraRevealed,
    Event,
    GameEnded,
    GameStarted,
    HandDealt,
    HandOpened,
    HandWon,
    KanDeclared,
    KyokuDrawn,
    KyokuEnded,
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
from ump.model.notation import UMP_FACES, format_ump_faces
from ump.model.seats import Seat, wind_of
from ump.model.tiles import DORA_OF, WINDS, Face, sort_faces
from ump.model.yaku import HandValue, Yaku
from ump.wire.ump01.render import CALLED, Language
from ump.wire.ump01.server_messages import Call, Dice, KyokuEnd
from ump.wire.ump02 import server_messages
from ump.wire.ump02.words import HIDDEN, SEATS

BLOCKS: tuple[slice, ...] = (slice(0, 4), slice(4, 8), slice(8, 12), slice(12, 13))
"""How a sorted hand is cut for the deal."""

TENTH = 100
"""Points of a tenth of a thousand, which results are counted in."""

_DORA = frozenset((Yaku.DORA, Yaku.URA_DORA, Yaku.RED_DORA))

_LIMITS: dict[int, tuple[str, str]] = {
    MANGAN: ("満貫", "mangan"),
    HANEMAN: ("跳満", "haneman"),
    BAIMAN: ("倍満", "baiman"),
    SANBAIMAN: ("三倍満", "sanbaiman"),
    YAKUMAN: ("数え役満", "kazoeyakuman"),
}
"""The limits by basic points, as libump names them, and romanised."""

_YAKUMAN = ("役満", "yakuman")


def start_texts(event: GameStarted, seat: Seat | None, table: str | None) -> tuple[str, ...]:
    """Tell who sits where, a player (not a spectator) its own seat first; ``table`` names the game."""
    own = () if seat is None else (server_messages.OwnSeat(seat, table).serialise(),)
    players = (server_messages.Player(each, name).serialise() for each, name in enumerate(event.names))
    return (*own, *players, server_messages.GameStart(table).serialise())


def deal_texts(hands: Sequence[HandDealt]) -> tuple[str, ...]:
    """Tell hands, the dealer's first: four tiles, four, four and one for each in turn."""
    hidden: tuple[Face | None, ...] = (None,) * DEALT_TILES
    return tuple(
        server_messages.Haipai(hand.seat, (hidden if hand.faces is None else hand.faces)[block]).serialise()
        for block in BLOCKS
        for hand in hands
    )


def win_texts(event: HandWon, language: Language, dealer: Seat) -> tuple[str, ...]:
    """Tell a win: who wins, with what, what it is worth, who pays."""
    is_ron = event.loser is not None
    worth = server_messages.Agari(
        event.seat,
        points_label(event.value, language, len(event.changes), is_dealer=event.seat == dealer, is_ron=is_ron),
        event.value.fu,
        _pairs(event.value, language),
        event.tile if is_ron else None,
    )
    payers = (seat for seat in range(len(event.changes)) if seat != event.seat)
    return (
        server_messages.Say(event.seat, Call.RON if is_ron else Call.TSUMO).serialise(),
        server_messages.Open(event.seat, format_ump_faces(event.faces)).serialise(),
        *(server_messages.Uradora(DORA_OF[indicator], indicator).serialise() for indicator in event.ura),
        worth.serialise(),
        *_changes(event.changes, (*payers, event.seat)),
    )


def points_label(value: HandValue, language: Language, seats: int, *, is_dealer: bool, is_ron: bool) -> str:
    """Return what a hand pays without honba and sticks, on tsumo by all together; or the name of its limit."""
    names = _YAKUMAN if value.yakuman else _LIMITS.get(value.base)
    if names is not None:
        return names[language is Language.ENGLISH]
    return str(value.points(seats, is_dealer=is_dealer, is_tsumo=not is_ron))


def _pairs(value: HandValue, language: Language) -> tuple[tuple[str, int], ...]:
    """Return yaku and han, all dora as the last pair; how many times yakuman in place of han."""
    if value.yakuman:
        return tuple((language.name_of(yaku), han // YAKUMAN_HAN) for yaku, han in value.yaku)
    dora = sum(han for yaku, han in value.yaku if yaku in _DORA)
    pairs = [(language.name_of(yaku), han) for yaku, han in value.yaku if yaku not in _DORA]
    return (*pairs, (language.name_of(Yaku.DORA), dora)) if dora else tuple(pairs)


def _changes(changes: tuple[int, ...], order: Iterable[Seat]) -> tuple[str, ...]:
    """Write the changes of scores in this order of seats; nothing is said of a change of 0."""
    return tuple(f"point {SEATS[seat]} {changes[seat]:+d}" for seat in order if changes[seat])


# What needs no more than the event


def _kyoku_started(event: KyokuStarted) -> tuple[str, ...]:
    seats = range(len(event.points))
    winds = tuple(WINDS[wind_of(seat, event.dealer, len(seats))] for seat in seats)
    kyotaku, bakaze = event.kyotaku * STICK_POINTS, WINDS[event.bakaze]
    return (
        server_messages.KyokuStart(event.bakaze, event.dealer, event.honba, kyotaku, bakaze, winds).serialise(),
        *(server_messages.Point(seat, "=", event.points[seat]).serialise() for seat in seats),
        Dice(*event.dice).serialise(),
    )


def _dora_revealed(event: DoraRevealed) -> tuple[str, ...]:
    return (server_messages.Dora(DORA_OF[event.indicator], event.indicator).serialise(),)


def _tile_drawn(event: TileDrawn) -> tuple[str, ...]:
    tile = HIDDEN if event.face is None else UMP_FACES[event.face]
    if event.rinshan:
        return (f"tsumo {SEATS[event.seat]} {event.left} {tile} rinshan",)
    return (f"tsumo {SEATS[event.seat]} {event.left} {tile}",)


def _riichi_declared(event: RiichiDeclared) -> tuple[str, ...]:
    return (server_messages.Say(event.seat, Call.RIICHI).serialise(),)


def _tile_discarded(event: TileDiscarded) -> tuple[str, ...]:
    text = f"sutehai {SEATS[event.seat]} {UMP_FACES[event.face]}"
    return (f"{text}{_FLAGS[event.tsumogiri, event.riichi]}",)


_FLAGS = {(False, False): "", (True, False): " tsumogiri", (False, True): " richi", (True, True): " tsumogiri richi"}


def _riichi_paid(event: RiichiPaid) -> tuple[str, ...]:
    return (server_messages.Richi(event.seat, STICK_POINTS).serialise(),)


def _tile_called(event: TileCalled) -> tuple[str, ...]:
    meld = event.meld
    return (
        server_messages.Say(event.seat, CALLED[meld.type]).serialise(),
        server_messages.Open(event.seat, f"<{format_ump_faces(meld.own)}>", meld.called).serialise(),
    )


def _kan_declared(event: KanDeclared) -> tuple[str, ...]:
    return (server_messages.Say(event.seat, Call.KAN).serialise(), _kan_opened(event.seat, event.meld).serialise())


def _kan_opened(seat: Seat, meld: Meld) -> server_messages.Open:
    """Show a closed kan, or a pon with the tile that is added to it."""
    if meld.type is MeldType.ANKAN:
        return server_messages.Open(seat, f"({format_ump_faces(meld.own)})")
    pon = Meld(MeldType.PON, meld.own, meld.called, meld.source)
    return server_messages.Open(seat, f"[{format_ump_faces(pon.faces)}]", meld.added)


def _ron_declared(event: RonDeclared) -> tuple[str, ...]:
    return (server_messages.Say(event.seat, Call.RON).serialise(),)


def _hand_text(seat: Seat, faces: tuple[Face, ...]) -> str:
    """Show the concealed tiles of a hand; its melds lie open already."""
    return server_messages.Open(seat, format_ump_faces(sort_faces(faces))).serialise()


def _hand_opened(event: HandOpened) -> tuple[str, ...]:
    return (_hand_text(event.seat, event.faces),)


def _tenpai_declared(event: TenpaiDeclared) -> tuple[str, ...]:
    said = server_messages.Say(event.seat, Call.TENPAI if event.tenpai else Call.NOTEN).serialise()
    return (said,) if event.faces is None else (_hand_text(event.seat, event.faces), said)


def _kyoku_drawn(event: KyokuDrawn) -> tuple[str, ...]:
    return (server_messages.Ryukyoku(event.reason).serialise(), *_changes(event.changes, range(len(event.changes))))


def _kyoku_ended(event: KyokuEnded) -> tuple[str, ...]:
    return (KyokuEnd.NAME,)


def _game_ended(event: GameEnded) -> tuple[str, ...]:
    order = sorted(range(len(event.places)), key=event.places.__getitem__)
    return (server_messages.GameEnd(tuple((seat, event.results[seat] * TENTH) for seat in order)).serialise(),)


_RENDER: dict[type, Callable[[Any], tuple[str, ...]]] = {
    KyokuStarted: _kyoku_started,
    DoraRevealed: _dora_revealed,
    TileDrawn: _tile_drawn,
    RiichiDeclared: _riichi_declared,
    TileDiscarded: _tile_discarded,
    RiichiPaid: _riichi_paid,
    TileCalled: _tile_called,
    KanDeclared: _kan_declared,
    RonDeclared: _ron_declared,
    HandOpened: _hand_opened,
    TenpaiDeclared: _tenpai_declared,
    KyokuDrawn: _kyoku_drawn,
    KyokuEnded: _kyoku_ended,
    GameEnded: _game_ended,
}
"""How each event is told. Draws and discards, nine sentences of ten, are written without their classes."""


def render(event: Event, seat: Seat | None = None) -> tuple[str, ...]:
    """Return the sentences that tell an event as it was viewed, one that needs no more than itself; to all alike."""
    return _RENDER[type(event)](event)
