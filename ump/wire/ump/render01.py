"""Writes events as UMP 0.1 sentences, without ids, once for all connections of one language that see an event alike."""

from __future__ import annotations

from enum import Enum
from functools import partial
from typing import assert_never

from ump.model import events as ev
from ump.model.constants import STICK_POINTS
from ump.model.melds import Meld, MeldType
from ump.model.notation import UMP_FACES, format_ump_faces, format_ump_hand
from ump.model.seats import LETTERS, Seat
from ump.model.tiles import WINDS
from ump.model.yaku import Yaku
from ump.text.narration import worth_of
from ump.text.win import yaku_words
from ump.wire.session import Render
from ump.wire.ump import sentences01
from ump.wire.ump.sentence import SET_ASIDE, Call

POINTS_PER_RESULT = 100
"""Results are counted in tenths of a thousand points; sentences have them in points."""

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
    CHINESE = "zh"

    def name_of(self, yaku: Yaku) -> str:
        """Return the name of a yaku in this language."""
        if self is Language.ENGLISH:
            return yaku.romaji
        return yaku_words(yaku, self.value)


def render(event: ev.Event, seat: Seat | None = None, language: Language = Language.JAPANESE) -> tuple[str, ...]:
    """Return the sentences of an event, as one seat may see it.

    ``seat`` is the receiver's (None for a spectator), which only ``gamestart`` names. The language matters to ``agari``
    only. Draws and discards are nine events of ten, so they come first and are written without their classes.
    """
    if isinstance(event, ev.TileDrawn):
        if event.face is None:
            return (f"tsumo {LETTERS[event.seat]} {event.left}",)
        return (f"tsumo {LETTERS[event.seat]} {event.left} {UMP_FACES[event.face]}",)
    if isinstance(event, ev.TileDiscarded):
        if event.tsumogiri:
            return (f"sutehai {LETTERS[event.seat]} {UMP_FACES[event.face]} tsumogiri",)
        return (f"sutehai {LETTERS[event.seat]} {UMP_FACES[event.face]}",)
    match event:
        case ev.TileCalled():
            return _call_sentences(event)
        case ev.KanDeclared():
            return (_say(event.seat, Call.KAN), _kan_sentence(event.seat, event.meld))
        case ev.KitaDeclared():
            return (_say(event.seat, Call.KITA), sentences01.Open(event.seat, SET_ASIDE).serialise())
        case ev.RiichiDeclared():
            return (_say(event.seat, Call.RIICHI),)
        case ev.RiichiPaid():
            return (change_sentence(event.seat, -STICK_POINTS),)
        case ev.DoraRevealed():
            return (sentences01.Dora(event.indicator).serialise(),)
        case ev.HandDealt():
            return (sentences01.Haipai(event.seat, event.faces).serialise(),)
        case ev.KyokuStarted():
            return _kyoku_sentences(event)
        case ev.RonDeclared():
            return (_say(event.seat, Call.RON),)
        case ev.HandOpened():
            return (sentences01.Open(event.seat, format_ump_hand(event.faces, event.melds)).serialise(),)
        case ev.TenpaiDeclared():
            return _tenpai_sentences(event)
        case ev.HandWon():
            return win_sentences(event, language)
        case ev.KyokuDrawn():
            return (sentences01.Ryukyoku(event.reason).serialise(), *_change_sentences(event.changes))
        case ev.KyokuEnded():
            return (sentences01.KyokuEnd.NAME,)
        case ev.GameStarted():
            return (sentences01.GameStart(seat, event.names).serialise(),)
        case ev.GameEnded():
            return (sentences01.GameEnd(event.points).serialise(),)
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
    return sentences01.Say(seat, call).serialise()


def _kyoku_sentences(event: ev.KyokuStarted) -> tuple[str, ...]:
    kyotaku = event.kyotaku * STICK_POINTS
    return (
        sentences01.KyokuStart(WINDS[event.bakaze], event.dealer, event.honba, kyotaku).serialise(),
        *(sentences01.Point(seat, ("=", points)).serialise() for seat, points in enumerate(event.points)),
        sentences01.Dice(*event.dice).serialise(),
    )


def _call_sentences(event: ev.TileCalled) -> tuple[str, ...]:
    own = f"<{format_ump_faces(event.meld.own)}>"
    return (
        _say(event.seat, CALLED[event.meld.type]),
        sentences01.Open(event.seat, own, event.meld.called).serialise(),
    )


def _kan_sentence(seat: Seat, meld: Meld) -> str:
    """Return the sentence that shows a closed kan, or a pon with the tile that is added to it."""
    if meld.type is MeldType.ANKAN:
        return sentences01.Open(seat, f"({format_ump_faces(meld.own)})").serialise()
    pon = Meld(MeldType.PON, meld.own, meld.called, meld.source)
    return sentences01.Open(seat, f"<{format_ump_faces(pon.faces)}>", meld.added).serialise()


def _tenpai_sentences(event: ev.TenpaiDeclared) -> tuple[str, ...]:
    call = Call.NOTEN
    if event.tenpai:
        call = Call.TENPAI
    said = _say(event.seat, call)
    if event.faces is None:
        return (said,)
    return (sentences01.Open(event.seat, format_ump_hand(event.faces, event.melds)).serialise(), said)


def win_sentences(event: ev.HandWon, language: Language, dealer: Seat | None = None) -> tuple[str, ...]:
    """Return the sentences of a win; with a dealer, the parts of what the winner receives are among them."""
    # The concealed tiles are not sorted here: on tsumo the winning tile is the last.
    shown = format_ump_faces(event.faces) + format_ump_hand((), event.melds) + SET_ASIDE * event.norths
    call = Call.RON
    if event.loser is None:
        call = Call.TSUMO
    sentences = [_say(event.seat, call), sentences01.Open(event.seat, shown).serialise()]
    sentences += [sentences01.Dora(indicator).serialise() for indicator in event.ura]
    if dealer is not None:
        sentences.append(_worth_sentence(event, dealer))
    named = tuple((language.name_of(yaku), han) for yaku, han in event.value.yaku)
    sentences.append(sentences01.Agari(event.seat, event.value.fu, named).serialise())
    return (*sentences, *_change_sentences(event.changes))


def _worth_sentence(event: ev.HandWon, dealer: Seat) -> str:
    worth, base = worth_of(event, dealer), event.value.base
    parts = (event.seat, base, worth.points, worth.honba, worth.sticks, worth.shares, event.liable)
    return sentences01.Worth(*parts).serialise()


def end_sentences(event: ev.GameEnded, record: str | None) -> tuple[str, ...]:
    """Return the sentences of places, results and the record before the end of a game."""
    places = tuple(
        (place, result * POINTS_PER_RESULT) for place, result in zip(event.places, event.results, strict=True)
    )
    sentence = sentences01.Places(places).serialise()
    if record is None:
        return (sentence,)
    return (sentence, sentences01.Record(record).serialise())
