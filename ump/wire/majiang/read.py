"""The client's side of Majiang: from a server's messages to events.

A seat is its place after the first dealer, as everywhere in ump. The messages have no word for a riichi stick: that a
riichi stands follows from the next message. The number of tiles left in the wall follows from the draws. Base points
are not on the wire (0), nor are dice (1 and 1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from ump.model import events as ev
from ump.model.constants import YAKUMAN_HAN
from ump.model.melds import Meld, MeldType, place_of_pon
from ump.model.notation import NotationError, parse_majiang_face, parse_majiang_meld, parse_majiang_tile, parse_shoupai
from ump.model.seats import Seat, seats_from
from ump.model.tiles import Face
from ump.model.yaku import HandValue
from ump.wire.followed_table import FollowedTable
from ump.wire.json_text import JSON
from ump.wire.majiang.events import PINGJU, SEATS
from ump.wire.text import WireError

Fields = Mapping[str, JSON]

T = TypeVar("T")

_REASONS = {name: reason for reason, name in PINGJU.items()}

_SANCHAHO = PINGJU[ev.DrawReason.SANCHAHO]

_MOVES = frozenset(("zimo", "gangzimo", "fulou", "pingju"))
"""The messages that show that the last riichi tile has passed; three rons (三家和) are the exception."""


class MajiangReader:
    """Reads the messages that one client receives, from ``kaiju`` on, in today's form."""

    def __init__(self, *, judges: bool = True) -> None:
        """Begin before a game; unless it ``judges``, moves that contradict earlier ones are returned as they stand."""
        self._judges = judges
        self._table = FollowedTable(SEATS, judges=judges)
        self.seat: Seat = 0
        """The client's own seat in the current game."""
        self.rule: Fields = {}
        """The rule object of the current game."""
        self._first = 0
        """The id of seat 0."""
        self._is_over = True
        """Whether no kyoku is running."""

    def read(self, type_: str, content: JSON) -> list[ev.Event]:
        """Return the events of one message; none for one of an unknown type.

        Raises WireError for a message that is malformed or does not fit the earlier ones.
        """
        read = _READERS.get(type_)
        if read is None:
            return []
        if not isinstance(content, dict):
            raise WireError(f"{type_} must be an object")
        try:
            return self._read(type_, content, read)
        except WireError:
            raise
        except ValueError as error:
            raise WireError(f"{type_}: {error}") from error

    def _read(
        self, type_: str, content: Fields, read: Callable[[MajiangReader, Fields], list[ev.Event]]
    ) -> list[ev.Event]:
        before = self._settled(type_, content)
        for event in before:
            self._table.see(event)
        events = read(self, content)
        for event in events:
            self._table.see(event)
        return before + events

    def _settled(self, type_: str, content: Fields) -> list[ev.Event]:
        """Return what a message shows to have happened before it: a riichi stands, the last kyoku is over."""
        unpaid = self._table.seen.unpaid
        if unpaid is not None and type_ in _MOVES and content.get("name") != _SANCHAHO:
            return [ev.RiichiPaid(unpaid)]
        if type_ in ("qipai", "jieju") and not self._is_over:
            self._is_over = True
            return [ev.KyokuEnded()]
        return []

    # Seats

    def _of_wind(self, content: Fields, name: str = "l") -> Seat:
        """Return the seat of a wind, 0 for the dealer."""
        return (self._table.seen.dealer + _number(content, name, SEATS - 1)) % SEATS

    def _by_seat(self, by_wind: Sequence[T]) -> list[T]:
        dealer = self._table.seen.dealer
        return [by_wind[(seat - dealer) % SEATS] for seat in range(SEATS)]

    def _by_id(self, by_id: Sequence[T]) -> list[T]:
        return [by_id[(seat + self._first) % SEATS] for seat in range(SEATS)]

    # The start of a game and of a kyoku

    def _kaiju(self, content: Fields) -> list[ev.Event]:
        self._first = _number(content, "qijia", SEATS - 1)
        self.seat = (_number(content, "id", SEATS - 1) - self._first) % SEATS
        rule = content.get("rule")
        self.rule = {}
        if isinstance(rule, dict):
            self.rule = rule
        self._table = FollowedTable(SEATS, judges=self._judges)
        self._is_over = True
        return [ev.GameStarted(tuple(map(str, self._by_id(_list(content, "player")))))]

    def _qipai(self, content: Fields) -> list[ev.Event]:
        dealer = _number(content, "jushu", SEATS - 1)
        self._table.seen.dealer = dealer
        points = tuple(self._by_seat(_numbers(content, "defen")))
        wind = _number(content, "zhuangfeng")
        honba = _number(content, "changbang")
        sticks = _number(content, "lizhibang")
        if wind >= SEATS:
            raise WireError("zhuangfeng must be a wind from 0 to 3")
        hands = self._by_seat(_list(content, "shoupai"))
        self._table.deal()
        self._is_over = False
        dealt: list[ev.Event] = [ev.HandDealt(seat, _dealt(hands[seat])) for seat in seats_from(dealer, SEATS)]
        start = ev.KyokuStarted(wind, dealer, honba, sticks, points, (1, 1))
        return [start, *dealt, ev.DoraRevealed(parse_majiang_face(_text(content, "baopai")))]

    # Moves

    def _zimo(self, content: Fields) -> list[ev.Event]:
        return self._draw(content, rinshan=False)

    def _gangzimo(self, content: Fields) -> list[ev.Event]:
        return self._draw(content, rinshan=True)

    def _draw(self, content: Fields, *, rinshan: bool) -> list[ev.Event]:
        left = self._table.draw()
        text = _text(content, "p")
        face = None
        if text:
            face = parse_majiang_face(text)
        return [ev.TileDrawn(self._of_wind(content), left, face, rinshan)]

    def _dapai(self, content: Fields) -> list[ev.Event]:
        seat, tile = self._of_wind(content), parse_majiang_tile(_text(content, "p"))
        self._table.check_discard(seat)
        events: list[ev.Event] = []
        if tile.riichi:
            events.append(ev.RiichiDeclared(seat))
        events.append(ev.TileDiscarded(seat, tile.face, tile.drawn, tile.riichi))
        return events

    def _fulou(self, content: Fields) -> list[ev.Event]:
        seat, meld = self._meld(content)
        is_last = meld.called == self._table.seen.last_tile or not self._judges
        if meld.called is None or meld.added is not None or not is_last:
            raise WireError("a call of a tile that nobody has discarded")
        return [ev.TileCalled(seat, meld)]

    def _gang(self, content: Fields) -> list[ev.Event]:
        seat, meld = self._meld(content)
        is_added = meld.type is MeldType.KAKAN
        if is_added and self._judges and place_of_pon(self._table.seen.melds[seat], meld.kind) is None:
            raise WireError("a tile is added to a pon that does not exist")
        if meld.type not in (MeldType.ANKAN, MeldType.KAKAN):
            raise WireError("not a kan on the own turn")
        return [ev.KanDeclared(seat, meld)]

    def _meld(self, content: Fields) -> tuple[Seat, Meld]:
        seat = self._of_wind(content)
        meld = parse_majiang_meld(_text(content, "m"), seat)
        if meld.added is None:
            self._table.check_meld(seat)
        return seat, meld

    def _kaigang(self, content: Fields) -> list[ev.Event]:
        self._table.check_indicator()
        return [ev.DoraRevealed(parse_majiang_face(_text(content, "baopai")))]

    # The end of a kyoku and of a game

    def _hule(self, content: Fields) -> list[ev.Event]:
        seat = self._of_wind(content)
        loser = self._loser(content, seat)
        hand = parse_shoupai(_text(content, "shoupai"), seat)
        if hand.drawn is None:
            raise WireError("a win without its tile")
        faces = list(hand.faces)
        faces.remove(hand.drawn)
        if loser is None:
            faces.append(hand.drawn)
        return [
            ev.HandWon(
                seat=seat,
                loser=loser,
                tile=hand.drawn,
                faces=tuple(faces),
                melds=hand.melds,
                riichi=self._table.seen.in_riichi[seat],
                ura=_ura(content),
                value=_value(content),
                changes=tuple(self._by_seat(_numbers(content, "fenpei"))),
            )
        ]

    def _loser(self, content: Fields, winner: Seat) -> Seat | None:
        """Return the seat that pays for a ron; it follows from the last move if the message does not name it."""
        if "baojia" not in content:
            if self._table.seen.drawer == winner:
                return None
            return self._table.seen.source
        if content["baojia"] is None:
            return None
        return self._of_wind(content, "baojia")

    def _pingju(self, content: Fields) -> list[ev.Event]:
        reason = _REASONS.get(_text(content, "name"), ev.DrawReason.EXHAUSTED)
        return [ev.KyokuDrawn(reason, tuple(self._by_seat(_numbers(content, "fenpei"))))]

    def _jieju(self, content: Fields) -> list[ev.Event]:
        return [ev.GameEnded(tuple(self._by_id(_numbers(content, "defen"))), (), ())]


_READERS: dict[str, Callable[[MajiangReader, Fields], list[ev.Event]]] = {
    "kaiju": MajiangReader._kaiju,
    "qipai": MajiangReader._qipai,
    "zimo": MajiangReader._zimo,
    "gangzimo": MajiangReader._gangzimo,
    "dapai": MajiangReader._dapai,
    "fulou": MajiangReader._fulou,
    "gang": MajiangReader._gang,
    "kaigang": MajiangReader._kaigang,
    "hule": MajiangReader._hule,
    "pingju": MajiangReader._pingju,
    "jieju": MajiangReader._jieju,
}
"""The reader of each type of message."""


def _ura(content: Fields) -> tuple[Face, ...]:
    ura = content.get("fubaopai")
    if not isinstance(ura, list):
        return ()
    return tuple(parse_majiang_face(str(face)) for face in ura)


def _value(content: Fields) -> HandValue:
    """Return the value of a win, without its yaku: their names differ between Majiang's programs."""
    if "damanguan" in content:
        yakuman = _number(content, "damanguan")
        return HandValue((), yakuman * YAKUMAN_HAN, 0, yakuman, 0)
    return HandValue((), _number(content, "fanshu"), _number(content, "fu"), 0, 0)


def _dealt(read: JSON) -> tuple[Face, ...] | None:
    """Return the tiles of a dealt hand, or None if it is hidden."""
    if not isinstance(read, str):
        raise WireError("a hand must be a string")
    try:
        if not read:
            return None
        return parse_shoupai(read).faces
    except NotationError as error:
        raise WireError(str(error)) from error


def _text(content: Fields, name: str) -> str:
    text = content.get(name)
    if not isinstance(text, str):
        raise WireError(f"{name} must be a string")
    return text


def _number(content: Fields, name: str, most: int = 1_000) -> int:
    number = content.get(name)
    if type(number) is not int or not 0 <= number <= most:
        raise WireError(f"{name} must be a number from 0 to {most}")
    return number


def _list(content: Fields, name: str) -> list[JSON]:
    entries = content.get(name)
    if not isinstance(entries, list) or len(entries) != SEATS:
        raise WireError(f"{name} must have {SEATS} entries")
    return entries


def _numbers(content: Fields, name: str) -> list[int]:
    numbers = [entry for entry in _list(content, name) if type(entry) is int]
    if len(numbers) != SEATS:
        raise WireError(f"{name} must be {SEATS} numbers")
    return numbers
