"""Read and write paipu, the records of kobalab's Majiang programs.

The reader of the protocol turns each entry into events; this module adds what its clients do without: yaku, base points
and tenpai. A kan dora stands in another place than its message, so the rules say when it was revealed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from ump.model import events as ev
from ump.model.constants import YAKUMAN_HAN
from ump.model.notation import DIRECTIONS, NotationError, parse_shoupai
from ump.model.seats import Seat
from ump.model.yaku import Yaku
from ump.record.findings import (
    WHOLE,
    Collector,
    DoraPlace,
    FilePlace,
    Findings,
    FormatStatements,
    Rule,
    StatedEntry,
    StatedGame,
    StatedKyoku,
    Strict,
    read_fields,
    with_start,
)
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
    stated_end,
    stated_rules,
    with_own_fields,
)
from ump.record.recorded_game import RecordedGame, RecordError, Stated, sorted_yaku, told
from ump.rules.ruleset import Rounding, Ruleset
from ump.wire.json_text import JSON, read_document
from ump.wire.majiang.events import MajiangNarrator
from ump.wire.majiang.read import MajiangReader
from ump.wire.text import WireError

# Reading


FORM = FormatStatements(DoraPlace.NEARBY, sticks=False, marks_replacements=True)

SEATS = 4

Fields = Mapping[str, JSON]


def read_paipu(data: bytes) -> tuple[RecordedGame, ...]:
    """Return the games of a file; raise RecordError, with the place, if it is damaged."""
    games = _listed_games(data, read_document)
    recorded = []
    for number, game in enumerate(games, 1):
        if not isinstance(game, dict):
            raise RecordError(f"game {number}: expected an object")
        try:
            recorded.append(_recorded(game))
        except RecordError as error:
            raise RecordError(f"game {number}, {error}" if len(games) > 1 else str(error)) from None
    if not recorded:
        raise RecordError("no game")
    return tuple(recorded)


def _listed_games(data: bytes, read: Callable[[bytes], JSON]) -> list[JSON]:
    """Return what should be the games of a file; ``read`` reads JSON, and raises WireError."""
    try:
        document = read(data)
    except WireError as error:
        raise RecordError(str(error)) from None
    return document if isinstance(document, list) else [document]


def _recorded(given: Fields) -> RecordedGame:
    """Return a game for converting; raise RecordError at its first fault."""
    own = given.get(FIELD)
    builder = GameBuilder(stated_rules(own), assumed_rules(given), _exact)
    reader = _GameReader(given, Strict())
    builder.add(ev.GameStarted(reader.names()))
    for kyoku in reader.kyoku():
        builder.add_kyoku(_with_listed_dora(kyoku))
    return replace(with_own_fields(builder.game(), own), ended=stated_end(read_end(given), own))


def _with_listed_dora(kyoku: StatedKyoku) -> StatedKyoku:
    """Return a kyoku whose kan dora stand apart, for the rules to place.

    Opened hands are left out: those of an abortive draw follow from its moves.
    """
    entries, dora = [], []
    for entry in kyoku.entries:
        match entry.what:
            case ev.DoraRevealed(indicator):
                dora.append(indicator)
            case ev.HandOpened():
                pass
            case _:
                entries.append(entry)
    return replace(kyoku, entries=tuple(entries), listed_dora=tuple(dora))


def _exact(won: ev.HandWon, builder: GameBuilder) -> ev.HandWon:
    """Return a win with the better forms of its yakuman, which follow from the hand."""
    concealed = builder.kyoku.without_winning_tile(won)
    pairs = [(exact_yaku(yaku, concealed, won.tile, won.value.yakuman), han) for yaku, han in won.value.yaku]
    return replace(won, value=replace(won.value, yaku=sorted_yaku(tuple(pairs))))


def state_paipu(data: bytes, rules: Ruleset | None, findings: Findings) -> list[StatedGame]:
    """Return the games of a file, with the faults of their entries as findings; raise RecordError if it has no form."""
    games = []
    for given in _listed_games(data, read_fields):
        if isinstance(given, dict):
            games += _stated(given, rules, findings)
        else:
            findings.add(WHOLE, Rule.UNREADABLE, "a game as an object", type(given).__name__)
    return games


def _stated(given: Fields, rules: Ruleset | None, findings: Findings) -> list[StatedGame]:
    """Return a game for the linter, if it has a kyoku."""
    own, stated, ended = given.get(FIELD), rules, None
    try:
        stated = stated_rules(own) or rules
    except RecordError as error:
        findings.add_error(WHOLE, Rule.WRONG_VALUE, "rules", error)
    findings.check_fields(WHOLE, "game", given, _IN_GAME, _NEEDED_IN_GAME)
    reader = _GameReader(given, findings)
    reader.names()
    kyoku = reader.kyoku()
    if not kyoku:
        return []
    ruleset = stated or with_start(assumed_rules(given), kyoku[0].started)
    try:
        ended = stated_end(read_end(given), own)
    except RecordError as error:
        findings.add_error(WHOLE, Rule.WRONG_VALUE, "scores, results and places", error)
    own_counting = isinstance(own, dict) and own.get("own_counting") is True
    return [StatedGame(FORM, ruleset, stated is not None, kyoku, ended, WHOLE, own_counting)]


_IN_GAME = ("title", "player", "qijia", "log", "defen", "point", "rank", "rule", FIELD)
_NEEDED_IN_GAME = ("player", "log")
_NEEDED: dict[str, tuple[str, ...]] = {
    "qipai": ("zhuangfeng", "jushu", "changbang", "lizhibang", "defen", "baopai", "shoupai"),
    "zimo": ("l", "p"),
    "gangzimo": ("l", "p"),
    "dapai": ("l", "p"),
    "fulou": ("l", "m"),
    "gang": ("l", "m"),
    "kaigang": ("baopai",),
    "hule": ("l", "shoupai", "fenpei"),
    "pingju": ("name", "shoupai", "fenpei"),
}
"""The fields that each entry needs."""

_ALSO = {"hule": ("baojia", "fubaopai", "fu", "fanshu", "damanguan", "defen", "hupai")}
"""The further fields of an entry."""

_KNOWN = {type_: (*needed, *_ALSO.get(type_, ())) for type_, needed in _NEEDED.items()}
"""All fields of each entry."""


class _GameReader:
    """Reads one game, for converting and for the linter."""

    def __init__(self, given: Fields, findings: Findings) -> None:
        self._given = given
        self._findings = findings
        self._reader = MajiangReader(judges=findings.is_strict)
        self._collector = Collector(findings)

    def names(self) -> tuple[str, ...]:
        """Return the names of the players by seat, before the kyoku are read."""
        players, first = self._given.get("player"), self._given.get("qijia", 0)
        try:
            (started,) = self._reader.read("kaiju", {"id": 0, "player": players, "qijia": first})
        except WireError as error:
            self._findings.add_error(WHOLE, Rule.WRONG_VALUE, "player and qijia", error)
            return ()
        return started.names if isinstance(started, ev.GameStarted) else ()

    def kyoku(self) -> tuple[StatedKyoku, ...]:
        """Return the kyoku; raises RecordError if the game has no log."""
        log = self._given.get("log")
        if not isinstance(log, list):
            raise RecordError("log: expected an array")
        for kyoku in log:
            self._read_kyoku(kyoku)
        return self._collector.finished()

    def _read_kyoku(self, kyoku: JSON) -> None:
        if not isinstance(kyoku, list):
            self._collector.skip_kyoku()
            self._findings.add(WHOLE, Rule.UNREADABLE, "a kyoku as an array", type(kyoku).__name__)
            return
        if not kyoku:
            self._collector.skip_kyoku()
            self._findings.note(WHOLE, Rule.UNREADABLE, "a kyoku with entries", "an empty array")
            return
        if not isinstance(kyoku[0], dict) or "qipai" not in kyoku[0]:
            self._collector.skip_kyoku()
            self._findings.add(FilePlace("entry", 1), Rule.UNREADABLE, "qipai", _short(kyoku[0]))
        for number, entry in enumerate(kyoku, 1):
            place = FilePlace("entry", number)
            if isinstance(entry, dict) and len(entry) == 1:
                ((type_, content),) = entry.items()
                self._read_entry(place, type_, content)
            else:
                self._findings.add(place, Rule.WRONG_VALUE, "an object with one key", _short(entry))
                self._collector.lose(place, None)

    def _read_entry(self, place: FilePlace, type_: str, content: JSON) -> None:
        if type_ not in _KNOWN:
            self._findings.note(place, Rule.UNKNOWN_EVENT, f"one of {', '.join(_KNOWN)}", ascii(type_[:40]))
            return
        self._findings.check_fields(place, type_, content, _KNOWN[type_], _NEEDED[type_])
        try:
            for event in self._reader.read(type_, content):
                match event:
                    case ev.TileDrawn() | ev.TileDiscarded():
                        self._collector.enter(StatedEntry(place, event))
                    case ev.RiichiPaid() | ev.KyokuEnded():
                        pass  # the reader has inferred it
                    case ev.HandWon() if isinstance(content, dict):
                        self._collector.enter(self._win(place, event, content))
                    case ev.KyokuDrawn() if isinstance(content, dict):
                        self._draw(place, event, content)
                    case _:
                        self._collector.add(place, event)
        except (WireError, RecordError, NotationError) as error:
            self._report(place, type_, content, error)

    def _report(self, place: FilePlace, type_: str, content: JSON, error: ValueError) -> None:
        if type_ == "qipai":
            self._collector.skip_kyoku()
        rule = Rule.MELD if type_ in ("fulou", "gang") and "must" not in str(error) else Rule.WRONG_VALUE
        self._findings.add_error(place, rule, f"{type_} as the format has it", error)
        wind = content.get("l") if isinstance(content, dict) else None
        is_wind = type(wind) is int and 0 <= wind < SEATS and bool(self._collector.kyoku)
        dealer = self._collector.kyoku[-1].started.dealer if is_wind else 0
        self._collector.lose(place, (dealer + wind) % SEATS if is_wind and isinstance(wind, int) else None)

    def _win(self, place: FilePlace, won: ev.HandWon, content: dict[str, JSON]) -> StatedEntry:
        yaku, liable, unknown = read_hupai(content, won.seat)
        points = content.get("defen")
        worth = points if type(points) is int else None
        is_dealer = bool(self._collector.kyoku) and won.seat == self._collector.kyoku[-1].started.dealer
        given = won.value
        value = stated_value(
            yaku,
            given.han,
            given.fu,
            given.yakuman,
            worth,
            seats=SEATS,
            is_dealer=is_dealer,
            is_tsumo=won.loser is None,
        )
        return StatedEntry(place, replace(won, value=value, liable=liable), Stated(worth=worth, unknown_yaku=unknown))

    def _draw(self, place: FilePlace, drawn: ev.KyokuDrawn, content: dict[str, JSON]) -> None:
        """Add a draw, and the hands that are shown."""
        reason, shown = reason_named(str(content.get("name"))), content.get("shoupai")
        dealer = self._collector.kyoku[-1].started.dealer if self._collector.kyoku else 0
        for wind, hand in enumerate(shown if isinstance(shown, list) else []):
            seat = (dealer + wind) % SEATS
            faces = parse_shoupai(hand, seat).faces if isinstance(hand, str) and hand else None
            if reason in AT_THE_END:
                self._collector.add(place, ev.TenpaiDeclared(seat, faces is not None, faces, ()))
            elif faces is not None and reason is not ev.DrawReason.SANCHAHO:
                self._collector.add(place, ev.HandOpened(seat, faces, ()))
        self._collector.enter(StatedEntry(place, ev.KyokuDrawn(reason, drawn.changes)))


def _short(entry: JSON) -> str:
    names = ", ".join(entry) if isinstance(entry, dict) else type(entry).__name__
    return ascii(names[:60])


def assumed_rules(given: Fields) -> Ruleset:
    """Return the rules to assume for a game: Tenhou's, with whole results if those of the game are."""
    points = given.get("point")
    is_whole = isinstance(points, list) and bool(points) and not any("." in str(each) for each in points)
    return replace(ASSUMED, rounding=Rounding.WHOLE) if is_whole else ASSUMED


def read_end(given: Fields) -> ev.GameEnded | None:
    """Return the end of the game from its scores, results and places, which are by id; None if it has none."""
    first = given.get("qijia", 0)
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
    sniff=_LOG.match,
    read=read_paipu,
    state=state_paipu,
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
