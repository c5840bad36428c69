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
from ump.model.constants import DEALT_TILES, MANGAN, MAX_INDICATORS, MAX_MELDS, YAKUMAN_HAN
from ump.model.melds import Meld, place_of_pon
from ump.model.notation import meld_of
from ump.model.seats import LETTERS, PLAYERS, Seat, seats_from
from ump.model.tiles import COPIES, KIND_OF, TILES, WINDS, YAOCHU, Face, live_wall, sort_faces
from ump.model.yaku import HandValue, Yaku
from ump.players.observation import Observation
from ump.rules.ruleset import Ruleset
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
        self._seats = 4
        self._seen = _empty_table(self._seats)
        self._left = 0
        """The number of tiles left in the live wall."""
        self._is_nameless = is_log
        """Whether a log has stated no names, so that the hands of a kyoku tell how many players there are."""
        self._is_unpaid = False
        """Whether the payments of a result are unstated, so that the scores are unknown until the next statement."""

    def read(self, message: Fields) -> list[ev.Event]:
        """Return the events of one object; none for a question, an acknowledgement or an unknown type.

        Raises WireError for an object that is malformed or does not fit the earlier ones.
        """
        type_ = message.get("type")
        read = _READERS.get(type_) if isinstance(type_, str) else None
        if read is None:
            return []
        try:
            events = read(self, message)
            for event in events:
                self._see(event)
        except WireError:
            raise
        except ValueError as error:
            raise WireError(f"{type_}: {error}") from error
        return events

    @property
    def seats(self) -> int:
        """The number of players of the current game."""
        return self._seats

    def _see(self, event: ev.Event) -> None:
        try:
            self._seen.see(event)
        except ValueError:
            if self._judges:
                raise

    def _seat(self, message: Fields, name: str) -> Seat:
        seat = message.get(name)
        if type(seat) is not int or not 0 <= seat < self._seats:
            raise WireError(f"{name} must be a seat from 0 to {self._seats - 1}")
        return seat

    def _points(self, message: Fields, name: str) -> tuple[int, ...] | None:
        """Return a list of points by seat, or None if the object has none."""
        points = message.get(name)
        if points is None:
            return None
        if not isinstance(points, list) or len(points) != self._seats or any(type(each) is not int for each in points):
            raise WireError(f"{name} must be {self._seats} numbers")
        return tuple(each for each in points if isinstance(each, int))

    # The start of a game and of a kyoku

    def _start_game(self, message: Fields) -> list[ev.Event]:
        names = message.get("names", [str(seat) for seat in range(len(LETTERS))])
        if not isinstance(names, list) or len(names) not in PLAYERS:
            raise WireError(f"a game begins with {' or '.join(map(str, PLAYERS))} names")
        self._begin(len(names))
        if not self._is_log:
            self.seat = self._seat(message, "id")
        self._is_nameless = self._is_log and "names" not in message
        return [] if self._is_nameless else [ev.GameStarted(tuple(map(str, names)))]

    def _begin(self, seats: int) -> None:
        """Begin a game of so many players."""
        self._seats, self._seen, self._is_unpaid = seats, _empty_table(seats), False

    def _start_kyoku(self, message: Fields) -> list[ev.Event]:
        hands = message.get("tehais")
        if isinstance(hands, list) and len(hands) in PLAYERS and self._is_nameless:
            self._begin(len(hands))
        if not isinstance(hands, list) or len(hands) != self._seats:
            raise WireError(f"tehais must be {self._seats} hands")
        dealer = self._seat(message, "oya")
        wind = read_face(message.get("bakaze"))
        if wind not in WINDS:
            raise WireError("bakaze must be a wind")
        points = self._points(message, "scores")
        if points is None and self._is_unpaid and self._is_log:
            raise WireError("scores are missing, and do not follow from the kyoku before")
        self._is_unpaid = False
        honba, sticks = (_count(message, name, needed=self._is_log) for name in ("honba", "kyotaku"))
        self._left = live_wall(self._seats)
        start = ev.KyokuStarted(WINDS.index(wind), dealer, honba, sticks, points or tuple(self._seen.points), (1, 1))
        dealt: list[ev.Event] = [ev.HandDealt(seat, _dealt(hands[seat])) for seat in seats_from(dealer, self._seats)]
        return [start, *dealt, ev.DoraRevealed(read_face(message.get("dora_marker")))]

    # Moves

    def _tsumo(self, message: Fields) -> list[ev.Event]:
        if not self._left and self._judges:
            raise WireError("a draw from an empty wall")
        self._left = max(0, self._left - 1)
        face = None if message.get("pai") == HIDDEN else read_face(message.get("pai"))
        return [ev.TileDrawn(self._seat(message, "actor"), self._left, face, self._seen.awaits_replacement)]

    def _dahai(self, message: Fields) -> list[ev.Event]:
        actor = self._seat(message, "actor")
        if len(self._seen.rivers[actor]) >= TILES:
            raise WireError("too many discards")
        face = read_face(message.get("pai"))
        return [ev.TileDiscarded(actor, face, message.get("tsumogiri") is True, self._seen.unpaid == actor)]

    def _dora(self, message: Fields) -> list[ev.Event]:
        if len(self._seen.indicators) >= MAX_INDICATORS:
            raise WireError(f"more than {MAX_INDICATORS} dora indicators")
        return [ev.DoraRevealed(read_face(message.get("dora_marker")))]

    def _reach(self, message: Fields) -> list[ev.Event]:
        return [ev.RiichiDeclared(self._seat(message, "actor"))]

    def _reach_accepted(self, message: Fields) -> list[ev.Event]:
        return [ev.RiichiPaid(self._seat(message, "actor"))]

    def _call(self, message: Fields) -> list[ev.Event]:
        actor, source = self._seat(message, "actor"), self._seat(message, "target")
        face = read_face(message.get("pai"))
        if self._judges and (self._seen.source != source or self._seen.last_tile != face):
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
        melds = self._seen.melds[actor]
        place = place_of_pon(melds, KIND_OF[added])
        pon = None if place is None else melds[place]
        if pon is None or pon.called is None:
            consumed = _faces(message.get("consumed"))
            if self._judges or len(consumed) != 3:
                raise WireError("a tile is added to a pon that does not exist")
            return [ev.KanDeclared(actor, _meld(consumed[:2], (consumed[2], added), None))]
        return [ev.KanDeclared(actor, _meld(pon.own, (pon.called, added), pon.source))]

    def _kita(self, message: Fields) -> list[ev.Event]:
        actor = self._seat(message, "actor")
        if self._seen.norths[actor] >= COPIES:
            raise WireError(f"more than {COPIES} norths")
        return [ev.KitaDeclared(actor)]

    def _meld(self, owner: Seat, own: tuple[Face, ...], picked: tuple[Face, ...], source: Seat | None) -> Meld:
        if len(self._seen.melds[owner]) >= MAX_MELDS:
            raise WireError(f"more than {MAX_MELDS} melds")
        return _meld(own, picked, source)

    # The end of a kyoku and of a game

    def _hora(self, message: Fields) -> list[ev.Event]:
        actor, target = self._seat(message, "actor"), self._seat(message, "target")
        seen = self._seen
        tile = read_face(message["pai"]) if "pai" in message else seen.last_tile if actor != target else seen.drawn
        if tile is None:
            raise WireError("a win without its tile")
        ura = next((message[name] for name in _URA if name in message), None) or []
        faces = _faces(message.get("hora_tehais", []))
        return [
            ev.HandWon(
                seat=actor,
                loser=None if actor == target else target,
                tile=tile,
                faces=sort_faces(faces) if actor != target else (*sort_faces(faces[:-1]), *faces[-1:]),
                melds=tuple(seen.melds[actor]),
                riichi=seen.in_riichi[actor],
                ura=_faces(ura),
                value=_value(message),
                changes=self._changes(message),
                liable=self._seat(message, "pao") if "pao" in message else None,
                norths=seen.norths[actor],
            )
        ]

    def _changes(self, message: Fields) -> tuple[int, ...]:
        """Return the payments: as they stand there, or from the scores; none if they are unstated."""
        deltas, scores = self._points(message, "deltas"), self._points(message, "scores")
        if deltas is None and scores is not None and not self._is_unpaid:
            return tuple(after - before for after, before in zip(scores, self._seen.points, strict=True))
        self._is_unpaid = deltas is None
        return deltas or ()

    def _ryukyoku(self, message: Fields) -> list[ev.Event]:
        changes = self._changes(message)
        reason = _REASONS.get(str(message.get("reason"))) or self._unsaid_reason(changes)
        if not changes and reason not in PAID_DRAWS:
            changes, self._is_unpaid = (0,) * self._seats, False
        hands, tenpais = message.get("tehais"), message.get("tenpais")
        shown: list[ev.Event] = []
        if isinstance(hands, list) and len(hands) == self._seats:
            known = {seat: faces for seat, hand in enumerate(hands) if (faces := _shown(hand)) is not None}
            melds = [tuple(each) for each in self._seen.melds]
            if reason not in (ev.DrawReason.EXHAUSTED, ev.DrawReason.NAGASHI_MANGAN):
                shown += [ev.HandOpened(seat, faces, melds[seat]) for seat, faces in known.items()]
            elif isinstance(tenpais, list) and len(tenpais) == self._seats:
                shown += [
                    ev.TenpaiDeclared(
                        seat, bool(tenpais[seat]), known.get(seat) if tenpais[seat] else None, melds[seat]
                    )
                    for seat in range(self._seats)
                ]
        return [*shown, ev.KyokuDrawn(reason, changes)]

    def _unsaid_reason(self, changes: tuple[int, ...]) -> ev.DrawReason:
        """Return the reason of a draw that follows from the moves; Mortal's logs do not state it."""
        seen = self._seen
        if seen.drawer is not None:
            return ev.DrawReason.KYUSHU_KYUHAI
        if not self._left:
            nagashi = any(map(self._is_nagashi, range(self._seats))) and (not changes or max(changes) >= 4 * MANGAN)
            return ev.DrawReason.NAGASHI_MANGAN if nagashi else ev.DrawReason.EXHAUSTED
        if all(seen.in_riichi):
            return ev.DrawReason.SUUCHA_RIICHI
        if len(seen.kans) == MAX_MELDS:
            return ev.DrawReason.SUUKAIKAN
        first = {river[0].face if len(river) == 1 else None for river in seen.rivers}
        is_one_wind = len(first) == 1 and first < set(WINDS) and not any(seen.melds)
        return ev.DrawReason.SUUFON_RENDA if is_one_wind else ev.DrawReason.SANCHAHO

    def _is_nagashi(self, seat: Seat) -> bool:
        """Tell whether a river has only terminals and honours, none of them called."""
        called = any(meld.source == seat for melds in self._seen.melds for meld in melds)
        return not called and all(KIND_OF[each.face] in YAOCHU for each in self._seen.rivers[seat])

    def _end_kyoku(self, message: Fields) -> list[ev.Event]:
        return [ev.KyokuEnded()]

    def _end_game(self, message: Fields) -> list[ev.Event]:
        points = self._points(message, "scores")
        known = () if self._is_log else tuple(self._seen.points)
        return [ev.GameEnded(known if points is None else points, (), ())]


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


def _value(message: Fields) -> HandValue:
    """Return the value of a win as far as the server states it."""
    pairs = message.get("yakus", [])
    named: list[tuple[Yaku, int]] = []
    for pair in pairs if isinstance(pairs, list) else []:
        match pair:
            case [str() as name, int() as han] if name in YAKU_OF_NAME:
                named.append((YAKU_OF_NAME[name], _our_han(han)))
    fan, fu = message.get("fan"), message.get("fu")
    listed = [pair[1] for pair in pairs if isinstance(pair, list) and len(pair) > 1] if isinstance(pairs, list) else []
    han = fan if type(fan) is int else sum(each for each in listed if type(each) is int)
    yakuman = han // MJAI_YAKUMAN_HAN
    return HandValue(tuple(named), _our_han(han), fu if type(fu) is int else 0, yakuman, 0)


def _our_han(han: int) -> int:
    """Return the han of a yaku; a yakuman counts 100 in mjai."""
    return han // MJAI_YAKUMAN_HAN * YAKUMAN_HAN if han >= MJAI_YAKUMAN_HAN else han


def _empty_table(seats: int) -> Observation:
    """Return the visible state of a table with this many players; of the rules, only their number matters here."""
    return Observation(None, Ruleset(uma=(0,) * seats))


def _count(message: Fields, name: str, *, needed: bool) -> int:
    count = message.get(name, None if needed else 0)
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
