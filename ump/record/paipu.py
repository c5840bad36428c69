"""Read and write paipu, the records of kobalab's Majiang programs.

The reader of the protocol turns each entry into events; this module adds what its clients do without: yaku, base points
and tenpai. A kan dora stands in another place than its message, so the rules say when it was revealed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace

from ump.model import events as ev
from ump.model.constants import YAKUMAN_HAN
from ump.model.notation import DIRECTIONS, NotationError, parse_majiang_face
from ump.model.seats import Seat
from ump.model.yaku import HandValue, Yaku
from ump.record.game_builder import ASSUMED, AT_THE_END, GameBuilder
from ump.record.hand_values import MOST_HAN, exact_yaku, joined_dora, reason_named, stated_value, yaku_named
from ump.record.record_format import (
    FIELD,
    MOST_RESULT,
    OF_RESULTS,
    Carried,
    Fact,
    RecordFormat,
    carrying,
    own_fields,
    stated_rules,
    with_own_fields,
)
from ump.record.recorded_game import RecordedGame, RecordError, Stated, told
from ump.rules.ruleset import Rounding, Ruleset
from ump.wire.json_text import JSON, read_document
from ump.wire.majiang.events import MajiangNarrator
from ump.wire.majiang.read import MajiangReader
from ump.wire.text import WireError

# Reading


SEATS = 4

Fields = Mapping[str, JSON]


def read_paipu(data: bytes) -> tuple[RecordedGame, ...]:
    """Return the games of a file; raise RecordError, with the place, if it is damaged."""
    try:
        read = read_document(data)
    except WireError as error:
        raise RecordError(str(error)) from None
    games = read if isinstance(read, list) else [read]
    found = []
    for number, game in enumerate(games, 1):
        if not isinstance(game, dict):
            raise RecordError(f"game {number}: expected an object")
        try:
            found.append(_Game(game).read())
        except RecordError as error:
            raise RecordError(f"game {number}, {error}" if len(games) > 1 else str(error)) from None
    if not found:
        raise RecordError("no game")
    return tuple(found)


class _Game:
    """One game of a paipu."""

    def __init__(self, given: Fields) -> None:
        self._given = given
        self._own = given.get(FIELD)
        self._reader = MajiangReader()
        self._builder = GameBuilder(stated_rules(self._own), assumed_rules(given))

    def read(self) -> RecordedGame:
        """Return the game; raises RecordError."""
        given, log = self._given, self._given.get("log")
        if not isinstance(log, list):
            raise RecordError("log: expected an array")
        try:
            self._add("kaiju", {"id": 0, "player": given.get("player"), "qijia": given.get("qijia")})
        except WireError as error:
            raise RecordError(str(error)) from None
        for number, kyoku in enumerate(log, 1):
            self._kyoku(number, kyoku)
        game = with_own_fields(self._builder.game(), self._own)
        return game if game.ended is not None else replace(game, ended=self._ended())

    def _kyoku(self, number: int, kyoku: JSON) -> None:
        if not isinstance(kyoku, list):
            raise RecordError(f"kyoku {number}: expected an array")
        revealed = [entry.get("kaigang") for entry in kyoku if isinstance(entry, dict)]
        try:
            self._builder.kan_dora = [
                parse_majiang_face(str(content.get("baopai"))) for content in revealed if isinstance(content, dict)
            ]
        except NotationError as error:
            raise RecordError(f"kyoku {number}, kaigang: {error}") from None
        for place, entry in enumerate(kyoku, 1):
            if not isinstance(entry, dict) or len(entry) != 1:
                raise RecordError(f"kyoku {number}, entry {place}: expected an object with one key")
            ((type_, content),) = entry.items()
            try:
                if type_ != "kaigang":
                    self._add(type_, content)
            except (RecordError, WireError) as error:
                raise RecordError(f"kyoku {number}, entry {place}: {error}") from None

    def _add(self, type_: str, content: JSON) -> None:
        for event in self._reader.read(type_, content):
            match event:
                case ev.HandWon() if isinstance(content, dict):
                    self._win(event, content)
                case ev.KyokuDrawn() if isinstance(content, dict):
                    self._builder.add(self._drawn(event, content))
                case _:
                    self._builder.add(event)

    def _drawn(self, drawn: ev.KyokuDrawn, content: Fields) -> ev.Event:
        """Return a draw, and note who has shown a hand."""
        reason = reason_named(str(content.get("name")))
        shown = content.get("shoupai")
        if reason in AT_THE_END and isinstance(shown, list):
            dealer = self._builder.kyoku.dealer
            self._builder.tenpai = {(dealer + wind) % SEATS for wind, hand in enumerate(shown) if hand}
        return ev.KyokuDrawn(reason, drawn.changes)

    def _win(self, won: ev.HandWon, content: Fields) -> None:
        kyoku = self._builder.kyoku
        concealed = list(kyoku.hand(won.seat) or ())
        if won.loser is None and won.tile in concealed:
            concealed.remove(won.tile)
        listed, liable, unknown = read_hupai(content, won.seat)
        yakuman = won.value.yakuman
        yaku = [(exact_yaku(each, concealed, won.tile, yakuman), han) for each, han in listed]
        points = content.get("defen")
        worth = points if type(points) is int else None
        is_dealer, is_tsumo = won.seat == kyoku.dealer, won.loser is None
        stated: HandValue = won.value
        value = stated_value(
            yaku, stated.han, stated.fu, yakuman, worth, seats=SEATS, is_dealer=is_dealer, is_tsumo=is_tsumo
        )
        self._builder.add(replace(won, value=value, liable=liable), Stated(worth=worth, unknown_yaku=unknown))

    def _ended(self) -> ev.GameEnded | None:
        return read_end(self._given)


def assumed_rules(given: Fields) -> Ruleset:
    """Return the rules to assume for a game: Tenhou's, with whole results if those of the game are."""
    points = given.get("point")
    is_whole = isinstance(points, list) and bool(points) and not any("." in str(each) for each in points)
    return replace(ASSUMED, rounding=Rounding.WHOLE) if is_whole else ASSUMED


def read_end(given: Fields) -> ev.GameEnded | None:
    """Return the end of the game from its scores, results and places, which are by id; None if it has none."""
    first = given.get("qijia")
    points, results, places = given.get("defen"), given.get("point"), given.get("rank")
    if not isinstance(points, list) or len(points) != SEATS or type(first) is not int:
        return None
    order = [(seat + first) % SEATS for seat in range(SEATS)]
    scores = tuple(_number(points[id_], "defen") for id_ in order)
    if not isinstance(results, list) or not isinstance(places, list) or {len(results), len(places)} != {SEATS}:
        return ev.GameEnded(scores, (), ())
    tenths = tuple(_tenths(results[id_]) for id_ in order)
    return ev.GameEnded(scores, tuple(_number(places[id_], "rank") for id_ in order), tenths)


def read_hupai(content: Fields, winner: Seat) -> tuple[list[tuple[Yaku, int]], Seat | None, str | None]:
    """Return the yaku of a win with their han, the liable seat, and the names of yaku that are unknown.

    There are no yaku if one of them is unknown.
    """
    listed = content.get("hupai")
    yaku: list[tuple[Yaku, int]] = []
    unknown = []
    liable = None
    for entry in listed if isinstance(listed, list) else []:
        name, han = (entry.get("name"), entry.get("fanshu")) if isinstance(entry, dict) else (None, None)
        if not isinstance(entry, dict) or not isinstance(name, str):
            raise RecordError("hupai: expected objects with a name")
        known = yaku_named(name)
        if known is None:
            unknown.append(ascii(name)[:60])
        elif isinstance(han, str) and han in ("*", "**"):
            yaku.append((known, YAKUMAN_HAN * len(han)))
        elif type(han) is int and 0 < han <= MOST_HAN:
            yaku.append((known, han))
        elif han != 0:
            raise RecordError(f"fanshu {str(han)[:20]!a}")
        direction = entry.get("baojia")
        if isinstance(direction, str) and direction and direction in DIRECTIONS[SEATS]:
            liable = (winner + DIRECTIONS[SEATS].index(direction) + 1) % SEATS
    return ([] if unknown else joined_dora(yaku)), liable, ", ".join(unknown) or None


def _number(given: JSON, name: str) -> int:
    if type(given) is not int or abs(given) > MOST_RESULT:
        raise RecordError(f"{name}: expected numbers")
    return given


def _tenths(given: JSON) -> int:
    """Return a result, which is a text with at most one decimal, in tenths of a thousand points."""
    try:
        tenths = round(10 * float(given)) if isinstance(given, str | int | float) else MOST_RESULT + 1
    except (ValueError, OverflowError):
        tenths = MOST_RESULT + 1
    if abs(tenths) > MOST_RESULT:
        raise RecordError(f"point: expected results, got {str(given)[:20]!a}")
    return tenths


# Writing


def write_paipu(game: RecordedGame) -> bytes:
    """Return the paipu as one JSON object; an unfinished game has no final scores."""
    narrator = MajiangNarrator(None, game.ruleset, "ump")
    paipu: dict[str, object] = {}
    for event in told(game):
        message = narrator.tell(event)
        if message is not None and message.type == "jieju":
            paipu = dict(message.content)
    if game.ended is None:
        paipu = {"title": "ump", "player": list(game.names), "qijia": 0, "log": narrator.log}
    if game.ended is None or not game.ended.results:
        paipu |= {"defen": list(game.ended.points) if game.ended else [], "point": [], "rank": []}
    own = own_fields(game)
    return json.dumps(paipu | ({FIELD: own} if own else {}), ensure_ascii=False, separators=(",", ":")).encode()


# The format


_LOG = re.compile(rb'\[?\s*\{.*?"log"\s*:\s*\[\s*\[\s*\{\s*"qipai"', re.DOTALL)
"""An object, perhaps in an array, with a log, of which a kyoku begins with a deal."""

PAIPU = RecordFormat(
    key="paipu",
    name="Majiang paipu",
    suffix=".paipu.json",
    sniff=lambda data: _LOG.match(data) is not None,
    read=read_paipu,
    write=write_paipu,
    carries=carrying(
        {
            Carried.YES: (Fact.HANDS, Fact.NAMES, Fact.RESULTS, Fact.SCORES, Fact.YAKU, Fact.FU, Fact.URA),
            Carried.OWN: (Fact.RULES, Fact.DICE),
        }
    ),
    needs=frozenset((Fact.RESULTS, Fact.SCORES, *OF_RESULTS)),
)
"""The records of kobalab's programs and viewers."""
