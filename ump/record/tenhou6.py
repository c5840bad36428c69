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
from ump.record.mjlog_elements import DAN
from ump.record.record_format import (
    FIELD,
    OF_RESULTS,
    Carried,
    Fact,
    RecordFormat,
    carrying,
    joined,
    own_fields,
    stated_rules,
    with_own_fields,
)
from ump.record.recorded_game import RecordedGame, RecordedKyoku, RecordError, Stated
from ump.rules.presets import TENHOU3
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
    face = FACES.get(number) if type(number) is int else None
    if face is None:
        raise NotationError(str(number)[:40], "is not a tile of tenhou.net/6")
    return face


def write_meld(meld: Meld, owner: Seat) -> str:
    """Return the text of a meld."""
    own = [str(NUMBERS[face]) for face in in_order(meld.own)]
    letter = LETTERS[meld.type]
    if meld.called is None or meld.source is None:
        return "".join((*own[:-1], letter, own[-1]))
    added = "" if meld.added is None else str(NUMBERS[meld.added])
    place = _PLACES.get((meld.source - owner) % SEATS, len(own))
    return "".join((*own[:place], letter, added, str(NUMBERS[meld.called]), *own[place:]))


def read_meld(text: str, owner: Seat) -> Meld:
    """Return the meld of a text; raise NotationError if it is none."""
    match = _MELD.fullmatch(text)
    if match is None:
        raise NotationError(text, "is not a meld of tenhou.net/6")
    before, letter, after = (match[1], match[2], match[3])
    first, rest = _faces(before), _faces(after)
    type_ = _TYPES[letter]
    if type_ is MeldType.ANKAN:
        meld = meld_of(text, (*first, *rest), (), None)
    else:
        added = [rest.pop(0)] if type_ is MeldType.KAKAN else []
        if not rest:
            raise NotationError(text, "is not a meld of tenhou.net/6")
        called = rest.pop(0)
        steps = 3 if not first else 2 if len(first) == 1 and rest else 1
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
    limit = _LIMITS.get(min(worth.base, YAKUMAN), "" if worth.base < MANGAN else "役満")
    kind = limit or f"{worth.fu}符{worth.han}飜"
    if not is_tsumo:
        return f"{kind}{worth.points(seats, is_dealer=is_dealer, is_tsumo=False)}点"
    of_dealer = up_to_hundreds(2 * worth.base)
    return f"{kind}{of_dealer}点∀" if is_dealer else f"{kind}{up_to_hundreds(worth.base)}-{of_dealer}点"


def read_points(text: object, seats: int) -> StatedPoints:
    """Read the text of the points; raise RecordError if it has another form."""
    match = _POINTS.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise RecordError(f"the points of a win are {str(text)[:40]!a}")
    fu, first, second = int(match[1] or 0), int(match[4]), match[5]
    if second is not None:
        return StatedPoints(fu, first * (seats - 2) + int(second))
    return StatedPoints(fu, first * (seats - 1) if match[6] else first)


def write_yaku(yaku: Yaku, han: int, yakuman: int, round_wind: int, seat_wind: int) -> str:
    """Return the text of a yaku: ``立直(1飜)``, ``四暗刻(役満)``; winds are 0 for east."""
    winds = {Yaku.ROUND_WIND: f"場風 {WIND_NAMES[round_wind]}", Yaku.SEAT_WIND: f"自風 {WIND_NAMES[seat_wind]}"}
    name = winds.get(yaku) or _NAMES.get(yaku, yaku.japanese)
    return f"{name}({'役満' if yakuman else f'{han}飜'})"


def read_yaku(texts: Iterable[object]) -> tuple[list[tuple[Yaku, int]], str | None]:
    """Read the texts of yaku with their han, 0 for a yakuman; return those that are known, and the names of others.

    A yaku of 0 han is worth nothing, and left out.
    """
    known: list[tuple[Yaku, int]] = []
    unknown = []
    for text in texts:
        match = _HAN.fullmatch(text) if isinstance(text, str) else None
        yaku = None if match is None else yaku_named(match[1])
        if match is None or yaku is None:
            unknown.append(ascii(text)[:60])
        elif match[2] is None or int(match[2]):
            known.append((yaku, int(match[2] or 0)))
    return joined_dora(known), ", ".join(unknown) or None


def doubled(pairs: list[tuple[Yaku, int]], yakuman: int, ruleset: Ruleset) -> list[tuple[Yaku, int]]:
    """Return the yaku of a yakuman hand with their han; the rules say which ones count twice."""
    twice = _double_yakuman(ruleset) if yakuman > len(pairs) else set()
    return [(yaku, 2 * YAKUMAN_HAN if yaku in twice else YAKUMAN_HAN) for yaku, _ in pairs]


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
                found = self._turn(place)
            finally:
                if len(self._moves) > len(self.furthest):
                    self.furthest = self._moves[:]
            if found is None:
                return self._moves
            ways += reversed(found)
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
                return None if self._is_end(takes, discards) else []
            drawn = self._takes[seat][takes[seat]]
            takes[seat] += 1
            self._moves.append(Move(seat, drawn, is_take=True, index=takes[seat] - 1))
            column = self._discards[seat]
            is_kan = isinstance(drawn, str) and "m" in drawn
            if is_kan:
                discards[seat] += discards[seat] < len(column) and column[discards[seat]] == 0
                continue
            if discards[seat] == len(column):
                return None if self._is_end(takes, discards) else []
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

    def _is_end(self, takes: Sequence[int], discards: Sequence[int]) -> bool:
        used = [*zip(takes, self._takes, strict=True), *zip(discards, self._discards, strict=True)]
        return all(count == len(column) for count, column in used)

    def _following(self, takes: Sequence[int], seat: Seat, tile: int) -> list[Seat]:
        """Return the seats that may take next after a discard: callers, chi last, then the next seat for its draw."""
        callers: list[tuple[bool, Seat]] = []
        for other in others_after(seat, self._seats):
            column = self._takes[other]
            entry = column[takes[other]] if takes[other] < len(column) else None
            if isinstance(entry, str) and _calls(entry, other, seat, tile):
                callers.append(("c" in entry, other))
        after = (seat + 1) % self._seats
        column = self._takes[after]
        draws = [after] if takes[after] < len(column) and isinstance(column[takes[after]], int) else []
        return [caller for _, caller in sorted(callers)] + draws


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
        last = games[-1] if games else None
        if last is not None and all(last.get(key) == fields.get(key) for key in ("name", "title", "rule")):
            kyoku = last["log"]
            assert isinstance(kyoku, list)
            kyoku += log
            last[FIELD] = joined(last.get(FIELD), fields.get(FIELD))
        else:
            games.append(dict(fields))
    return games


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
    names = [] if names is None else names
    if not isinstance(names, list) or len(names) > SEATS or not all(isinstance(name, str) for name in names):
        raise RecordError(f"name: expected at most {SEATS} texts")
    names = [*names, *[""] * (SEATS - len(names))]
    if not isinstance(log, list) or not log:
        raise RecordError("no kyoku")
    rule = fields.get("rule")
    stated = stated_rules(own)
    players = players_of(log)
    said: Fields = rule if isinstance(rule, dict) else {}
    assumed = assumed_rules(said, players)
    builder = GameBuilder(stated, assumed)
    builder.length = stated_length(said)
    builder.add(ev.GameStarted(tuple(map(str, names[:players]))))
    for kyoku in _read_log(log, stated or assumed, Strict()):
        builder.add_kyoku(kyoku)
    if "sc" in fields:
        builder.add(read_end(fields["sc"], players))
    dan, rate = (fields.get(key) for key in ("dan", "rate"))
    game = replace(
        builder.game(),
        room=next((room for sign, room in _ROOMS.items() if sign in str(said.get("disp"))[:2]), ""),
        ranks=tuple(map(_rank, dan[:players])) if isinstance(dan, list) and len(dan) >= players else (),
        ratings=tuple(map(_rating, rate[:players])) if isinstance(rate, list) and len(rate) >= players else (),
    )
    return with_own_fields(game, own)


def _read_log(log: Sequence[JSON], ruleset: Ruleset, findings: Findings) -> Iterator[StatedKyoku]:
    """Yield the kyoku that are readable; others are findings."""
    for given in log:
        findings.kyoku += 1
        kyoku = _ReadKyoku(given, ruleset, findings).read()
        if kyoku is not None:
            yield kyoku


_ROOMS = {"上": "joukyuu", "特": "tokujou", "鳳": "houou"}
"""The first sign of a rule and the ranked room. Programs that know none write 般, the lowest."""


def _rank(dan: JSON) -> int | None:
    return DAN.index(dan) if isinstance(dan, str) and dan in DAN else None


def _rating(rate: JSON) -> float | None:
    return float(rate) if isinstance(rate, int | float) and abs(rate) <= MOST_POINTS else None


def players_of(log: Sequence[JSON]) -> int:
    """Return the number of players: in a game of three the last seat has no hand."""
    first = log[0]
    is_three = isinstance(first, list) and len(first) == COLUMNS and first[4 + 3 * (SEATS - 1)] == []
    return SEATS - 1 if is_three else SEATS


def assumed_rules(rule: Fields, players: int) -> Ruleset:
    """Return the rules as far as the record says them, and those of Tenhou for the rest."""
    disp = rule.get("disp")
    text = disp if isinstance(disp, str) else ""
    ruleset = ASSUMED if players == SEATS else TENHOU3
    default = (rule.get("aka", red) if red else 0 for red in ruleset.red_fives)
    reds = tuple(read_count(rule.get(f"aka5{suit}", red), "aka", 4) for suit, red in enumerate(default, 1))
    ruleset = replace(ruleset, red_fives=reds)
    return replace(ruleset, kuitan="喰" in text) if text.startswith(("般", "三般")) or "喰" in text else ruleset


def stated_length(rule: Fields) -> Length | None:
    """Return how long the record says the game is, None if it does not."""
    disp = rule.get("disp")
    text = disp if isinstance(disp, str) else ""
    return next((length for length, words in _LENGTHS.items() if any(word in text for word in words)), None)


_LENGTHS = {Length.TONPU: ("東", "East"), Length.HANCHAN: ("南", "South")}
"""The words for the length of a game."""


def read_end(listed: JSON, players: int) -> ev.GameEnded:
    """Return the end of the game from its scores and results; places follow from the scores."""
    numbers = [each for each in listed if isinstance(each, int | float)] if isinstance(listed, list) else []
    if len(numbers) != 2 * SEATS or any(abs(each) > MOST_POINTS for each in numbers):
        raise RecordError(f"sc: expected {SEATS} scores and results")
    points = tuple(int(each) for each in numbers[::2])[:players]
    ranking = sorted(range(players), key=lambda seat: (-points[seat], seat))
    places = tuple(ranking.index(seat) + 1 for seat in range(players))
    return ev.GameEnded(points, places, tuple(round(10 * each) for each in numbers[1::2])[:players])


class _ReadKyoku:
    """One kyoku of a record."""

    def __init__(self, given: JSON, ruleset: Ruleset, findings: Findings) -> None:
        self._given = given if isinstance(given, list) else []
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
        hands = [read_faces(given[4 + 3 * seat], 2 * DEALT_TILES) for seat in range(self._players)]
        wrong = [seat for seat in range(self._players) if len(hands[seat]) != DEALT_TILES]
        for seat in wrong:
            who = SEAT_LETTERS[seat]
            expected, found = f"{DEALT_TILES} tiles for {who}", f"{len(hands[seat])} tiles"
            self._findings.add(FilePlace(f"hand of {who}"), Rule.DEAL, expected, found)
        if not indicators or bakaze >= SEATS or self._dealer >= self._players:
            raise RecordError(f"no dora indicator, or round {number}")
        if not wrong:
            self._follow()
        started = ev.KyokuStarted(bakaze, self._dealer, honba, sticks, scores, (1, 1))
        return StatedKyoku(
            WHOLE,
            started,
            tuple(None if seat in wrong else hands[seat] for seat in range(self._players)),
            indicators[0],
            tuple(self._entries),
            indicators[1:],
            self._is_cut or bool(wrong),
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
            place = _place(moves[-1]) if moves else WHOLE
            rule = Rule.MELD if "meld" in str(error) else Rule.COLUMNS
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
            rule = Rule.MELD if isinstance(move.entry, str) else Rule.WRONG_VALUE
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
            column = "takes" if is_call else "discards"
            self._findings.add(place, Rule.WRONG_VALUE, f"{text} among the {column}", "the other column")
            self._entries.append(StatedEntry(place, Unclear(move.seat)))
            return None
        event = ev.TileCalled(move.seat, meld) if is_call else ev.KanDeclared(move.seat, meld)
        self._entries.append(StatedEntry(place, event))
        return meld.added if meld.added is not None else meld.own[-1]

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
        winner, source, liable = (read_count(each, "seat", self._players - 1) for each in detail[:3])
        stated = read_points(detail[3], self._players)
        loser = None if source == winner else source
        is_dealer = winner == self._dealer
        value = read_value(
            detail[4:], stated.fu, stated.worth, self._ruleset, is_dealer=is_dealer, is_tsumo=loser is None
        )
        ura = read_faces(self._given[3], MAX_INDICATORS)
        won = ev.HandWon(
            seat=winner,
            loser=loser,
            tile=tile,
            faces=(),
            melds=(),
            riichi=False,
            ura=ura if winner in self._in_riichi else (),
            value=value,
            changes=changes,
            liable=None if liable == winner else liable,
        )
        _, unknown = read_yaku(detail[4:])
        return StatedEntry(place, won, Stated(worth=stated.worth, unknown_yaku=unknown))


def _place(move: Move) -> FilePlace:
    return FilePlace(f"{'takes' if move.is_take else 'discards'} of {SEAT_LETTERS[move.seat]}, entry", move.index + 1)


def read_value(
    texts: Sequence[JSON], fu: int, worth: int, ruleset: Ruleset, *, is_dealer: bool, is_tsumo: bool
) -> HandValue:
    """Return the value that the texts of the yaku and the points of a win say, without yaku if one is unknown."""
    pairs, unknown = read_yaku(texts)
    pairs = pairs if unknown is None else []
    seats = ruleset.seats
    single = HandValue((), YAKUMAN_HAN, 0, 1, YAKUMAN).points(seats, is_dealer=is_dealer, is_tsumo=is_tsumo)
    yakuman = worth // single if any(not han for _, han in pairs) else 0
    named = doubled([pair for pair in pairs if not pair[1]], yakuman, ruleset) if yakuman else pairs
    han = sum(count for _, count in named)
    return stated_value(named, han, fu, yakuman, worth, seats=seats, is_dealer=is_dealer, is_tsumo=is_tsumo)


def read_draw(text: str, rest: Sequence[JSON], players: int) -> ev.KyokuDrawn:
    """Return a draw from its name and what follows it; raise RecordError.

    Its payments are unknown if it should have some, and neither they nor the name tell them.
    """
    reason = reason_named(text)
    is_unpaid = not rest and reason in _PAID and text not in (ALL_TENPAI, ALL_NOTEN)
    return ev.KyokuDrawn(reason, read_points_of(rest[0], players) if rest else () if is_unpaid else (0,) * players)


def read_points_of(given: JSON, players: int) -> tuple[int, ...]:
    """Return scores or their changes; a game of three may have those of the empty seat, too. Raise RecordError."""
    count = len(given) if isinstance(given, list) and players <= len(given) <= SEATS else players
    return tuple(read_numbers(given, count, MOST_POINTS, -MOST_POINTS))[:players]


def read_numbers(given: JSON, count: int, most: int, least: int = 0) -> list[int]:
    """Return an array of so many integers in a range; raise RecordError for anything else."""
    listed = [read_count(each, "number", most, least) for each in given] if isinstance(given, list) else []
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
    entries = [each for each in given if type(each) is int or isinstance(each, str)]
    if len(entries) != len(given):
        raise RecordError("takes and discards are numbers and texts")
    return entries


# Reading for the linter: everything as it stands there


FORM = FormatStatements(DoraPlace.LISTED, sticks=False)

_IN_GAME = (
    *("title", "name", "rule", "log", "ver", "ref", "ratingc", "lobby", "dan", "rate", "sx", "sc", "connection"),
    *("_target_actor", "playerMapping", FIELD),
)
_IN_RULE = ("disp", "aka", "aka51", "aka52", "aka53", "ver")


def state_tenhou6(data: bytes, rules: Ruleset | None, findings: Findings) -> list[StatedGame]:
    """Return the games of a file with what is wrong in their kyoku as findings; raise RecordError if it has no form."""
    objects = list(read_objects(data.strip(), read_fields))
    for number, fields in objects:
        place = FilePlace("line", number) if len(objects) > 1 else WHOLE
        findings.check_fields(place, "game", fields, _IN_GAME, ("name", "log"))
        findings.check_fields(place, "rule", fields.get("rule"), _IN_RULE)
    games = [_stated_game(fields, rules, findings) for fields in joined_games(objects)]
    return [game for game in games if game.kyoku]


def _stated_game(fields: Fields, rules: Ruleset | None, findings: Findings) -> StatedGame:
    names, log, own, rule = (fields.get(name) for name in ("name", "log", FIELD, "rule"))
    if not isinstance(names, list) or len(names) != SEATS or not all(isinstance(name, str) for name in names):
        findings.add(WHOLE, Rule.WRONG_VALUE, f"name: {SEATS} texts", ascii(names)[:60])
    listed = log if isinstance(log, list) else []
    said: Fields = rule if isinstance(rule, dict) else {}
    players = players_of(listed) if listed else SEATS
    assumed = assumed_rules(said, players)
    stated, ended = rules, None
    try:
        stated = stated_rules(own) or rules
        ended = read_end(fields["sc"], players) if "sc" in fields else None
    except RecordError as error:
        findings.add_error(WHOLE, Rule.WRONG_VALUE, "rules, scores and results", error)
    kyoku = tuple(_read_log(listed, stated or assumed, findings))
    ruleset = stated or with_start(assumed, kyoku[0].started if kyoku else None)
    own_counting = isinstance(own, dict) and own.get("own_counting") is True
    game = StatedGame(FORM, ruleset, stated is not None, kyoku, ended, WHOLE, own_counting)
    return game if own is not None else with_length(game, stated_length(said))


# Writing: a whole game, or a URL for each kyoku


URL = "https://tenhou.net/6/#json="
"""The viewer; the game follows, percent-encoded."""

SAFE = "-_.,()"
"""Characters that are not encoded, besides letters and digits: some readers cut the text at other signs."""

AFTER_OPEN_KAN = 0


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
    ended: dict[str, object] = {}
    if game.ended is not None and game.ended.results:
        pairs = zip(game.ended.points, game.ended.results, strict=True)
        numbers = [number for points, result in pairs for number in (points, result / 10)]
        ended = {"sc": [*numbers, *[0] * (2 * SEATS - len(numbers))]}
    own = own_fields(game, with_fu=True)
    return {
        "title": ["", ""],
        "name": [*game.names, *[""] * (SEATS - len(game.names))],
        "rule": _rule(game),
        **ended,
        "log": [_WrittenKyoku(kyoku).written() for kyoku in game.kyoku],
        **({FIELD: own} if own else {}),
    }


def _rule(game: RecordedGame) -> dict[str, object]:
    """Return the rules that the format knows, if the game says them: how long it is, open tanyao, red fives."""
    ruleset, reds = game.ruleset, any(game.ruleset.red_fives)
    length = "南" if ruleset.length is Length.HANCHAN else "東"
    if not game.rules_stated:
        return {**({"disp": length} if game.length_stated else {}), "aka": int(reds)}
    disp = f"{'三' if ruleset.seats == 3 else ''}般{length}{'喰' if ruleset.kuitan else ''}{'赤' if reds else ''}"
    each = {f"aka5{suit}": count for suit, count in enumerate(ruleset.red_fives, 1)}
    return {"disp": disp, "aka": int(reds), **each}


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
        seats = zip(self._hands, self._takes, self._discards, strict=True)
        return [
            [started.bakaze * SEATS + started.dealer, started.honba, started.kyotaku],
            [*started.points, *[0] * (SEATS - self._players)],
            [NUMBERS[face] for face in self._indicators],
            [NUMBERS[face] for face in self._ura],
            *(column for seat in seats for column in seat),
            self._result,
        ]

    def _note(self, event: ev.Event) -> None:
        match event:
            case ev.TileDiscarded():
                number = TSUMOGIRI if event.tsumogiri else NUMBERS[event.face]
                self._discards[event.seat].append(f"r{number}" if event.riichi else number)
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
        yaku = [write_yaku(each, han, worth.yakuman, started.bakaze, wind) for each, han in worth.yaku]
        source = won.seat if won.loser is None else won.loser
        liable = won.seat if won.liable is None else won.liable
        self._ura = max(self._ura, won.ura, key=len)
        self._result = [*(self._result or [WON]), list(won.changes), [won.seat, source, liable, points, *yaku]]

    def _draw(self, drawn: ev.KyokuDrawn) -> None:
        text, changes = DRAWS[drawn.reason], list(drawn.changes)
        if drawn.reason is ev.DrawReason.EXHAUSTED and not any(changes) and len(set(self._tenpai)) == 1:
            self._result = [ALL_TENPAI if all(self._tenpai) else ALL_NOTEN]
        else:
            self._result = [text, changes] if any(changes) or drawn.reason in _PAID else [text]


_PAID: Sequence[ev.DrawReason] = (ev.DrawReason.EXHAUSTED, ev.DrawReason.NAGASHI_MANGAN, ev.DrawReason.CHOMBO)
"""The draws whose text the payments follow."""


# The formats


_LOG = re.compile(rb'\{.*?"log"\s*:\s*\[\s*\[\s*\[', re.DOTALL)
"""An object with a log, of which a kyoku begins with an array."""

_URL = re.compile(rb"https?://tenhou\.net/[56]/#json=")

TENHOU6 = RecordFormat(
    key="tenhou6",
    name="tenhou.net/6 JSON",
    suffix=".tenhou6.json",
    sniff=lambda data: _LOG.match(data) is not None,
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
    sniff=lambda data: _URL.match(data) is not None,
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
