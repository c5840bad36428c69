"""Writes events as UMP 0.2 sentences, without ids, once for all connections that see an event alike.

Three events have functions of their own, because their sentences need more than the event: the start of a game depends
on the receiver, the dealt hands follow the first dora, and the worth of a win depends on the dealer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import assert_never

from ump.model import events as ev
from ump.model.constants import BAIMAN, DEALT_TILES, HANEMAN, MANGAN, SANBAIMAN, STICK_POINTS, YAKUMAN, YAKUMAN_HAN
from ump.model.melds import Meld, MeldType
from ump.model.notation import UMP_FACES, format_ump_faces
from ump.model.seats import Seat, wind_of
from ump.model.tiles import WINDS, Face, dora_of, sort_faces
from ump.model.yaku import HandValue, Yaku
from ump.wire.session import Render
from ump.wire.ump import sentences02
from ump.wire.ump.render01 import CALLED, POINTS_PER_RESULT, Language
from ump.wire.ump.sentence import HIDDEN, SEATS_02, SET_ASIDE, Call
from ump.wire.ump.sentences01 import Dice, KyokuEnd

BLOCKS: tuple[slice, ...] = (slice(0, 4), slice(4, 8), slice(8, 12), slice(12, 13))
"""The parts in which a sorted hand is dealt."""

_DORA = frozenset((Yaku.DORA, Yaku.URA_DORA, Yaku.RED_DORA))

_LIMITS: dict[int, dict[Language, str]] = {
    MANGAN: {Language.JAPANESE: "満貫", Language.CHINESE: "满贯", Language.ENGLISH: "mangan"},
    HANEMAN: {Language.JAPANESE: "跳満", Language.CHINESE: "跳满", Language.ENGLISH: "haneman"},
    BAIMAN: {Language.JAPANESE: "倍満", Language.CHINESE: "倍满", Language.ENGLISH: "baiman"},
    SANBAIMAN: {Language.JAPANESE: "三倍満", Language.CHINESE: "三倍满", Language.ENGLISH: "sanbaiman"},
    YAKUMAN: {Language.JAPANESE: "数え役満", Language.CHINESE: "累计役满", Language.ENGLISH: "kazoeyakuman"},
}
"""The names of the limits by base points, as libump has them, and romanised."""

_YAKUMAN_NAMES = {Language.JAPANESE: "役満", Language.CHINESE: "役满", Language.ENGLISH: "yakuman"}


def start_sentences(event: ev.GameStarted, seat: Seat | None, table: str | None) -> tuple[str, ...]:
    """Return the sentences that start a game: the receiver's own seat (none for a spectator), then every player.

    ``table`` is the name of the game.
    """
    sentences: list[str] = []
    if seat is not None:
        sentences.append(sentences02.OwnSeat(seat, table).serialise())
    for player, name in enumerate(event.names):
        sentences.append(sentences02.Player(player, name).serialise())
    return (*sentences, sentences02.GameStart(table).serialise())


def deal_sentences(hands: Sequence[ev.HandDealt]) -> tuple[str, ...]:
    """Return the sentences that deal hands, the dealer's first: to each in turn four tiles, four, four and one."""
    sentences: list[str] = []
    for block in BLOCKS:
        for hand in hands:
            faces: tuple[Face | None, ...] = (None,) * DEALT_TILES
            if hand.faces is not None:
                faces = hand.faces
            sentences.append(sentences02.Haipai(hand.seat, faces[block]).serialise())
    return tuple(sentences)


def win_sentences(event: ev.HandWon, language: Language, dealer: Seat) -> tuple[str, ...]:
    """Return the sentences of a win: the winner, the hand, its worth, the payments in order of seats, the gain."""
    is_ron = event.loser is not None
    call, tile = Call.TSUMO, None
    if is_ron:
        call, tile = Call.RON, event.tile
    worth = sentences02.Agari(
        event.seat,
        points_label(event.value, language, len(event.changes), is_dealer=event.seat == dealer, is_ron=is_ron),
        event.value.fu,
        _yaku_pairs(event.value, language),
        tile,
    )
    dora = dora_of(len(event.changes))
    payers = (seat for seat in range(len(event.changes)) if seat != event.seat)
    return (
        _say(event.seat, call),
        sentences02.Open(event.seat, format_ump_faces(event.faces)).serialise(),
        *(sentences02.Uradora(dora[indicator], indicator).serialise() for indicator in event.ura),
        worth.serialise(),
        *_change_sentences(event.changes, (*payers, event.seat)),
    )


def points_label(value: HandValue, language: Language, seats: int, *, is_dealer: bool, is_ron: bool) -> str:
    """Return the name of the hand's limit, or else what all payers together pay for it without honba and sticks."""
    if value.yakuman:
        return _YAKUMAN_NAMES[language]
    if value.base in _LIMITS:
        return _LIMITS[value.base][language]
    return str(value.points(seats, is_dealer=is_dealer, is_tsumo=not is_ron))


def _yaku_pairs(value: HandValue, language: Language) -> tuple[tuple[str, int], ...]:
    """Return pairs of yaku and han, all dora as the last pair; for a yakuman how many times it counts, not han."""
    if value.yakuman:
        return tuple((language.name_of(yaku), han // YAKUMAN_HAN) for yaku, han in value.yaku)
    dora = 0
    pairs: list[tuple[str, int]] = []
    for yaku, han in value.yaku:
        if yaku in _DORA:
            dora += han
        else:
            pairs.append((language.name_of(yaku), han))
    if dora:
        pairs.append((language.name_of(Yaku.DORA), dora))
    return tuple(pairs)


def _change_sentences(changes: tuple[int, ...], order: Iterable[Seat]) -> tuple[str, ...]:
    """Return the changes of scores in this order of seats; a change of 0 is not sent."""
    return tuple(f"point {SEATS_02[seat]} {changes[seat]:+d}" for seat in order if changes[seat])


def render(event: ev.Event, seat: Seat | None = None, *, seats: int = 4) -> tuple[str, ...]:
    """Return the sentences of an event, as one seat may see it; they are the same for every ``seat``.

    ``seats`` is the number of players, on which dora depend.

    Raises ValueError for the three events that have functions of their own. Draws and discards are nine events of ten,
    so they come first and are written without their classes.
    """
    if isinstance(event, ev.TileDrawn):
        tile = HIDDEN
        if event.face is not None:
            tile = UMP_FACES[event.face]
        if event.rinshan:
            return (f"tsumo {SEATS_02[event.seat]} {event.left} {tile} rinshan",)
        return (f"tsumo {SEATS_02[event.seat]} {event.left} {tile}",)
    if isinstance(event, ev.TileDiscarded):
        flags = _FLAGS[event.tsumogiri, event.riichi]
        return (f"sutehai {SEATS_02[event.seat]} {UMP_FACES[event.face]}{flags}",)
    match event:
        case ev.TileCalled():
            return _call_sentences(event)
        case ev.KanDeclared():
            return (_say(event.seat, Call.KAN), _kan_sentence(event.seat, event.meld))
        case ev.KitaDeclared():
            return (_say(event.seat, Call.KITA), f"open {SEATS_02[event.seat]} {SET_ASIDE}")
        case ev.RiichiDeclared():
            return (_say(event.seat, Call.RIICHI),)
        case ev.RiichiPaid():
            return (sentences02.Richi(event.seat, STICK_POINTS).serialise(),)
        case ev.DoraRevealed():
            return (sentences02.Dora(dora_of(seats)[event.indicator], event.indicator).serialise(),)
        case ev.KyokuStarted():
            return _kyoku_sentences(event)
        case ev.RonDeclared():
            return (_say(event.seat, Call.RON),)
        case ev.HandOpened():
            return (_hand_sentence(event.seat, event.faces),)
        case ev.TenpaiDeclared():
            return _tenpai_sentences(event)
        case ev.KyokuDrawn():
            changes = _change_sentences(event.changes, range(len(event.changes)))
            return (sentences02.Ryukyoku(event.reason).serialise(), *changes)
        case ev.KyokuEnded():
            return (KyokuEnd.NAME,)
        case ev.GameEnded():
            return (_result_sentence(event),)
        case ev.GameStarted() | ev.HandDealt() | ev.HandWon():
            raise ValueError(f"{event} needs start_sentences, deal_sentences or win_sentences")
        case _:
            assert_never(event)


RENDER: Render = render
"""The render function of games of four. All connections share it, so that an event is rendered once."""
RENDER_OF_THREE: Render = partial(render, seats=3)
"""That of games of three."""

_FLAGS = {(False, False): "", (True, False): " tsumogiri", (False, True): " richi", (True, True): " tsumogiri richi"}
"""The flags of a discard, by whether it is the drawn tile and whether it declares riichi."""


def _say(seat: Seat, call: Call) -> str:
    return sentences02.Say(seat, call).serialise()


def _tenpai_sentences(event: ev.TenpaiDeclared) -> tuple[str, ...]:
    call = Call.NOTEN
    if event.tenpai:
        call = Call.TENPAI
    said = _say(event.seat, call)
    if event.faces is None:
        return (said,)
    return (_hand_sentence(event.seat, event.faces), said)


def _kyoku_sentences(event: ev.KyokuStarted) -> tuple[str, ...]:
    seats = range(len(event.points))
    winds = tuple(WINDS[wind_of(seat, event.dealer, len(seats))] for seat in seats)
    kyotaku, bakaze = event.kyotaku * STICK_POINTS, WINDS[event.bakaze]
    return (
        sentences02.KyokuStart(event.bakaze, event.dealer, event.honba, kyotaku, bakaze, winds).serialise(),
        *(sentences02.Point(seat, ("=", event.points[seat])).serialise() for seat in seats),
        Dice(*event.dice).serialise(),
    )


def _call_sentences(event: ev.TileCalled) -> tuple[str, ...]:
    own = f"<{format_ump_faces(event.meld.own)}>"
    return (
        _say(event.seat, CALLED[event.meld.type]),
        sentences02.Open(event.seat, own, event.meld.called).serialise(),
    )


def _kan_sentence(seat: Seat, meld: Meld) -> str:
    """Return the sentence that shows a closed kan, or a pon with the tile that is added to it."""
    if meld.type is MeldType.ANKAN:
        return sentences02.Open(seat, f"({format_ump_faces(meld.own)})").serialise()
    pon = Meld(MeldType.PON, meld.own, meld.called, meld.source)
    return sentences02.Open(seat, f"[{format_ump_faces(pon.faces)}]", meld.added).serialise()


def _hand_sentence(seat: Seat, faces: tuple[Face, ...]) -> str:
    """Return the sentence that shows the concealed tiles of a hand; its melds are open already."""
    return sentences02.Open(seat, format_ump_faces(sort_faces(faces))).serialise()


def _result_sentence(event: ev.GameEnded) -> str:
    """Return the sentence of the final results, in order of places."""
    order = sorted(range(len(event.places)), key=event.places.__getitem__)
    return sentences02.GameEnd(tuple((seat, event.results[seat] * POINTS_PER_RESULT) for seat in order)).serialise()
