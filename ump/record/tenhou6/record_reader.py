"""Read tenhou.net/6 JSON: a whole game as one object, or a kyoku per line as an object or a URL of the viewer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from ump.model.constants import DEALT_TILES, MAX_INDICATORS, YAKUMAN, YAKUMAN_HAN
from ump.model.events import (
    DoraRevealed,
    DrawReason,
    GameEnded,
    GameStarted,
    HandDealt,
    HandWon,
    KanDeclared,
    KitaDeclared,
    KyokuDrawn,
    KyokuStarted,
    RiichiDeclared,
    TileCalled,
    TileDiscarded,
    TileDrawn,
)
from ump.model.notation import NotationError
from ump.model.seats import Seat, seats_from
from ump.model.tiles import NORTH, Face
from ump.model.yaku import HandValue
from ump.record.game_builder import ASSUMED, GameBuilder
from ump.record.hand_values import stated_value
from ump.record.japanese_names import REASONS
from ump.record.own_fields import FIELD, joined, stated_rules, with_own_fields
from ump.record.recorded_game import RecordedGame, RecordError, Stated
from ump.record.tenhou6.order import Columns, Entry, Move
from ump.record.tenhou6.result_texts import (
    ALL_TENPAI,
    WON,
    doubled,
    read_points,
    read_yaku,
)
from ump.record.tenhou6.tiles import KITA, SEATS, face_of, read_meld
from ump.rules.presets import TENHOU3
from ump.rules.ruleset import Length, Ruleset
from ump.wire.json_text import JSON, read_document
from ump.wire.text import WireError

COLUMNS = 17
"""The elements of a kyoku."""

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
        _, _, encoded = text.partition(b"#json=")
        text = unquote(encoded.decode("ascii", "replace").partition("&ts=")[0]).encode()
    try:
        fields = read(text)
    except WireError as error:
        raise RecordError(f"line {number}: {error}") from None
    if not isinstance(fields, dict):
        raise RecordError(f"line {number}: expected an object")
    return fields


def _game(fields: Fields) -> RecordedGame:
    names, log, own = fields.get("name"), fields.get("log"), fields.get(FIELD)
    if not isinstance(names, list) or len(names) != SEATS or not all(isinstance(name, str) for name in names):
        raise RecordError(f"name: expected {SEATS} texts")
    if not isinstance(log, list) or not log:
        raise RecordError("no kyoku")
    rule = fields.get("rule")
    stated = stated_rules(own)
    players = players_of(log)
    assumed = assumed_rules(rule if isinstance(rule, dict) else {}, players)
    builder = GameBuilder(stated, assumed)
    builder.add(GameStarted(tuple(map(str, names[:players]))))
    for place, kyoku in enumerate(log, 1):
        try:
            _Kyoku(builder, kyoku, stated or assumed).read()
        except (NotationError, RecordError) as error:
            raise RecordError(f"kyoku {place}: {error}") from None
    if "sc" in fields:
        builder.add(read_end(fields["sc"], players))
    return with_own_fields(builder.game(), own)


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
    if "東" in text or "East" in text:
        ruleset = replace(ruleset, length=Length.TONPU)
    return replace(ruleset, kuitan="喰" in text) if text.startswith(("般", "三般")) or "喰" in text else ruleset


def read_end(listed: JSON, players: int) -> GameEnded:
    """Return the end of the game from its scores and results; places follow from the scores."""
    numbers = [each for each in listed if isinstance(each, int | float)] if isinstance(listed, list) else []
    if len(numbers) != 2 * SEATS or any(abs(each) > MOST_POINTS for each in numbers):
        raise RecordError(f"sc: expected {SEATS} scores and results")
    points = tuple(int(each) for each in numbers[::2])[:players]
    ranking = sorted(range(players), key=lambda seat: (-points[seat], seat))
    places = tuple(ranking.index(seat) + 1 for seat in range(players))
    return GameEnded(points, places, tuple(round(10 * each) for each in numbers[1::2])[:players])


class _Kyoku:
    """One kyoku of a record."""

    def __init__(self, builder: GameBuilder, given: JSON, ruleset: Ruleset) -> None:
        if not isinstance(given, list) or len(given) != COLUMNS:
            raise RecordError(f"expected an array of {COLUMNS}")
        self._players = players_of([given])
        if self._players != ruleset.seats:
            raise RecordError(f"{self._players} players in a game of {ruleset.seats}")
        self._builder = builder
        self._given = given
        self._ruleset = ruleset
        number, honba, sticks = read_numbers(given[0], 3, MOST_COUNT)
        self._bakaze, self._dealer = divmod(number, SEATS)
        if self._bakaze >= SEATS or self._dealer >= self._players:
            raise RecordError(f"round {number}")
        self._started = KyokuStarted(
            self._bakaze,
            self._dealer,
            honba,
            sticks,
            self._points(given[1]),
            (1, 1),
        )

    def read(self) -> None:
        """Add the events of the kyoku."""
        given, builder = self._given, self._builder
        indicators = read_faces(given[2], MAX_INDICATORS)
        if not indicators:
            raise RecordError("no dora indicator")
        builder.kan_dora = indicators[1:]
        builder.add(self._started)
        hands = [read_faces(given[4 + 3 * seat], DEALT_TILES) for seat in range(self._players)]
        for seat in seats_from(self._dealer, self._players):
            if len(hands[seat]) != DEALT_TILES:
                raise RecordError(f"a hand of {len(hands[seat])} tiles is dealt")
            builder.add(HandDealt(seat, hands[seat]))
        builder.add(DoraRevealed(indicators[0]))
        columns = Columns(
            [read_column(given[5 + 3 * seat]) for seat in range(self._players)],
            [read_column(given[6 + 3 * seat]) for seat in range(self._players)],
        )
        last: Face | None = None
        for move in columns.ordered(self._dealer):
            last = self._move(move)
        self._finish(given[16], last)

    def _move(self, move: Move) -> Face | None:
        """Add a move; return the tile that it takes or gives."""
        add, seat = self._builder.add, move.seat
        if move.entry == KITA and not move.is_take:
            add(KitaDeclared(seat))
            return NORTH
        if isinstance(move.entry, str):
            meld = read_meld(move.entry, seat)
            if (meld.called is None or meld.added is not None) is move.is_take:
                raise RecordError(f"{move.entry} stands in the wrong column")
            add(TileCalled(seat, meld) if move.is_take else KanDeclared(seat, meld))
            return meld.added if meld.added is not None else meld.own[-1]
        face = face_of(move.entry)
        if move.is_take:
            add(TileDrawn(seat, 0, face))
            return face
        if move.riichi:
            add(RiichiDeclared(seat))
        add(TileDiscarded(seat, face, move.tsumogiri))
        return face

    def _finish(self, result: JSON, last: Face | None) -> None:
        """Add the result; an unfinished kyoku has an empty one."""
        if result == []:
            return
        if not isinstance(result, list) or not result or not isinstance(result[0], str):
            raise RecordError("expected a result")
        text = result[0]
        rest: list[JSON] = result[1:]
        if text == WON:
            if not rest or len(rest) % 2 or last is None:
                raise RecordError("a win needs payments and details")
            for paid, detail in zip(rest[::2], rest[1::2], strict=True):
                self._win(self._points(paid), detail, last)
            return
        if text not in REASONS:
            raise RecordError(f"unknown result {text[:20]!a}")
        reason = REASONS[text]
        changes = self._points(rest[0]) if rest else (0,) * self._players
        if reason is DrawReason.EXHAUSTED and text == ALL_TENPAI:
            self._builder.tenpai = set(range(self._players))
        self._builder.add(KyokuDrawn(reason, changes))

    def _win(self, changes: tuple[int, ...], detail: JSON, tile: Face) -> None:
        if not isinstance(detail, list) or len(detail) < 4:
            raise RecordError("a win needs winner, source, liable player and points")
        winner, source, liable = (read_count(each, "seat", self._players - 1) for each in detail[:3])
        loser = None if source == winner else source
        stated = read_points(detail[3], self._players)
        ura = read_faces(self._given[3], MAX_INDICATORS)
        won = HandWon(
            winner,
            loser,
            tile,
            (),
            (),
            False,
            ura,
            self._value(detail[4:], stated.fu, stated.worth, winner, loser),
            changes,
        )
        responsible = None if liable == winner else liable
        self._builder.add(replace(won, liable=responsible), Stated(worth=stated.worth))

    def _points(self, given: JSON) -> tuple[int, ...]:
        return read_points_of(given, self._players)

    def _value(self, texts: Sequence[JSON], fu: int, worth: int, winner: Seat, loser: Seat | None) -> HandValue:
        """Return the value of a win; at a limit its fu are 0, because the record does not say them."""
        is_dealer = winner == self._dealer
        return read_value(texts, fu, worth, self._ruleset, is_dealer=is_dealer, is_tsumo=loser is None)


def read_value(
    texts: Sequence[JSON], fu: int, worth: int, ruleset: Ruleset, *, is_dealer: bool, is_tsumo: bool
) -> HandValue:
    """Return the value that the texts of the yaku and the points of a win say; raise RecordError."""
    pairs = [pair for pair in map(read_yaku, texts) if pair is not None]
    seats = ruleset.seats
    single = HandValue((), YAKUMAN_HAN, 0, 1, YAKUMAN).points(seats, is_dealer=is_dealer, is_tsumo=is_tsumo)
    yakuman = worth // single if any(not han for _, han in pairs) else 0
    named = doubled([pair for pair in pairs if not pair[1]], yakuman, ruleset) if yakuman else pairs
    han = sum(count for _, count in named)
    return stated_value(named, han, fu, yakuman, worth, seats=seats, is_dealer=is_dealer, is_tsumo=is_tsumo)


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
