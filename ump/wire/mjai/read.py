"""The client's side of mjai: from a server's objects to events.

The objects may come from any of the dialects' servers. Some facts are not on the wire: dice (1 and 1), base points
(0), and which dragon a ``sangenpai`` is (it is left out). The number of tiles left in the wall, the source of a call
and whether a draw replaces the tile of a kan follow from earlier objects. Without ``hora`` and ``ryukyoku``, as in
batches, the scores come with the next kyoku. The payments of a result that states none are empty; until the next
scores, a client keeps the last ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ump.model import events as ev
from ump.model.constants import DEALT_TILES, MANGAN, MAX_MELDS, YAKUMAN_HAN
from ump.model.melds import Meld, place_of_pon
from ump.model.notation import meld_of
from ump.model.seats import LETTERS, PLAYERS, Seat, seats_from
from ump.model.tiles import KIND_OF, TILES, WINDS, YAOCHU, Face, sort_faces
from ump.model.yaku import HandValue, Yaku
from ump.wire.followed_table import FollowedTable
from ump.wire.json_text import JSON
from ump.wire.mjai.events import (
    CALL_NAMES,
    DRAW_REASONS,
    HIDDEN,
    MJAI_YAKUMAN_HAN,
    RIICHILAB_DRAW_REASONS,
    YAKU_NAMES,
    read_face,
)
from ump.wire.text import WireError, quoted

Fields = Mapping[str, JSON]

PAID_DRAWS = frozenset((ev.DrawReason.EXHAUSTED, ev.DrawReason.NAGASHI_MANGAN, ev.DrawReason.CHOMBO))
"""The draws with payments."""

_URA = ("uradora_markers", "ura_markers", "ura_dora_markers")
"""The names of the ura indicators at different servers."""


class MjaiReader:
    """Reads the objects that one client receives, from ``start_game`` on."""

    def __init__(self, *, is_log: bool = False, judges: bool = True) -> None:
        """Begin before a game; a log of a whole game (``is_log``) has no seat of its own.

        Unless it ``judges``, the reader returns moves that contradict earlier ones as they stand there.
        """
        self._is_log = is_log
        self._judges = judges
        self.seat: Seat = 0
        """The client's own seat in the current game."""
        self._table = FollowedTable(len(LETTERS), judges=judges)
        self._is_nameless = is_log
        """Whether a log has stated no names, so that the hands of a kyoku tell how many players there are."""
        self._is_unpaid = False
        """Whether the payments of a result are unstated, so that the scores are unknown until the next statement."""

    def read(self, message: Fields) -> list[ev.Event]:
        """Return the events of one object; none for a question, an acknowledgement or an unknown type.

        Raises WireError for an object that is malformed or does not fit the earlier ones.
        """
        type_ = message.get("type")
        if not isinstance(type_, str) or type_ not in _READERS:
            return []
        try:
            events = _READERS[type_](self, message)
            for event in events:
                self._table.see(event)
        except WireError:
            raise
        except ValueError as error:
            raise WireError(f"{type_}: {error}") from error
        return events

    @property
    def seats(self) -> int:
        """The number of players of the current game."""
        return self._table.seats

    def _seat(self, message: Fields, name: str) -> Seat:
        seat = message.get(name)
        if type(seat) is not int or not 0 <= seat < self.seats:
            raise WireError(f"{name} must be a seat from 0 to {self.seats - 1}")
        return seat

    def _points(self, message: Fields, name: str) -> tuple[int, ...] | None:
        """Return a list of points by seat, or None if the object has none."""
        points = message.get(name)
        if points is None:
            return None
        numbers: list[int] = []
        if isinstance(points, list):
            numbers = [number for number in points if type(number) is int]
        if not isinstance(points, list) or not len(numbers) == len(points) == self.seats:
            raise WireError(f"{name} must be {self.seats} numbers")
        return tuple(numbers)

    # The start of a game and of a kyoku

    def _start_game(self, message: Fields) -> list[ev.Event]:
        names = message.get("names", [str(seat) for seat in range(len(LETTERS))])
        if not isinstance(names, list) or len(names) not in PLAYERS:
            raise WireError(f"a game begins with {' or '.join(map(str, PLAYERS))} names")
        self._begin(len(names))
        if not self._is_log:
            self.seat = self._seat(message, "id")
        self._is_nameless = self._is_log and "names" not in message
        if self._is_nameless:
            return []
        return [ev.GameStarted(tuple(map(str, names)))]

    def _begin(self, seats: int) -> None:
        """Begin a game of so many players."""
        self._table = FollowedTable(seats, judges=self._judges)
        self._is_unpaid = False

    def _start_kyoku(self, message: Fields) -> list[ev.Event]:
        hands = message.get("tehais")
        if isinstance(hands, list) and len(hands) in PLAYERS and self._is_nameless:
            self._begin(len(hands))
        if not isinstance(hands, list) or len(hands) != self.seats:
            raise WireError(f"tehais must be {self.seats} hands")
        dealer = self._seat(message, "oya")
        wind = read_face(message.get("bakaze"))
        if wind not in WINDS:
            raise WireError("bakaze must be a wind")
        points = self._points(message, "scores")
        if points is None and self._is_unpaid and self._is_log:
            raise WireError("scores are missing, and do not follow from the kyoku before")
        self._is_unpaid = False
        honba = _count(message, "honba", needed=self._is_log)
        sticks = _count(message, "kyotaku", needed=self._is_log)
        self._table.deal()
        if not points:
            points = tuple(self._table.seen.points)
        start = ev.KyokuStarted(WINDS.index(wind), dealer, honba, sticks, points, (1, 1))
        dealt: list[ev.Event] = [ev.HandDealt(seat, _dealt(hands[seat])) for seat in seats_from(dealer, self.seats)]
        return [start, *dealt, ev.DoraRevealed(read_face(message.get("dora_marker")))]

    # Moves

    def _tsumo(self, message: Fields) -> list[ev.Event]:
        left = self._table.draw()
        face = None
        if message.get("pai") != HIDDEN:
            face = read_face(message.get("pai"))
        return [ev.TileDrawn(self._seat(message, "actor"), left, face, self._table.seen.awaits_replacement)]

    def _dahai(self, message: Fields) -> list[ev.Event]:
        actor = self._seat(message, "actor")
        self._table.check_discard(actor)
        face = read_face(message.get("pai"))
        return [ev.TileDiscarded(actor, face, message.get("tsumogiri") is True, self._table.seen.unpaid == actor)]

    def _dora(self, message: Fields) -> list[ev.Event]:
        self._table.check_indicator()
        return [ev.DoraRevealed(read_face(message.get("dora_marker")))]

    def _reach(self, message: Fields) -> list[ev.Event]:
        return [ev.RiichiDeclared(self._seat(message, "actor"))]

    def _reach_accepted(self, message: Fields) -> list[ev.Event]:
        return [ev.RiichiPaid(self._seat(message, "actor"))]

    def _call(self, message: Fields) -> list[ev.Event]:
        actor, source = self._seat(message, "actor"), self._seat(message, "target")
        face = read_face(message.get("pai"))
        if self._judges and (self._table.seen.source != source or self._table.seen.last_tile != face):
            raise WireError("a call of a tile that nobody has discarded")
        meld = self._meld(actor, _faces(message.get("consumed")), (face,), source)
        if CALL_NAMES.get(meld.type) != message["type"]:
            raise WireError(f"a {meld.type.value} is not a {message['type']}")
        return [ev.TileCalled(actor, meld)]

    def _ankan(self, message: Fields) -> list[ev.Event]:
        actor = self._seat(message, "actor")
        return [ev.KanDeclared(actor, self._meld(actor, _faces(message.get("consumed")), (), None))]

    def _kakan(self, message: Fields) -> list[ev.Event]:
        actor, added = self._seat(message, "actor"), read_face(message.get("pai"))
        melds = self._table.seen.melds[actor]
        place = place_of_pon(melds, KIND_OF[added])
        if place is not None:
            pon = melds[place]
            if pon.called is not None:
                return [ev.KanDeclared(actor, _meld(pon.own, (pon.called, added), pon.source))]
        consumed = _faces(message.get("consumed"))
        if self._judges or len(consumed) != 3:
            raise WireError("a tile is added to a pon that does not exist")
        return [ev.KanDeclared(actor, _meld(consumed[:2], (consumed[2], added), None))]

    def _kita(self, message: Fields) -> list[ev.Event]:
        actor = self._seat(message, "actor")
        self._table.check_north(actor)
        return [ev.KitaDeclared(actor)]

    def _meld(self, owner: Seat, own: tuple[Face, ...], picked: tuple[Face, ...], source: Seat | None) -> Meld:
        self._table.check_meld(owner)
        return _meld(own, picked, source)

    # The end of a kyoku and of a game

    def _hora(self, message: Fields) -> list[ev.Event]:
        actor, target = self._seat(message, "actor"), self._seat(message, "target")
        seen = self._table.seen
        loser: Seat | None = target
        tile = seen.last_tile
        if actor == target:
            loser, tile = None, seen.drawn
        if "pai" in message:
            tile = read_face(message["pai"])
        if tile is None:
            raise WireError("a win without its tile")
        faces = _faces(message.get("hora_tehais", []))
        if loser is None:
            faces = (*sort_faces(faces[:-1]), *faces[-1:])
        else:
            faces = sort_faces(faces)
        liable = None
        if "pao" in message:
            liable = self._seat(message, "pao")
        return [
            ev.HandWon(
                seat=actor,
                loser=loser,
                tile=tile,
                faces=faces,
                melds=tuple(seen.melds[actor]),
                riichi=seen.in_riichi[actor],
                ura=_ura(message),
                value=_value(message),
                changes=self._changes(message),
                liable=liable,
                norths=seen.norths[actor],
            )
        ]

    def _changes(self, message: Fields) -> tuple[int, ...]:
        """Return the payments: as they stand there, or from the scores; none if they are unstated."""
        deltas, scores = self._points(message, "deltas"), self._points(message, "scores")
        if deltas is None and scores is not None and not self._is_unpaid:
            return tuple(after - before for after, before in zip(scores, self._table.seen.points, strict=True))
        self._is_unpaid = deltas is None
        return deltas or ()

    def _ryukyoku(self, message: Fields) -> list[ev.Event]:
        changes = self._changes(message)
        reason = _REASONS.get(str(message.get("reason"))) or self._unsaid_reason(changes)
        if not changes and reason not in PAID_DRAWS:
            changes, self._is_unpaid = (0,) * self.seats, False
        return [*self._shown_at_draw(message, reason), ev.KyokuDrawn(reason, changes)]

    def _shown_at_draw(self, message: Fields, reason: ev.DrawReason) -> list[ev.Event]:
        """Return the hands that are shown, and at an empty wall who is tenpai, as far as the object states it."""
        hands, tenpais = message.get("tehais"), message.get("tenpais")
        if not isinstance(hands, list) or len(hands) != self.seats:
            return []
        known = [_shown(hand) for hand in hands]
        declares = reason in (ev.DrawReason.EXHAUSTED, ev.DrawReason.NAGASHI_MANGAN)
        if declares and (not isinstance(tenpais, list) or len(tenpais) != self.seats):
            return []
        shown: list[ev.Event] = []
        for seat, faces in enumerate(known):
            melds = tuple(self._table.seen.melds[seat])
            if not declares:
                if faces is not None:
                    shown.append(ev.HandOpened(seat, faces, melds))
            elif isinstance(tenpais, list) and tenpais[seat]:
                shown.append(ev.TenpaiDeclared(seat, True, faces, melds))
            else:
                shown.append(ev.TenpaiDeclared(seat, False, None, melds))
        return shown

    def _unsaid_reason(self, changes: tuple[int, ...]) -> ev.DrawReason:
        """Return the reason of a draw that follows from the moves; Mortal's logs do not state it."""
        seen = self._table.seen
        if seen.drawer is not None:
            return ev.DrawReason.KYUSHU_KYUHAI
        if not self._table.left:
            is_nagashi = any(map(self._is_nagashi, range(self.seats)))
            if is_nagashi and (not changes or max(changes) >= 4 * MANGAN):
                return ev.DrawReason.NAGASHI_MANGAN
            return ev.DrawReason.EXHAUSTED
        if all(seen.in_riichi):
            return ev.DrawReason.SUUCHA_RIICHI
        if len(seen.kans) == MAX_MELDS:
            return ev.DrawReason.SUUKAIKAN
        if self._is_one_wind():
            return ev.DrawReason.SUUFON_RENDA
        return ev.DrawReason.SANCHAHO

    def _is_one_wind(self) -> bool:
        """Tell whether all have discarded the same wind, and nothing else, before any call."""
        if any(self._table.seen.melds):
            return False
        faces: set[Face] = set()
        for river in self._table.seen.rivers:
            if len(river) != 1:
                return False
            faces.add(river[0].face)
        return len(faces) == 1 and faces < set(WINDS)

    def _is_nagashi(self, seat: Seat) -> bool:
        """Tell whether a river has only terminals and honours, none of them called."""
        for melds in self._table.seen.melds:
            if any(meld.source == seat for meld in melds):
                return False
        return all(KIND_OF[discard.face] in YAOCHU for discard in self._table.seen.rivers[seat])

    def _end_kyoku(self, message: Fields) -> list[ev.Event]:
        return [ev.KyokuEnded()]

    def _end_game(self, message: Fields) -> list[ev.Event]:
        points = self._points(message, "scores")
        if points is not None:
            return [ev.GameEnded(points, (), ())]
        if self._is_log:
            return [ev.GameEnded((), (), ())]
        return [ev.GameEnded(tuple(self._table.seen.points), (), ())]


_READERS: dict[str, Callable[[MjaiReader, Fields], list[ev.Event]]] = {
    "start_game": MjaiReader._start_game,
    "start_kyoku": MjaiReader._start_kyoku,
    "tsumo": MjaiReader._tsumo,
    "dahai": MjaiReader._dahai,
    "dora": MjaiReader._dora,
    "reach": MjaiReader._reach,
    "reach_accepted": MjaiReader._reach_accepted,
    "chi": MjaiReader._call,
    "pon": MjaiReader._call,
    "daiminkan": MjaiReader._call,
    "ankan": MjaiReader._ankan,
    "kakan": MjaiReader._kakan,
    "kita": MjaiReader._kita,
    "nukidora": MjaiReader._kita,
    "hora": MjaiReader._hora,
    "ryukyoku": MjaiReader._ryukyoku,
    "end_kyoku": MjaiReader._end_kyoku,
    "end_game": MjaiReader._end_game,
}
"""The reader of each type of object."""

_REASONS: dict[str, ev.DrawReason] = {
    name: reason for wording in (RIICHILAB_DRAW_REASONS, DRAW_REASONS) for reason, name in wording.items()
}
"""The reasons of draws in the words of all servers."""

YAKU_OF_NAME: dict[str, Yaku] = {
    name: yaku for yaku, name in reversed(YAKU_NAMES.items()) if yaku not in (Yaku.HAKU, Yaku.HATSU, Yaku.CHUN)
}
"""The yaku of each name. Where several share a name, the one that is listed first in ``Yaku``."""


def _ura(message: Fields) -> tuple[Face, ...]:
    """Return the ura indicators, under the first of their names."""
    for name in _URA:
        if name in message:
            return _faces(message[name] or [])
    return ()


def _value(message: Fields) -> HandValue:
    """Return the value of a win as far as the server states it."""
    pairs = message.get("yakus", [])
    named: list[tuple[Yaku, int]] = []
    han = 0
    if not isinstance(pairs, list):
        pairs = []
    for pair in pairs:
        match pair:
            case [name, int() as of_yaku, *_] if not isinstance(of_yaku, bool):
                han += of_yaku
                if isinstance(name, str) and name in YAKU_OF_NAME and len(pair) == 2:
                    named.append((YAKU_OF_NAME[name], _our_han(of_yaku)))
    fan, fu = message.get("fan"), message.get("fu")
    if type(fan) is int:
        han = fan
    if type(fu) is not int:
        fu = 0
    return HandValue(tuple(named), _our_han(han), fu, han // MJAI_YAKUMAN_HAN, 0)


def _our_han(han: int) -> int:
    """Return the han of a yaku; a yakuman counts 100 in mjai."""
    if han < MJAI_YAKUMAN_HAN:
        return han
    return han // MJAI_YAKUMAN_HAN * YAKUMAN_HAN


def _count(message: Fields, name: str, *, needed: bool) -> int:
    count = message.get(name)
    if name not in message and not needed:
        return 0
    if type(count) is not int or count < 0:
        raise WireError(f"{name} must be a number")
    return count


def _faces(read: JSON) -> tuple[Face, ...]:
    if not isinstance(read, list) or len(read) > TILES:
        raise WireError("expected a list of tiles")
    return tuple(map(read_face, read))


def _shown(read: JSON) -> tuple[Face, ...] | None:
    """Return a hand sorted, or None if any of its tiles is hidden."""
    if isinstance(read, list) and (not read or HIDDEN in read):
        return None
    return sort_faces(_faces(read))


def _dealt(read: JSON) -> tuple[Face, ...] | None:
    faces = _shown(read)
    if faces is not None and len(faces) != DEALT_TILES:
        raise WireError(f"a hand of {len(faces)} tiles is dealt")
    return faces


def _meld(own: tuple[Face, ...], picked: tuple[Face, ...], source: Seat | None) -> Meld:
    if not 2 <= len(own) <= 4:
        raise WireError("a meld needs 2 to 4 tiles of the hand")
    return meld_of(quoted(str(own)), own, picked, source)
