"""Writes events as UMP 0.1 sentences, without ids, once for all connections of one language that see an event alike."""

from __future__ import annotations

from enum import Enum
from functools import partial
from typing import assert_never

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
    KitaDeclared,
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
from ump.wire.ump01.server_messages import SET_ASIDE, Call

CALLED: dict[MeldType, Call] = {
    MeldType.CHI: Call.CHI,
    MeldType.PON: Call.PON,
    MeldType.DAIMINKAN: Call.KAN,
}
"""The word with which a player makes each open meld."""


class Language(Enum):
    """The language of yaku names."""

    JAPANESE = "ja"
    ENGLISH = "en"
    """Romanised Japanese, in ASCII."""

    def name_of(self, yaku: Yaku) -> str:
        """Return the name of a yaku in this language."""
        return yaku.romaji if self is Language.ENGLISH else yaku.japanese


def render(event: Event, seat: Seat | None = None, language: Language = Language.JAPANESE) -> tuple[str, ...]:
    """Return the sentences of an event, as one seat may see it.

    ``seat`` is the receiver's (None for a spectator), which only ``gamestart`` names. The language matters to ``agari``
    only. Draws and discards are nine events of ten, so they come first and are written without their classes.
    """
    if isinstance(event, TileDrawn):
        if event.face is None:
            return (f"tsumo {LETTERS[event.seat]} {event.left}",)
        return (f"tsumo {LETTERS[event.seat]} {event.left} {UMP_FACES[event.face]}",)
    if isinstance(event, TileDiscarded):
        if event.tsumogiri:
            return (f"sutehai {LETTERS[event.seat]} {UMP_FACES[event.face]} tsumogiri",)
        return (f"sutehai {LETTERS[event.seat]} {UMP_FACES[event.face]}",)
    match event:
        case TileCalled():
            return _call_sentences(event)
        case KanDeclared():
            return (_say(event.seat, Call.KAN), _kan_sentence(event.seat, event.meld))
        case KitaDeclared():
            return (_say(event.seat, Call.KITA), server_messages.Open(event.seat, SET_ASIDE).serialise())
        case RiichiDeclared():
            return (_say(event.seat, Call.RIICHI),)
        case RiichiPaid():
            return (change_sentence(event.seat, -STICK_POINTS),)
        case DoraRevealed():
            return (server_messages.Dora(event.indicator).serialise(),)
        case HandDealt():
            return (server_messages.Haipai(event.seat, event.faces).serialise(),)
        case KyokuStarted():
            return _kyoku_sentences(event)
        case RonDeclared():
            return (_say(event.seat, Call.RON),)
        case HandOpened():
            return (server_messages.Open(event.seat, format_ump_hand(event.faces, event.melds)).serialise(),)
        case TenpaiDeclared():
            return _tenpai_sentences(event)
        case HandWon():
            return _win_sentences(event, language)
        case KyokuDrawn():
            return (server_messages.Ryukyoku(event.reason).serialise(), *_change_sentences(event.changes))
        case KyokuEnded():
            return (server_messages.KyokuEnd.NAME,)
        case GameStarted():
            return (server_messages.GameStart(seat, event.names).serialise(),)
        case GameEnded():
            return (server_messages.GameEnd(event.points).serialise(),)
        case _:
            assert_never(event)


RENDER_IN: dict[Language, Render] = {language: partial(render, language=language) for language in Language}
"""The render function of each language. All connections of a language share it, so that an event is rendered once."""


def change_sentence(seat: Seat, change: int) -> str:
    """Return the sentence of a change of a score, in points."""
    return f"point {LETTERS[seat]} {change:+d}"


def _change_sentences(changes: tuple[int, ...]) -> tuple[str, ...]:
    """Return the payments, then the gains, each in order of seats; a change of 0 is not sent."""
    by_seat = tuple(enumerate(changes))
    return (
        *(change_sentence(seat, change) for seat, change in by_seat if change < 0),
        *(change_sentence(seat, change) for seat, change in by_seat if change > 0),
    )


def _say(seat: Seat, call: Call) -> str:
    return server_messages.Say(seat, call).serialise()


def _kyoku_sentences(event: KyokuStarted) -> tuple[str, ...]:
    kyotaku = event.kyotaku * STICK_POINTS
    return (
        server_messages.KyokuStart(WINDS[event.bakaze], event.dealer, event.honba, kyotaku).serialise(),
        *(server_messages.Point(seat, "=", points).serialise() for seat, points in enumerate(event.points)),
        server_messages.Dice(*event.dice).serialise(),
    )


def _call_sentences(event: TileCalled) -> tuple[str, ...]:
    own = f"<{format_ump_faces(event.meld.own)}>"
    return (
        _say(event.seat, CALLED[event.meld.type]),
        server_messages.Open(event.seat, own, event.meld.called).serialise(),
    )


def _kan_sentence(seat: Seat, meld: Meld) -> str:
    """Return the sentence that shows a closed kan, or a pon with the tile that is added to it."""
    if meld.type is MeldType.ANKAN:
        return server_messages.Open(seat, f"({format_ump_faces(meld.own)})").serialise()
    pon = Meld(MeldType.PON, meld.own, meld.called, meld.source)
    return server_messages.Open(seat, f"<{format_ump_faces(pon.faces)}>", meld.added).serialise()


def _tenpai_sentences(event: TenpaiDeclared) -> tuple[str, ...]:
    said = _say(event.seat, Call.TENPAI if event.tenpai else Call.NOTEN)
    if event.faces is None:
        return (said,)
    return (server_messages.Open(event.seat, format_ump_hand(event.faces, event.melds)).serialise(), said)


def _win_sentences(event: HandWon, language: Language) -> tuple[str, ...]:
    # The concealed tiles are not sorted here: on tsumo the winning tile is the last.
    shown = format_ump_faces(event.faces) + format_ump_hand((), event.melds) + SET_ASIDE * event.norths
    yaku = tuple((language.name_of(each), han) for each, han in event.value.yaku)
    return (
        _say(event.seat, Call.TSUMO if event.loser is None else Call.RON),
        server_messages.Open(event.seat, shown).serialise(),
        *(server_messages.Dora(indicator).serialise() for indicator in event.ura),
        server_messages.Agari(event.seat, event.value.fu, yaku).serialise(),
        *_change_sentences(event.changes),
    )
