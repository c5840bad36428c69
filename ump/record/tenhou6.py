"""Read and write the JSON of tenhou.net/6, the log viewer and editor that analysers take their games from."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, assert_never
from urllib.parse import quote, unquote_to_bytes

from ump.model import events as ev
from ump.model.constants import BAIMAN, DEALT_TILES, HANEMAN, MANGAN, MAX_INDICATORS, SANBAIMAN, YAKUMAN, YAKUMAN_HAN
from ump.model.melds import Meld, MeldType
from ump.model.notation import NotationError, meld_of
from ump.model.seats import LETTERS as SEAT_LETTERS
from ump.model.seats import Seat, others_after, wind_of
from ump.model.tiles import KIND_OF, KINDS, NORTH, Face
from ump.model.value import value
from ump.model.yaku import HandValue, Yaku, up_to_hundreds
from ump.record.findings import (
    WHOLE,
    DoraPlace,
    FilePlace,
    Findings,
    FormatStatements,
    Rule,
    StatedEntry,
    StatedGame,
    StatedKyoku,
    Strict,
    Unclear,
    read_fields,
    with_length,
    with_start,
)
from ump.record.game_builder import ASSUMED, GameBuilder
from ump.record.hand_values import WIND_NAMES, joined_dora, reason_named, stated_value, yaku_named
from ump.record.lobby_rules import LobbyRules, read_lobby_rules
from ump.record.mjlog_elements import DAN, GameType
from ump.record.record_format import (
    FIELD,
    OF_RESULTS,
    Carried,
    Fact,
    RecordFormat,
    carrying,
    joined,
    own_fields,
    stated_end,
    stated_rules,
    with_own_fields,
)
from ump.record.recorded_game import NoKyokuError, RecordedGame, RecordedKyoku, RecordError, Stated
from ump.rules.presets import TENHOU3, rounded_as
from ump.rules.ruleset import Length, Ruleset
from ump.wire.json_text import JSON, read_document
from ump.wire.text import WireError

# Tiles and melds
#
# A tile has two digits: 11 to 19 characters, 21 to 29 circles, 31 to 39 bamboo, 41 to 47 winds and dragons, 51, 52, 53
# the red fives. A meld is a text of its tiles. Its letter stands before the called tile, and the place of the letter
# says from whom it was called: in front the left neighbour, then the opposite one, at the end the right one.


SEATS = 4
"""The seats of this format. A game of three leaves the last one empty; a meld still names it as a neighbour."""

KITA = "f44"
"""A north that is set aside, among the discards."""

NUMBERS: tuple[int, ...] = (*((kind // 9 + 1) * 10 + kind % 9 + 1 for kind in range(KINDS)), 51, 52, 53)
"""The number of each face."""

FACES = {number: face for face, number in enumerate(NUMBERS)}
"""The face of each number."""

LETTERS = {
    MeldType.CHI: "c",
    MeldType.PON: "p",
    MeldType.DAIMINKAN: "m",
    MeldType.KAKAN: "k",
    MeldType.ANKAN: "a",
}

_MELD = re.compile(r"((?:\d\d){0,3})([cpmka])((?:\d\d){1,4})")
_TYPES = {letter: type_ for type_, letter in LETTERS.items()}
_PLACES = {3: 0, 2: 1}
"""The number of own tiles before the letter, by the steps to the source: the left neighbour and the opposite one."""


def in_order(faces: Iterable[Face]) -> list[Face]:
    """Return faces in the order of this format: red fives after the others."""
    return sorted(faces, key=lambda face: (KIND_OF[face], face))


def face_of(number: object) -> Face:
    """Return the face of a number; raise NotationError if there is none."""
    if type(number) is not int or number not in FACES:
        raise NotationError(str(number)[:40], "is not a tile of tenhou.net/6")
    return FACES[number]


def write_meld(meld: Meld, owner: Seat) -> str:
    """Return the text of a meld."""
    own = [str(NUMBERS[face]) for face in in_order(meld.own)]
    letter = LETTERS[meld.type]
    if meld.called is None or meld.source is None:
        return "".join((*own[:-1], letter, own[-1]))
    added = ""
    if meld.added is not None:
        added = str(NUMBERS[meld.added])
    place = _PLACES.get((meld.source - owner) % SEATS, len(own))
    return "".join((*own[:place], letter, added, str(NUMBERS[meld.called]), *own[place:]))


def read_meld(text: str, owner: Seat) -> Meld:
    """Return the meld of a text; raise NotationError if it is none."""
    match = _MELD.fullmatch(text)
    if match is None:
        raise NotationError(text, "is not a meld of tenhou.net/6")
    first, type_, rest = _faces(match[1]), _TYPES[match[2]], _faces(match[3])
    if type_ is MeldType.ANKAN:
        meld = meld_of(text, (*first, *rest), (), None)
    else:
        added = []
        if type_ is MeldType.KAKAN:
            added.append(rest.pop(0))
        if not rest:
            raise NotationError(text, "is not a meld of tenhou.net/6")
        called = rest.pop(0)
        if not first:
            steps = 3
        elif len(first) == 1 and rest:
            steps = 2
        else:
            steps = 1
        meld = meld_of(text, (*first, *rest), (called, *added), (owner + steps) % SEATS)
    if meld.type is not type_ or (type_ is MeldType.CHI and first):
        raise NotationError(text, "is not a meld of tenhou.net/6")
    return meld


def _faces(digits: str) -> list[Face]:
    return [face_of(int(digits[place : place + 2])) for place in range(0, len(digits), 2)]


# Texts of results
#
# We write Tenhou's texts, and also read those of kobalab/majiang-core and of Equim-chan/tensoul, which converts games
# of Mahjong Soul, with names in Japanese, romaji or English.


WON = "和了"
WINS = (WON, "Agari")
ALL_TENPAI, ALL_NOTEN = "全員聴牌", "全員不聴"

DRAWS: dict[ev.DrawReason, str] = {
    ev.DrawReason.EXHAUSTED: "流局",
    ev.DrawReason.NAGASHI_MANGAN: "流し満貫",
    ev.DrawReason.KYUSHU_KYUHAI: "九種九牌",
    ev.DrawReason.SUUFON_RENDA: "四風連打",
    ev.DrawReason.SUUCHA_RIICHI: "四家立直",
    ev.DrawReason.SANCHAHO: "三家和了",
    ev.DrawReason.SUUKAIKAN: "四槓散了",
    ev.DrawReason.CHOMBO: "チョンボ",
}
"""The text of each draw. Tenhou knows no chombo."""

_NAMES = {
    Yaku.HAKU: "役牌 白",
    Yaku.HATSU: "役牌 發",
    Yaku.CHUN: "役牌 中",
    Yaku.KOKUSHI_13: "国士無双１３面",
}
"""Yaku with another name than in ``Yaku``. The names of the two wind yaku include the wind."""

_LIMITS = {
    MANGAN: "満貫",
    HANEMAN: "跳満",
    BAIMAN: "倍満",
    SANBAIMAN: "三倍満",
    YAKUMAN: "役満",
}
_HAN = re.compile(r"([^(]{1,60})\((?:(\d{1,3}) ?(?:[飜翻]|[Hh]an)|(.{0,8}(?:役満|[Yy]akuman)))[^)]*\)")
_POINTS = re.compile(
    r"(?:(\d{1,4}) ?(?:符|[Ff]u) ?(\d{1,3}) ?(?:[飜翻]|[Hh]an))? ?"
    r"([^\d]{0,20})(\d{1,7})(?:-(\d{1,7}))? ?(?:点|[Pp]oints)(∀?).*"
)


@value
class StatedPoints:
    """The values that the text of the points states."""

    fu: int
    """0 at a limit, where the text does not say it."""
    worth: int
    """The points that all payers pay together."""


def write_points(worth: HandValue, seats: int, *, is_dealer: bool, is_tsumo: bool) -> str:
    """Return the text of the points: ``30符4飜7700点``, ``満貫2000-4000点``, ``跳満6000点∀``."""
    if worth.base < MANGAN:
        kind = f"{worth.fu}符{worth.han}飜"
    else:
        kind = _LIMITS.get(worth.base, "役満")
    if not is_tsumo:
        return f"{kind}{worth.points(seats, is_dealer=is_dealer, is_tsumo=False)}点"
    of_dealer = up_to_hundreds(2 * worth.base)
    if is_dealer:
        return f"{kind}{of_dealer}点∀"
    return f"{kind}{up_to_hundreds(worth.base)}-{of_dealer}点"


def read_points(text: object, seats: int) -> StatedPoints:
    """Read the text of the points; raise RecordError if it has another form."""
    match = None
    if isinstance(text, str):
        match = _POINTS.fullmatch(text)
    if match is None:
        raise RecordError(f"the points of a win are {str(text)[:40]!a}")
    fu, first, second, of_all = int(match[1] or 0), int(match[4]), match[5], match[6]
    if second is not None:
        return StatedPoints(fu, first * (seats - 2) + int(second))
    if of_all:
        return StatedPoints(fu, first * (seats - 1))
    return StatedPoints(fu, first)


def write_yaku(yaku: Yaku, han: int, yakuman: int, round_wind: int, seat_wind: int) -> str:
    """Return the text of a yaku: ``立直(1飜)``, ``四暗刻(役満)``; winds are 0 for east."""
    winds = {Yaku.ROUND_WIND: f"場風 {WIND_NAMES[round_wind]}", Yaku.SEAT_WIND: f"自風 {WIND_NAMES[seat_wind]}"}
    name = winds.get(yaku) or _NAMES.get(yaku, yaku.japanese)
    if yakuman:
        return f"{name}(役満)"
    return f"{name}({han}飜)"


def read_yaku(texts: Iterable[object]) -> tuple[list[tuple[Yaku, int]], str | None]:
    """Read the texts of yaku with their han, 0 for a yakuman; return those that are known, and the names of others.

    A yaku of 0 han is worth nothing, and left out.
    """
    known: list[tuple[Yaku, int]] = []
    unknown = []
    for text in texts:
        match = yaku = None
        if isinstance(text, str):
            match = _HAN.fullmatch(text)
        if match is not None:
            yaku = yaku_named(match[1])
        if match is None or yaku is None:
            unknown.append(ascii(text)[:60])
        elif match[2] is None:
            known.append((yaku, 0))
        elif int(match[2]):
            known.append((yaku, int(match[2])))
    return joined_dora(known), ", ".join(unknown) or None


def doubled(pairs: list[tuple[Yaku, int]], yakuman: int, ruleset: Ruleset) -> list[tuple[Yaku, int]]:
    """Return the yaku of a yakuman hand with their han; the rules say which ones count twice."""
    twice = set()
    if yakuman > len(pairs):
        twice = _double_yakuman(ruleset)
    counted = []
    for yaku, _ in pairs:
        han = YAKUMAN_HAN
        if yaku in twice:
            han *= 2
        counted.append((yaku, han))
    return counted


def _double_yakuman(ruleset: Ruleset) -> set[Yaku]:
    """Return the yakuman that count twice under these rules."""
    is_double = {
        Yaku.SUUANKOU_TANKI: ruleset.double_suuankou_tanki,
        Yaku.KOKUSHI_13: ruleset.double_kokushi_13,
        Yaku.JUNSEI_CHUUREN: ruleset.double_junsei_chuuren,
        Yaku.DAISUUSHII: ruleset.double_daisuushii,
    }
    return {yaku for yaku, counts_twice in is_double.items() if counts_twice}


# The order of the moves, which are listed for each seat alone
#
# After a discard the next seat draws, unless the next entry of another seat calls this tile. If both are possible, a
# call comes first, as in Tenhou's viewer; if the rest then does not fit, the other way is tried.


Entry: TypeAlias = int | str
"""A tile or a meld, as the record has it."""

MOST_STEPS = 10_000
"""Limit of moves that are tried for one kyoku; a real one has 200, and seldom needs a second way."""

TSUMOGIRI = 60

AFTER_OPEN_KAN = 0
"""Stands among the discards in the place of an open kan."""


@value
class Move:
    """A take or a discard of one seat."""

    seat: Seat
    entry: Entry
    """For tsumogiri, the number of the drawn tile."""
    is_take: bool
    tsumogiri: bool = False
    riichi: bool = False
    index: int = 0
    """Its place in the column of takes or discards."""


@value
class _Place:
    """The progress through the columns of all seats."""

    takes: tuple[int, ...]
    discards: tuple[int, ...]
    seat: Seat
    """The seat that takes next."""
    moves: int
    """The number of moves before."""


class Columns:
    """The takes and the discards of each seat."""

    def __init__(self, takes: Sequence[Sequence[Entry]], discards: Sequence[Sequence[Entry]]) -> None:
        """Begin with a column of each player."""
        self._seats = len(takes)
        self._takes = takes
        self._discards = discards
        self._moves: list[Move] = []
        self._steps = 0
        self.furthest: list[Move] = []
        """The longest order that was found when no order fits."""

    def ordered(self, dealer: Seat) -> list[Move]:
        """Return all moves in an order that fits; raise RecordError if there is none."""
        nothing = (0,) * self._seats
        ways = [_Place(nothing, nothing, dealer, 0)]
        while ways:
            place = ways.pop()
            del self._moves[place.moves :]
            try:
                following = self._turn(place)
            finally:
                if len(self._moves) > len(self.furthest):
                    self.furthest = self._moves[:]
            if following is None:
                return self._moves
            ways += reversed(following)
        raise RecordError("takes and discards do not fit together")

    def _turn(self, place: _Place) -> list[_Place] | None:
        """Add the moves of one turn. Return the ways to go on, the likeliest first; None if all columns are used up."""
        takes, discards, seat = list(place.takes), list(place.discards), place.seat
        drawn: Entry | None = None
        while True:
            self._steps += 1
            if self._steps > MOST_STEPS:
                raise RecordError("takes and discards are too ambiguous")
            if takes[seat] == len(self._takes[seat]):
                return self._used_up(takes, discards)
            drawn = self._takes[seat][takes[seat]]
            takes[seat] += 1
            self._moves.append(Move(seat, drawn, is_take=True, index=takes[seat] - 1))
            column = self._discards[seat]
            is_kan = isinstance(drawn, str) and "m" in drawn
            if is_kan:
                if discards[seat] < len(column) and column[discards[seat]] == AFTER_OPEN_KAN:
                    discards[seat] += 1
                continue
            if discards[seat] == len(column):
                return self._used_up(takes, discards)
            entry = column[discards[seat]]
            discards[seat] += 1
            move = _discard(seat, entry, drawn, discards[seat] - 1)
            self._moves.append(move)
            if isinstance(move.entry, int):
                break
        if self._is_end(takes, discards):
            return None
        following = self._following(takes, seat, move.entry)
        return [_Place(tuple(takes), tuple(discards), after, len(self._moves)) for after in following]

    def _used_up(self, takes: Sequence[int], discards: Sequence[int]) -> list[_Place] | None:
        """Return None at the end of all columns, and otherwise no way to go on."""
        if self._is_end(takes, discards):
            return None
        return []

    def _is_end(self, takes: Sequence[int], discards: Sequence[int]) -> bool:
        for seat in range(self._seats):
            if takes[seat] < len(self._takes[seat]) or discards[seat] < len(self._discards[seat]):
                return False
        return True

    def _next_take(self, takes: Sequence[int], seat: Seat) -> Entry | None:
        column = self._takes[seat]
        if takes[seat] == len(column):
            return None
        return column[takes[seat]]

    def _following(self, takes: Sequence[int], seat: Seat, tile: int) -> list[Seat]:
        """Return the seats that may take next after a discard: callers, chi last, then the next seat for its draw."""
        callers: list[tuple[bool, Seat]] = []
        for other in others_after(seat, self._seats):
            entry = self._next_take(takes, other)
            if isinstance(entry, str) and _calls(entry, other, seat, tile):
                callers.append(("c" in entry, other))
        following = [caller for _, caller in sorted(callers)]
        after = (seat + 1) % self._seats
        if isinstance(self._next_take(takes, after), int):
            following.append(after)
        return following


def _calls(text: str, owner: Seat, source: Seat, tile: int) -> bool:
    """Tell whether a meld calls this tile from this seat."""
    try:
        meld = read_meld(text, owner)
    except NotationError as error:
        raise RecordError(str(error)) from None
    return meld.source == source and meld.called is not None and NUMBERS[meld.called] == tile


def _discard(seat: Seat, entry: Entry, drawn: Entry | None, index: int) -> Move:
    """Return the move of an entry among the discards; raise RecordError if it is none."""
    riichi = isinstance(entry, str) and entry.startswith("r")
    number: Entry = entry
    if riichi and isinstance(entry, str):
        if not entry[1:].isascii() or not entry[1:].isdigit() or len(entry) > 4:
            raise RecordError(f"discard {entry[:20]!a}")
        number = int(entry[1:])
    if number != TSUMOGIRI:
        return Move(seat, number, is_take=False, riichi=riichi, index=index)
    if not isinstance(drawn, int):
        raise RecordError("a drawn tile is discarded without a draw")
    return Move(seat, drawn, is_take=False, tsumogiri=True, riichi=riichi, index=index)


# Reading: a whole game as one object, or a kyoku per line as an object or a URL of the viewer


COLUMNS = 17
"""The elements of a kyoku."""

RESULT = 16
"""The place of the result among them."""

MOST_ENTRIES = 100
"""Limit of entries in a column; a wall does not last for more than 30."""

MOST_POINTS = 10_000_000
"""Limit of points."""

MOST_COUNT = 1_000
"""Limit of honba and sticks."""

Fields = Mapping[str, JSON]


def read_tenhou6(data: bytes) -> tuple[RecordedGame, ...]:
    """Return the games of a file; consecutive lines with the same players are one. Raise RecordError."""
    return tuple(map(_game, joined_games(read_objects(data))))


def joined_games(objects: Iterable[tuple[int, Fields]]) -> list[dict[str, JSON]]:
    """Return the games of numbered objects: consecutive ones with the same players are one. Raise RecordError."""
    games: list[dict[str, JSON]] = []
    for number, fields in objects:
        log = fields.get("log")
        if not isinstance(log, list):
            raise RecordError(f"line {number}: log: expected an array")
        if games and _is_same_game(games[-1], fields):
            last = games[-1]
            kyoku = last["log"]
            assert isinstance(kyoku, list)
            kyoku += log
            last[FIELD] = joined(last.get(FIELD), fields.get(FIELD))
        else:
            games.append(dict(fields))
    return games


def _is_same_game(first: Fields, second: Fields) -> bool:
    for key in ("name", "title", "rule"):
        if first.get(key) != second.get(key):
            return False
    return True


def read_objects(data: bytes, read: Callable[[bytes], JSON] = read_document) -> Iterator[tuple[int, Fields]]:
    """Yield the objects of a file, each with its line: one for the whole file, or one for each line.

    ``read`` reads JSON, and raises WireError.
    """
    try:
        whole = read(data)
    except WireError:
        whole = None
    if isinstance(whole, dict):
        yield 1, whole
        return
    for number, line in enumerate(data.split(b"\n"), 1):
        text = line.strip()
        if text:
            yield number, _object(text, number, read)


def _object(text: bytes, number: int, read: Callable[[bytes], JSON]) -> Fields:
    if text.startswith(b"http"):
        text = _of_address(text, read)
    try:
        fields = read(text)
    except WireError as error:
        raise RecordError(f"line {number}: {error}") from None
    if not isinstance(fields, dict):
        raise RecordError(f"line {number}: expected an object")
    return fields


def _of_address(address: bytes, read: Callable[[bytes], JSON]) -> bytes:
    """Return the JSON in an address of the viewer; browsers copy it percent-encoded, in part or not at all."""
    text = address.partition(b"#json=")[2].partition(b"&ts=")[0]
    try:
        read(text)
    except WireError:
        return unquote_to_bytes(text)
    return text


def _game(fields: Fields) -> RecordedGame:
    names, log, own = fields.get("name"), fields.get("log"), fields.get(FIELD)
    if names is None:
        names = []
    if not isinstance(names, list) or len(names) > SEATS or not all(isinstance(name, str) for name in names):
        raise RecordError(f"name: expected at most {SEATS} texts")
    names = [*names, *[""] * (SEATS - len(names))]
    if not isinstance(log, list) or not log:
        raise NoKyokuError
    players = players_of(log)
    said, lobby = _said_rules(fields), _lobby_rules(fields, players)
    ended = None
    if "sc" in fields:
        ended = read_end(fields["sc"], players)
    stated = stated_rules(own)
    if stated is None and lobby is not None and not lobby.unknown:
        stated = rounded_as(lobby.ruleset, ended)
    assumed = assumed_rules(said, players)
    if lobby is not None:
        assumed = lobby.ruleset
    builder = GameBuilder(stated, assumed)
    builder.length = stated_length(said)
    if lobby is not None:
        builder.length = lobby.ruleset.length
    builder.add(ev.GameStarted(tuple(map(str, names[:players]))))
    for kyoku in _read_log(log, stated or assumed, Strict()):
        builder.add_kyoku(kyoku)
    if ended is not None:
        builder.add(ended)
    game = builder.game()
    if stated is None and lobby is not None:
        game = replace(game, unknown_rules=lobby.unknown)
    game = replace(
        game,
        room=_room(said),
        ranks=tuple(map(_rank, _of_players(fields.get("dan"), players))),
        ratings=tuple(map(_rating, _of_players(fields.get("rate"), players))),
    )
    return with_own_fields(game, own)


def _said_rules(fields: Fields) -> Fields:
    """Return the description of the rules, empty if there is none."""
    rule = fields.get("rule")
    if not isinstance(rule, dict):
        return {}
    return rule


def _lobby_rules(fields: Fields, players: int) -> LobbyRules | None:
    """Return the rules of a tournament lobby, whose ``rule`` is a list; None for other games."""
    rule, custom = fields.get("rule"), fields.get("csrule", [])
    if not isinstance(rule, list):
        return None
    bits = 0
    if len(rule) > _TYPE_PLACE and _HEXADECIMAL.fullmatch(str(rule[_TYPE_PLACE])):
        bits = int(str(rule[_TYPE_PLACE]), 16)
    game_type = GameType(bits)
    if not bits or game_type.ruleset().seats != players or not isinstance(custom, list):
        return LobbyRules(assumed_rules({}, players), ("rule and csrule",))
    return read_lobby_rules(game_type, list(map(str, custom)))


_TYPE_PLACE = 2
"""The entry of a lobby's rule that is the type of its games, after the dates."""

_HEXADECIMAL = re.compile("[0-9A-Fa-f]{1,4}", re.ASCII)


def _of_players(listed: JSON, players: int) -> list[JSON]:
    """Return the entries of a list for all players; nothing if there are fewer."""
    if not isinstance(listed, list) or len(listed) < players:
        return []
    return listed[:players]


def _read_log(log: Sequence[JSON], ruleset: Ruleset, findings: Findings) -> Iterator[StatedKyoku]:
    """Yield the kyoku that are readable; others are findings."""
    for given in log:
        findings.kyoku += 1
        kyoku = _ReadKyoku(_with_plain_fives(given, ruleset), ruleset, findings).read()
        if kyoku is not None:
            yield kyoku


def _with_plain_fives(kyoku: JSON, ruleset: Ruleset) -> JSON:
    """Return a kyoku in which 51 to 53 are plain fives of the suits without red ones."""
    plain: dict[int, int] = {}
    for suit, reds in enumerate(ruleset.red_fives, 1):
        if not reds:
            plain[50 + suit] = 10 * suit + 5
    if not plain or not isinstance(kyoku, list):
        return kyoku

    def _number(match: re.Match[str]) -> str:
        number = int(match[0])
        return str(plain.get(number, number))

    def _entry(entry: JSON) -> JSON:
        if isinstance(entry, str):
            return _NUMBER.sub(_number, entry)
        if type(entry) is int:
            return plain.get(entry, entry)
        return entry

    changed = list(kyoku)
    for place in range(2, min(RESULT, len(kyoku))):
        column = kyoku[place]
        if isinstance(column, list):
            changed[place] = [_entry(entry) for entry in column]
    return changed


_NUMBER = re.compile("[0-9]{2}", re.ASCII)

_ROOMS = {"上": "joukyuu", "特": "tokujou", "鳳": "houou"}
"""The first sign of a rule and the ranked room. Programs that know none write 般, the lowest."""


def _room(rule: Fields) -> str:
    signs = str(rule.get("disp"))[:2]
    for sign, room in _ROOMS.items():
        if sign in signs:
            return room
    return ""


def _rank(dan: JSON) -> int | None:
    if isinstance(dan, str) and dan in DAN:
        return DAN.index(dan)
    return None


def _rating(rate: JSON) -> float | None:
    if isinstance(rate, int | float) and abs(rate) <= MOST_POINTS:
        return float(rate)
    return None


def players_of(log: Sequence[JSON]) -> int:
    """Return the number of players: in a game of three the last seat has no hand."""
    first = log[0]
    if isinstance(first, list) and len(first) == COLUMNS and first[4 + 3 * (SEATS - 1)] == []:
        return SEATS - 1
    return SEATS


def assumed_rules(rule: Fields, players: int) -> Ruleset:
    """Return the rules as far as the record says them, and those of Tenhou for the rest."""
    ruleset = TENHOU3
    if players == SEATS:
        ruleset = ASSUMED
    reds = []
    for suit, usual in enumerate(ruleset.red_fives, 1):
        default: JSON = 0
        if usual:
            default = rule.get("aka", usual)
        reds.append(read_count(rule.get(f"aka5{suit}", default), "aka", 4))
    ruleset = replace(ruleset, red_fives=tuple(reds))
    text = _disp(rule)
    if text.startswith(("般", "三般")) or "喰" in text:
        return replace(ruleset, kuitan="喰" in text)
    return ruleset


def _disp(rule: Fields) -> str:
    """Return the rules in the words that the viewer displays; empty if there are none."""
    disp = rule.get("disp")
    if not isinstance(disp, str):
        return ""
    return disp


def stated_length(rule: Fields) -> Length | None:
    """Return how long the record says the game is, None if it does not."""
    text = _disp(rule)
    for length, (japanese, english) in _LENGTHS.items():
        if japanese in text or english in text:
            return length
    return None


_LENGTHS = {Length.TONPU: ("東", "East"), Length.HANCHAN: ("南", "South")}
"""The words for the length of a game."""


def read_end(listed: JSON, players: int) -> ev.GameEnded:
    """Return the end of the game from its scores and results; places follow from the scores."""
    numbers: list[int | float] = []
    if isinstance(listed, list):
        for number in listed:
            if isinstance(number, int | float):
                numbers.append(number)
    if len(numbers) != 2 * SEATS or max(map(abs, numbers)) > MOST_POINTS:
        raise RecordError(f"sc: expected {SEATS} scores and results")
    points = tuple(map(int, numbers[::2]))[:players]
    ranking = sorted(range(players), key=lambda seat: (-points[seat], seat))
    places = tuple(ranking.index(seat) + 1 for seat in range(players))
    results = tuple(round(10 * result) for result in numbers[1::2])
    return ev.GameEnded(points, places, results[:players])


class _ReadKyoku:
    """One kyoku of a record."""

    def __init__(self, given: JSON, ruleset: Ruleset, findings: Findings) -> None:
        self._given: list[JSON] = []
        if isinstance(given, list):
            self._given = given
        self._ruleset = ruleset
        self._players = ruleset.seats
        self._findings = findings
        self._entries: list[StatedEntry] = []
        self._is_cut = False
        self._in_riichi: set[Seat] = set()
        self._dealer: Seat = 0

    def read(self) -> StatedKyoku | None:
        """Return the kyoku; None if it is unreadable, which is a finding."""
        if len(self._given) != COLUMNS:
            self._findings.add(WHOLE, Rule.UNREADABLE, f"an array of {COLUMNS}", f"one of {len(self._given)}")
            return None
        players = players_of([self._given])
        if players > self._players:
            self._findings.add(WHOLE, Rule.WRONG_VALUE, f"{self._players} players", f"{players} players")
            return None
        try:
            return self._kyoku()
        except (RecordError, NotationError) as error:
            self._findings.add_error(WHOLE, Rule.WRONG_VALUE, "a kyoku as the format has it", error)
            return None

    def _kyoku(self) -> StatedKyoku | None:
        given = self._given
        number, honba, sticks = read_numbers(given[0], 3, MOST_COUNT)
        bakaze, self._dealer = divmod(number, SEATS)
        scores = read_points_of(given[1], self._players)
        indicators = read_faces(given[2], MAX_INDICATORS)
        listed = [read_faces(given[4 + 3 * seat], 2 * DEALT_TILES) for seat in range(self._players)]
        hands: list[tuple[Face, ...] | None] = []
        for who, faces in zip(SEAT_LETTERS, listed, strict=False):
            if len(faces) == DEALT_TILES:
                hands.append(faces)
                continue
            hands.append(None)
            expected = f"{DEALT_TILES} tiles for {who}"
            self._findings.add(FilePlace(f"hand of {who}"), Rule.DEAL, expected, f"{len(faces)} tiles")
        is_wrong = None in hands
        if not indicators or bakaze >= SEATS or self._dealer >= self._players:
            raise RecordError(f"no dora indicator, or round {number}")
        if not is_wrong:
            self._follow()
        started = ev.KyokuStarted(bakaze, self._dealer, honba, sticks, scores, (1, 1))
        return StatedKyoku(
            WHOLE,
            started,
            tuple(hands),
            indicators[0],
            tuple(self._entries),
            indicators[1:],
            self._is_cut or is_wrong,
            self._findings.kyoku,
        )

    def _follow(self) -> None:
        """Add the moves and the result."""
        takes = [read_column(self._given[5 + 3 * seat]) for seat in range(self._players)]
        discards = [read_column(self._given[6 + 3 * seat]) for seat in range(self._players)]
        self._compare_lengths(takes, discards)
        columns = Columns(takes, discards)
        try:
            moves: Sequence[Move] = columns.ordered(self._dealer)
        except RecordError as error:
            moves = columns.furthest
            self._is_cut = True
            place, rule = WHOLE, Rule.COLUMNS
            if moves:
                place = _place(moves[-1])
            if "meld" in str(error):
                rule = Rule.MELD
            self._findings.add_error(place, rule, "a move of another seat that fits after this one", error)
        last: Face | None = None
        for move in moves:
            last = self._move(move)
        if self._is_cut:
            self._entries.append(StatedEntry(WHOLE, Unclear()))
        try:
            self._finish(self._given[RESULT], last)
        except (RecordError, NotationError) as error:
            self._is_cut = True
            self._findings.add_error(FilePlace("result"), Rule.WRONG_VALUE, "a result as the format has it", error)

    def _compare_lengths(self, takes: Sequence[Sequence[int | str]], discards: Sequence[Sequence[int | str]]) -> None:
        """Report a seat that gives more tiles than it has taken, or keeps more than one."""
        for seat in range(self._players):
            open_kans = sum(isinstance(entry, str) and "m" in entry for entry in takes[seat])
            given = len(discards[seat]) - discards[seat].count(0) + open_kans
            taken, who = len(takes[seat]), SEAT_LETTERS[seat]
            if given > taken:
                found = f"{taken}, for {given} discards"
                place = FilePlace(f"takes of {who}, entry", taken)
                self._findings.add(place, Rule.MISSING_DRAW, f"a take of {who} for each discard", found)
            elif given < taken - 1:
                found = f"{given}, for {taken} takes"
                place = FilePlace(f"discards of {who}, entry", len(discards[seat]))
                self._findings.add(place, Rule.TURN_ORDER, f"a discard of {who} for each take", found)

    def _move(self, move: Move) -> Face | None:
        """Add a move; return the tile that it takes or gives."""
        place, seat = _place(move), move.seat
        if move.entry == KITA and not move.is_take:
            self._entries.append(StatedEntry(place, ev.KitaDeclared(seat)))
            return NORTH
        try:
            if isinstance(move.entry, str):
                return self._meld(place, move, move.entry)
            face = face_of(move.entry)
        except NotationError as error:
            rule = Rule.WRONG_VALUE
            if isinstance(move.entry, str):
                rule = Rule.MELD
            self._findings.add_error(place, rule, "a tile or a meld", error)
            self._entries.append(StatedEntry(place, Unclear(seat)))
            return None
        if move.is_take:
            self._entries.append(StatedEntry(place, ev.TileDrawn(seat, 0, face)))
            return face
        if move.riichi:
            self._in_riichi.add(seat)
            self._entries.append(StatedEntry(place, ev.RiichiDeclared(seat)))
        self._entries.append(StatedEntry(place, ev.TileDiscarded(seat, face, move.tsumogiri, move.riichi)))
        return face

    def _meld(self, place: FilePlace, move: Move, text: str) -> Face | None:
        meld = read_meld(text, move.seat)
        is_call = meld.called is not None and meld.added is None
        if is_call is not move.is_take:
            column = "discards"
            if is_call:
                column = "takes"
            self._findings.add(place, Rule.WRONG_VALUE, f"{text} among the {column}", "the other column")
            self._entries.append(StatedEntry(place, Unclear(move.seat)))
            return None
        if is_call:
            self._entries.append(StatedEntry(place, ev.TileCalled(move.seat, meld)))
        else:
            self._entries.append(StatedEntry(place, ev.KanDeclared(move.seat, meld)))
        if meld.added is None:
            return meld.own[-1]
        return meld.added

    def _finish(self, result: JSON, last: Face | None) -> None:
        """Add the result; an unfinished kyoku has an empty one."""
        if result == []:
            self._is_cut = True
            return
        if not isinstance(result, list) or not result or not isinstance(result[0], str):
            raise RecordError("expected a result")
        text, rest, place = result[0], result[1:], FilePlace("result")
        if text in WINS:
            if not rest or len(rest) % 2 or not self._entries:
                raise RecordError("a win needs payments and details")
            if last is None:  # the last move makes no sense
                return
            for paid, detail in zip(rest[::2], rest[1::2], strict=True):
                self._entries.append(self._win(place, read_points_of(paid, self._players), detail, last))
            return
        if text in (ALL_TENPAI, ALL_NOTEN):
            for seat in range(self._players):
                self._entries.append(StatedEntry(place, ev.TenpaiDeclared(seat, text == ALL_TENPAI, None, ())))
        self._entries.append(StatedEntry(place, read_draw(text, rest, self._players)))

    def _win(self, place: FilePlace, changes: tuple[int, ...], detail: JSON, tile: Face) -> StatedEntry:
        if not isinstance(detail, list) or len(detail) < 4:
            raise RecordError("a win needs winner, source, liable player and points")
        winner, source, liable = (read_count(seat, "seat", self._players - 1) for seat in detail[:3])
        stated = read_points(detail[3], self._players)
        loser = _another(source, winner)
        is_dealer = winner == self._dealer
        value = read_value(
            detail[4:], stated.fu, stated.worth, self._ruleset, is_dealer=is_dealer, is_tsumo=loser is None
        )
        ura = read_faces(self._given[3], MAX_INDICATORS)
        if winner not in self._in_riichi:
            ura = ()
        won = ev.HandWon(
            seat=winner,
            loser=loser,
            tile=tile,
            faces=(),
            melds=(),
            riichi=False,
            ura=ura,
            value=value,
            changes=changes,
            liable=_another(liable, winner),
        )
        _, unknown = read_yaku(detail[4:])
        return StatedEntry(place, won, Stated(worth=stated.worth, unknown_yaku=unknown))


def _another(seat: Seat, winner: Seat) -> Seat | None:
    """Return a seat other than the winner, which stands there if there is none."""
    if seat == winner:
        return None
    return seat


def _place(move: Move) -> FilePlace:
    column = "discards"
    if move.is_take:
        column = "takes"
    return FilePlace(f"{column} of {SEAT_LETTERS[move.seat]}, entry", move.index + 1)


def read_value(
    texts: Sequence[JSON], fu: int, worth: int, ruleset: Ruleset, *, is_dealer: bool, is_tsumo: bool
) -> HandValue:
    """Return the value that the texts of the yaku and the points of a win say, without yaku if one is unknown."""
    pairs, unknown = read_yaku(texts)
    if unknown is not None:
        pairs = []
    seats = ruleset.seats
    single = HandValue((), YAKUMAN_HAN, 0, 1, YAKUMAN).points(seats, is_dealer=is_dealer, is_tsumo=is_tsumo)
    of_yakuman = [pair for pair in pairs if not pair[1]]
    yakuman = 0
    if of_yakuman:
        yakuman = worth // single
    if yakuman:
        pairs = doubled(of_yakuman, yakuman, ruleset)
    han = sum(count for _, count in pairs)
    return stated_value(pairs, han, fu, yakuman, worth, seats=seats, is_dealer=is_dealer, is_tsumo=is_tsumo)


def read_draw(text: str, rest: Sequence[JSON], players: int) -> ev.KyokuDrawn:
    """Return a draw from its name and what follows it; raise RecordError.

    Its payments are unknown if it should have some, and neither they nor the name tell them.
    """
    reason = reason_named(text)
    if rest:
        return ev.KyokuDrawn(reason, read_points_of(rest[0], players))
    if reason in _PAID and text not in (ALL_TENPAI, ALL_NOTEN):
        return ev.KyokuDrawn(reason, ())
    return ev.KyokuDrawn(reason, (0,) * players)


def read_points_of(given: JSON, players: int) -> tuple[int, ...]:
    """Return scores or their changes; a game of three may have those of the empty seat, too. Raise RecordError."""
    count = players
    if isinstance(given, list) and players <= len(given) <= SEATS:
        count = len(given)
    return tuple(read_numbers(given, count, MOST_POINTS, -MOST_POINTS))[:players]


def read_numbers(given: JSON, count: int, most: int, least: int = 0) -> list[int]:
    """Return an array of so many integers in a range; raise RecordError for anything else."""
    listed = []
    if isinstance(given, list):
        listed = [read_count(number, "number", most, least) for number in given]
    if len(listed) != count:
        raise RecordError(f"expected {count} numbers")
    return listed


def read_count(given: Any, name: str, most: int, least: int = 0) -> int:
    """Return an integer in a range; raise RecordError, which mentions ``name``, for anything else."""
    if type(given) is not int or not least <= given <= most:
        raise RecordError(f"{name}: expected an integer from {least} to {most}, got {json.dumps(given)[:40]}")
    return given


def read_faces(given: JSON, most: int) -> tuple[Face, ...]:
    """Return an array of at most so many tiles; raise RecordError or NotationError for anything else."""
    if not isinstance(given, list) or len(given) > most:
        raise RecordError(f"expected an array of at most {most} tiles")
    return tuple(map(face_of, given))


def read_column(given: JSON) -> list[Entry]:
    """Return the takes or the discards of one seat."""
    if not isinstance(given, list) or len(given) > MOST_ENTRIES:
        raise RecordError(f"expected an array of at most {MOST_ENTRIES} entries")
    entries = [entry for entry in given if type(entry) is int or isinstance(entry, str)]
    if len(entries) != len(given):
        raise RecordError("takes and discards are numbers and texts")
    return entries


# Reading for the linter: everything as it stands there


FORM = FormatStatements(DoraPlace.LISTED, sticks=False)

_IN_GAME = (
    *("title", "name", "rule", "log", "ver", "ref", "ratingc", "lobby", "dan", "rate", "sx", "sc", "connection"),
    *("csrule", "ranking", "_target_actor", "playerMapping", FIELD),
)
_IN_RULE = ("disp", "aka", "aka51", "aka52", "aka53", "ver")


def state_tenhou6(data: bytes, rules: Ruleset | None, findings: Findings) -> list[StatedGame]:
    """Return the games of a file with what is wrong in their kyoku as findings; raise RecordError if it has no form."""
    objects = list(read_objects(data.strip(), read_fields))
    for number, fields in objects:
        place = WHOLE
        if len(objects) > 1:
            place = FilePlace("line", number)
        findings.check_fields(place, "game", fields, _IN_GAME, ("name", "log"))
        findings.check_fields(place, "rule", fields.get("rule"), _IN_RULE)
    games = [_stated_game(fields, rules, findings) for fields in joined_games(objects)]
    return [game for game in games if game.kyoku]


def _stated_game(fields: Fields, rules: Ruleset | None, findings: Findings) -> StatedGame:
    names, listed, own = fields.get("name"), fields.get("log"), fields.get(FIELD)
    if not isinstance(names, list) or len(names) != SEATS or not all(isinstance(name, str) for name in names):
        findings.add(WHOLE, Rule.WRONG_VALUE, f"name: {SEATS} texts", ascii(names)[:60])
    assert isinstance(listed, list), "joined_games has refused others"
    said, players = _said_rules(fields), SEATS
    if listed:
        players = players_of(listed)
    lobby = _lobby_rules(fields, players)
    assumed = assumed_rules(said, players)
    stated, ended = rules, None
    if lobby is not None:
        assumed, stated = lobby.ruleset, None
        if not lobby.unknown:
            stated = lobby.ruleset
    try:
        stated = stated_rules(own) or stated
        if "sc" in fields:
            ended = stated_end(read_end(fields["sc"], players), own)
    except RecordError as error:
        findings.add_error(WHOLE, Rule.WRONG_VALUE, "rules, scores and results", error)
    kyoku = tuple(_read_log(listed, stated or assumed, findings))
    ruleset = stated or assumed
    if stated is None and kyoku:
        ruleset = with_start(assumed, kyoku[0].started)
    own_counting = isinstance(own, dict) and own.get("own_counting") is True
    game = StatedGame(FORM, ruleset, stated is not None, kyoku, ended, WHOLE, own_counting)
    if stated is None and lobby is not None:
        return replace(game, length_stated=True, unknown_rules=lobby.unknown)
    if own is not None:
        return game
    return with_length(game, stated_length(said))


# Writing: a whole game, or a URL for each kyoku


URL = "https://tenhou.net/6/#json="
"""The viewer; the game follows, percent-encoded."""

SAFE = "-_.,()"
"""Characters that are not encoded, besides letters and digits: some readers cut the text at other signs."""


def write_tenhou6(game: RecordedGame) -> bytes:
    """Return the whole game as one object."""
    return json.dumps(_written_game(game), ensure_ascii=False, separators=(",", ":")).encode()


def write_urls(game: RecordedGame) -> bytes:
    """Return a URL for each kyoku, one per line: the form that NAGA takes."""
    lines = []
    for kyoku in game.kyoku:
        one = replace(game, kyoku=(kyoku,), ended=None)
        text = json.dumps(_written_game(one), ensure_ascii=False, separators=(",", ":"))
        lines.append(f"{URL}{quote(text, safe=SAFE)}\n")
    return "".join(lines).encode("ascii")


def _written_game(game: RecordedGame) -> dict[str, object]:
    written: dict[str, object] = {
        "title": ["", ""],
        "name": [*game.names, *[""] * (SEATS - len(game.names))],
        "rule": _rule(game),
    }
    if game.ended is not None and game.ended.results:
        numbers: list[float] = []
        for points, result in zip(game.ended.points, game.ended.results, strict=True):
            numbers += (points, result / 10)
        written["sc"] = [*numbers, *[0] * (2 * SEATS - len(numbers))]
    written["log"] = [_WrittenKyoku(kyoku).written() for kyoku in game.kyoku]
    own = own_fields(game, with_fu=True)
    if own:
        written[FIELD] = own
    return written


def _rule(game: RecordedGame) -> dict[str, object]:
    """Return the rules that the format knows, if the game says them: how long it is, open tanyao, red fives."""
    ruleset, aka = game.ruleset, int(any(game.ruleset.red_fives))
    length = "東"
    if ruleset.length is Length.HANCHAN:
        length = "南"
    if not game.rules_stated:
        if not game.length_stated:
            return {"aka": aka}
        return {"disp": length, "aka": aka}
    disp = f"般{length}"
    if ruleset.seats == 3:
        disp = f"三{disp}"
    if ruleset.kuitan:
        disp += "喰"
    if aka:
        disp += "赤"
    reds = {f"aka5{suit}": count for suit, count in enumerate(ruleset.red_fives, 1)}
    return {"disp": disp, "aka": aka, **reds}


class _WrittenKyoku:
    """One kyoku, collected event by event."""

    def __init__(self, kyoku: RecordedKyoku) -> None:
        self._started = kyoku.started
        self._players = len(kyoku.started.points)
        self._indicators: list[Face] = []
        self._ura: tuple[Face, ...] = ()
        self._hands: list[list[int]] = [[] for _ in range(SEATS)]
        self._takes: list[list[int | str]] = [[] for _ in range(SEATS)]
        self._discards: list[list[int | str]] = [[] for _ in range(SEATS)]
        self._tenpai: list[bool] = []
        self._result: list[object] = []
        for event in kyoku.events:
            self._note(event)

    def written(self) -> list[object]:
        """Return the array of the kyoku."""
        started = self._started
        columns: list[object] = []
        for seat in range(SEATS):
            columns += (self._hands[seat], self._takes[seat], self._discards[seat])
        return [
            [started.bakaze * SEATS + started.dealer, started.honba, started.kyotaku],
            [*started.points, *[0] * (SEATS - self._players)],
            [NUMBERS[face] for face in self._indicators],
            [NUMBERS[face] for face in self._ura],
            *columns,
            self._result,
        ]

    def _note(self, event: ev.Event) -> None:
        match event:
            case ev.TileDiscarded():
                self._discards[event.seat].append(_written_discard(event))
            case ev.TileDrawn():
                if event.face is None:
                    raise RecordError(f"a draw of {SEAT_LETTERS[event.seat]} is hidden")
                self._takes[event.seat].append(NUMBERS[event.face])
            case ev.TileCalled():
                self._takes[event.seat].append(write_meld(event.meld, event.seat))
                if event.meld.type is MeldType.DAIMINKAN:
                    self._discards[event.seat].append(AFTER_OPEN_KAN)
            case ev.KanDeclared():
                self._discards[event.seat].append(write_meld(event.meld, event.seat))
            case ev.KitaDeclared():
                self._discards[event.seat].append(KITA)
            case ev.HandDealt():
                if event.faces is None:
                    raise RecordError(f"the hand of {SEAT_LETTERS[event.seat]} is hidden")
                self._hands[event.seat] = [NUMBERS[face] for face in in_order(event.faces)]
            case ev.DoraRevealed():
                self._indicators.append(event.indicator)
            case ev.TenpaiDeclared():
                self._tenpai.append(event.tenpai)
            case ev.HandWon():
                self._win(event)
            case ev.KyokuDrawn():
                self._draw(event)
            case (
                ev.GameStarted()
                | ev.KyokuStarted()
                | ev.RiichiDeclared()
                | ev.RiichiPaid()
                | ev.RonDeclared()
                | ev.HandOpened()
                | ev.KyokuEnded()
                | ev.GameEnded()
            ):
                pass
            case _:
                assert_never(event)

    def _win(self, won: ev.HandWon) -> None:
        started, worth = self._started, won.value
        is_tsumo = won.loser is None
        points = write_points(worth, self._players, is_dealer=won.seat == started.dealer, is_tsumo=is_tsumo)
        wind = wind_of(won.seat, started.dealer, self._players)
        yaku = [write_yaku(name, han, worth.yakuman, started.bakaze, wind) for name, han in worth.yaku]
        source = liable = won.seat
        if won.loser is not None:
            source = won.loser
        if won.liable is not None:
            liable = won.liable
        self._ura = max(self._ura, won.ura, key=len)
        self._result = [*(self._result or [WON]), list(won.changes), [won.seat, source, liable, points, *yaku]]

    def _draw(self, drawn: ev.KyokuDrawn) -> None:
        changes = list(drawn.changes)
        is_exhausted = drawn.reason is ev.DrawReason.EXHAUSTED and not any(changes)
        if is_exhausted and set(self._tenpai) == {True}:
            self._result = [ALL_TENPAI]
        elif is_exhausted and set(self._tenpai) == {False}:
            self._result = [ALL_NOTEN]
        elif any(changes) or drawn.reason in _PAID:
            self._result = [DRAWS[drawn.reason], changes]
        else:
            self._result = [DRAWS[drawn.reason]]


def _written_discard(discarded: ev.TileDiscarded) -> Entry:
    number = NUMBERS[discarded.face]
    if discarded.tsumogiri:
        number = TSUMOGIRI
    if discarded.riichi:
        return f"r{number}"
    return number


_PAID: Sequence[ev.DrawReason] = (ev.DrawReason.EXHAUSTED, ev.DrawReason.NAGASHI_MANGAN, ev.DrawReason.CHOMBO)
"""The draws whose text the payments follow."""


# The formats


_LOG = re.compile(rb'\{.*?"log"\s*:\s*\[\s*\[\s*\[', re.DOTALL)
"""An object with a log, of which a kyoku begins with an array."""

_URL = re.compile(rb"https?://tenhou\.net/[56]/#json=")


def _is_object(data: bytes) -> bool:
    return _LOG.match(data) is not None


def _is_url(data: bytes) -> bool:
    return _URL.match(data) is not None


TENHOU6 = RecordFormat(
    key="tenhou6",
    name="tenhou.net/6 JSON",
    suffix=".tenhou6.json",
    sniff=_is_object,
    read=read_tenhou6,
    state=state_tenhou6,
    write=write_tenhou6,
    players=(3, 4),
    carries=carrying(
        {
            Carried.YES: (Fact.HANDS, Fact.NAMES, Fact.RESULTS, Fact.SCORES, Fact.YAKU, Fact.URA),
            Carried.OWN: (Fact.RULES, Fact.DICE, Fact.FU),
        }
    ),
    needs=frozenset((Fact.HANDS, Fact.RESULTS, Fact.SCORES, *OF_RESULTS)),
)
"""A whole game in one object. Tenhou's own files lack the fu at the limits."""

TENHOU6_URLS = RecordFormat(
    key="tenhou6-urls",
    name="tenhou.net/6 URLs",
    suffix=".urls.txt",
    sniff=_is_url,
    read=read_tenhou6,
    state=state_tenhou6,
    write=write_urls,
    players=(3, 4),
    carries=carrying(
        {
            Carried.YES: (Fact.HANDS, Fact.NAMES, Fact.YAKU, Fact.URA),
            Carried.OWN: (Fact.RULES, Fact.DICE, Fact.FU),
        }
    ),
    needs=frozenset((Fact.HANDS, *OF_RESULTS)),
)
"""A URL for each kyoku, one per line. The end of the game is missing."""
