"""Events as sentences, without ids: what every connection of one language and one view is told alike."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Any

from ump.model.constants import STICK_POINTS
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
from ump.model.notation import UMP_FACES, format_ump_faces, format_ump_hand
from ump.model.seats import LETTERS, Seat
from ump.model.tiles import WINDS
from ump.model.yaku import Yaku
from ump.wire.session import Render
from ump.wire.ump01 import server_messages

CALLED: dict[MeldType, server_messages.Call] = {
    MeldType.CHI: server_messages.Call.CHI,
    MeldType.PON: server_messages.Call.PON,
    MeldType.DAIMINKAN: server_messages.Call.KAN,
}
"""What is said for each call."""


class Language(Enum):
    """In which language yaku are named."""

    JAPANESE = "ja"
    ENGLISH = "en"
    """Romanised, in ASCII."""

    def name_of(self, yaku: Yaku) -> str:
        """Return a yaku's name."""
        return yaku.romaji if self is Language.ENGLISH else yaku.japanese


def render(event: Event, language: Language = Language.JAPANESE, seat: Seat | None = None) -> tuple[str, ...]:
    """Return the sentences that tell an event as it was viewed.

    Only ``gamestart`` names the ``seat`` that is told (None: a spectator), only ``agari`` depends on the language.
    """
    return _RENDER[type(event)](event, language, seat)


def points_text(seat: Seat, change: int) -> str:
    """Write a change of a score."""
    return f"point {LETTERS[seat]} {change:+d}"


def _game_started(event: GameStarted, language: Language, seat: Seat | None) -> tuple[str, ...]:
    return (server_messages.GameStart(seat, event.names).serialise(),)


def _kyoku_started(event: KyokuStarted, language: Language, seat: Seat | None) -> tuple[str, ...]:
    kyotaku = event.kyotaku * STICK_POINTS
    return (
        server_messages.KyokuStart(WINDS[event.bakaze], event.dealer, event.honba, kyotaku).serialise(),
        *(server_messages.Point(each, "=", points).serialise() for each, points in enumerate(event.points)),
        server_messages.Dice(*event.dice).serialise(),
    )


def _hand_dealt(event: HandDealt, language: Language, seat: Seat | None) -> tuple[str, ...]:
    return (server_messages.Haipai(event.seat, event.faces).serialise(),)


def _dora_revealed(event: DoraRevealed, language: Language, seat: Seat | None) -> tuple[str, ...]:
    return (f"dora {UMP_FACES[event.indicator]}",)


def _tile_drawn(event: TileDrawn, language: Language, seat: Seat | None) -> tuple[str, ...]:
    if event.face is None:
        return (f"tsumo {LETTERS[event.seat]} {event.left}",)
    return (f"tsumo {LETTERS[event.seat]} {event.left} {UMP_FACES[event.face]}",)


def _riichi_declared(event: RiichiDeclared, language: Language, seat: Seat | None) -> tuple[str, ...]:
    return (f"say {LETTERS[event.seat]} richi",)


def _tile_discarded(event: TileDiscarded, language: Language, seat: Seat | None) -> tuple[str, ...]:
    if event.tsumogiri:
        return (f"sutehai {LETTERS[event.seat]} {UMP_FACES[event.face]} tsumogiri",)
    return (f"sutehai {LETTERS[event.seat]} {UMP_FACES[event.face]}",)


def _riichi_paid(event: RiichiPaid, language: Language, seat: Seat | None) -> tuple[str, ...]:
    return (points_text(event.seat, -STICK_POINTS),)


def _tile_called(event: TileCalled, language: Language, seat: Seat | None) -> tuple[str, ...]:
    meld = event.meld
    own = f"<{format_ump_faces(meld.own)}>"
    return (
        server_messages.Say(event.seat, CALLED[meld.type]).serialise(),
        server_messages.Open(event.seat, own, meld.called).serialise(),
    )


def _kan_declared(event: KanDeclared, language: Language, seat: Seat | None) -> tuple[str, ...]:
    return (
        server_messages.Say(event.seat, server_messages.Call.KAN).serialise(),
        _kan_opened(event.seat, event.meld).serialise(),
    )


def _kan_opened(seat: Seat, meld: Meld) -> server_messages.Open:
    """Show a closed kan, or a pon with the tile that is added to it."""
    if meld.type is MeldType.ANKAN:
        return server_messages.Open(seat, f"({format_ump_faces(meld.own)})")
    pon = Meld(MeldType.PON, meld.own, meld.called, meld.source)
    return server_messages.Open(seat, f"<{format_ump_faces(pon.faces)}>", meld.added)


def _ron_declared(event: RonDeclared, language: Language, seat: Seat | None) -> tuple[str, ...]:
    return (server_messages.Say(event.seat, server_messages.Call.RON).serialise(),)


def _hand_opened(event: HandOpened, language: Language, seat: Seat | None) -> tuple[str, ...]:
    return (server_messages.Open(event.seat, format_ump_hand(event.faces, event.melds)).serialise(),)


def _tenpai_declared(event: TenpaiDeclared, language: Language, seat: Seat | None) -> tuple[str, ...]:
    said = server_messages.Say(
        event.seat, server_messages.Call.TENPAI if event.tenpai else server_messages.Call.NOTEN
    ).serialise()
    if event.faces is None:
        return (said,)
    return (server_messages.Open(event.seat, format_ump_hand(event.faces, event.melds)).serialise(), said)


def _hand_won(event: HandWon, language: Language, seat: Seat | None) -> tuple[str, ...]:
    shown = format_ump_faces(event.faces) + format_ump_hand((), event.melds)  # on tsumo the winning tile stays the last
    yaku = tuple((language.name_of(each), han) for each, han in event.value.yaku)
    return (
        server_messages.Say(
            event.seat, server_messages.Call.TSUMO if event.loser is None else server_messages.Call.RON
        ).serialise(),
        server_messages.Open(event.seat, shown).serialise(),
        *(server_messages.Dora(indicator).serialise() for indicator in event.ura),
        server_messages.Agari(event.seat, event.value.fu, yaku).serialise(),
        *_changes(event.changes, sign=-1),
        *_changes(event.changes, sign=1),
    )


def _changes(changes: tuple[int, ...], sign: int) -> tuple[str, ...]:
    """Write the changes of one sign; nothing is said of a change of 0."""
    return tuple(points_text(seat, change) for seat, change in enumerate(changes) if change * sign > 0)


def _kyoku_drawn(event: KyokuDrawn, language: Language, seat: Seat | None) -> tuple[str, ...]:
    payments = (*_changes(event.changes, sign=-1), *_changes(event.changes, sign=1))
    return (server_messages.Ryukyoku(event.reason).serialise(), *payments)


def _kyoku_ended(event: KyokuEnded, language: Language, seat: Seat | None) -> tuple[str, ...]:
    return (server_messages.KyokuEnd.NAME,)


def _game_ended(event: GameEnded, language: Language, seat: Seat | None) -> tuple[str, ...]:
    return (server_messages.GameEnd(event.points).serialise(),)


_RENDER: dict[type, Callable[[Any, Language, Seat | None], tuple[str, ...]]] = {
    GameStarted: _game_started,
    KyokuStarted: _kyoku_started,
    HandDealt: _hand_dealt,
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
    HandWon: _hand_won,
    KyokuDrawn: _kyoku_drawn,
    KyokuEnded: _kyoku_ended,
    GameEnded: _game_ended,
}
"""How each event is told. Draws and discards, nine sentences of ten, are written without their classes."""


def _render_in(language: Language, event: Event, seat: Seat | None) -> tuple[str, ...]:
    return _RENDER[type(event)](event, language, seat)


RENDER_IN: dict[Language, Render] = {language: partial(_render_in, language) for language in Language}
"""How events are told in each language: one and the same function for all connections that share it."""
