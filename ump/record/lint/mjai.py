"""Read mjai's logs for the linter: every line as it stands there."""

from __future__ import annotations

from dataclasses import replace

from ump.model import events as ev
from ump.model.constants import DEALT_TILES
from ump.model.seats import Seat
from ump.model.tiles import WINDS
from ump.model.yaku import Yaku
from ump.record.game_builder import ASSUMED
from ump.record.hand_values import stated_value
from ump.record.lint.findings import (
    CheckedFields,
    Collector,
    DoraPlace,
    FilePlace,
    Findings,
    FormatStatements,
    Rule,
    StatedEntry,
    StatedGame,
    check_fields,
    read_fields,
    with_length,
    with_start,
)
from ump.record.mjai import DRAGONS, LENGTHS, unknown_yaku
from ump.record.record_format import FIELD, stated_rules
from ump.record.recorded_game import RecordError, Stated
from ump.rules.ruleset import Ruleset
from ump.wire.json_text import JSON
from ump.wire.mjai.read import MjaiReader
from ump.wire.text import WireError

FORM = FormatStatements(DoraPlace.IN_PLACE, sticks=True)

_PAID = ("deltas", "scores", "delta")
_URA = ("uradora_markers", "ura_markers", "ura_dora_markers")
_NEEDED: dict[str, tuple[str, ...]] = {
    "start_game": (),
    "start_kyoku": ("bakaze", "honba", "kyotaku", "oya", "dora_marker", "tehais"),
    "tsumo": ("actor", "pai"),
    "dahai": ("actor", "pai", "tsumogiri"),
    "reach": ("actor",),
    "reach_accepted": ("actor",),
    "dora": ("dora_marker",),
    "chi": ("actor", "target", "pai", "consumed"),
    "pon": ("actor", "target", "pai", "consumed"),
    "daiminkan": ("actor", "target", "pai", "consumed"),
    "ankan": ("actor", "consumed"),
    "kakan": ("actor", "pai", "consumed"),
    "kita": ("actor",),
    "nukidora": ("actor",),
    "hora": ("actor", "target"),
    "ryukyoku": (),
    "end_kyoku": (),
    "end_game": (),
}
"""The fields that each type of event needs."""

_ALSO: dict[str, tuple[str, ...]] = {
    "start_game": ("names", "id", "kyoku_first", "aka_flag", "uri", FIELD),
    "start_kyoku": ("kyoku", "scores", "kyoutaku"),
    "reach": ("pai", "tsumogiri"),
    "reach_accepted": _PAID,
    "kita": ("pai",),
    "nukidora": ("pai",),
    "hora": (
        *("pai", "hora_tehais", "yakus", "fu", "fan", "hora_points", "pao", "tsumo", "yaku", "han"),
        *_URA,
        *_PAID,
    ),
    "ryukyoku": ("actor", "reason", "tehais", "tenpais", *_PAID),
    "end_game": _PAID,
}
"""The further fields that some program writes."""

_ALWAYS = ("type", "logs", "metas", "meta", "can_act", "possible_actions", "cannot_dahai")
"""Fields that may stand in every event."""


def read_games(data: bytes, rules: Ruleset | None, findings: Findings) -> list[StatedGame]:
    """Return the games of a log, and report what is wrong with its lines. ``rules`` are those of unstated rules."""
    log = _StatedLog(rules, findings)
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            _read_line(log, FilePlace("line", number), line, findings)
    return log.finished()


def _read_line(log: _StatedLog, place: FilePlace, line: bytes, findings: Findings) -> None:
    try:
        read = read_fields(line)
    except WireError as error:
        findings.add(place, Rule.UNREADABLE, "a JSON object", str(error))
        log.lose(place)
        return
    for message in read if isinstance(read, list) else [read]:
        if isinstance(message, CheckedFields):
            log.read(place, message)
        else:
            findings.add(place, Rule.UNREADABLE, "a JSON object", type(message).__name__)


class _StatedLog:
    """All games of one file."""

    def __init__(self, rules: Ruleset | None, findings: Findings) -> None:
        self._rules = rules
        self._findings = findings
        self._games: list[StatedGame] = []
        self._begin({})

    def _begin(self, start: CheckedFields | dict[str, JSON]) -> None:
        self._reader = MjaiReader(is_log=True, judges=False)
        self._collector = Collector(self._findings)
        self._ended: tuple[ev.GameEnded | None, FilePlace] = (None, FilePlace())
        self._stated: Ruleset | None = None
        self._own_counting = False
        first = start.get("kyoku_first")
        self._length = LENGTHS.get(first) if type(first) is int else None
        own = start.get(FIELD)
        if isinstance(own, dict):
            self._own_counting = own.get("own_counting") is True
            try:
                self._stated = stated_rules(own)
            except RecordError as error:
                self._findings.add(FilePlace("line", 1), Rule.WRONG_VALUE, "rules", str(error))
        results, places = (own.get(name) if isinstance(own, dict) else None for name in ("results", "places"))
        self._results = (_integers(results), _integers(places))

    def finished(self) -> list[StatedGame]:
        """Return the games."""
        kyoku = self._collector.finished()
        if kyoku:
            stated = self._stated or self._rules
            rules = stated or with_start(ASSUMED, kyoku[0].started)
            ended, place = self._ended
            game = StatedGame(rules, stated is not None, kyoku, ended, place, self._own_counting)
            self._games.append(game if self._stated is not None else with_length(game, self._length))
        return self._games

    def lose(self, place: FilePlace, seat: Seat | None = None) -> None:
        """Note a line that may be a move."""
        self._collector.lose(place, seat)

    def read(self, place: FilePlace, message: CheckedFields) -> None:
        """Read one event."""
        type_ = message.get("type")
        if not isinstance(type_, str) or type_ not in _NEEDED:
            if type_ not in ("hello", "error", "none"):
                expected = f"one of {', '.join(_NEEDED)}"
                self._findings.add(place, Rule.UNKNOWN_EVENT, expected, ascii(type_)[:40])
            return
        if type_ == "start_game":
            self.finished()
            self._begin(message)
        known = {*_ALWAYS, *_NEEDED[type_], *_ALSO.get(type_, ())}
        check_fields(self._findings, place, type_, message, known, _NEEDED[type_])
        try:
            self._read(place, message, type_)
        except (WireError, RecordError) as error:
            self._report(place, type_, message, str(error))

    def _report(self, place: FilePlace, type_: str, message: CheckedFields, error: str) -> None:
        """Report an event that the reader refuses, and go on after it."""
        if type_ == "start_kyoku":
            self._collector.skip_kyoku()
        hands = message.get("tehais")
        sizes = [len(hand) for hand in hands if isinstance(hand, list)] if isinstance(hands, list) else []
        if type_ == "start_kyoku" and any(size != DEALT_TILES for size in sizes):
            found = ", ".join(map(str, sizes))
            self._findings.add(place, Rule.DEAL, f"hands of {DEALT_TILES} tiles", f"hands of {found}")
            return
        is_meld = type_ in ("chi", "pon", "daiminkan", "ankan", "kakan") and "meld" in error
        self._findings.add(place, Rule.MELD if is_meld else Rule.WRONG_VALUE, f"{type_} as the format has it", error)
        actor = message.get("actor")
        self.lose(place, actor if type(actor) is int and 0 <= actor < self._reader.seats else None)

    def _read(self, place: FilePlace, message: CheckedFields, type_: str) -> None:
        for event in self._reader.read(message):
            match event:
                case ev.GameStarted() | ev.KyokuEnded():
                    pass
                case ev.GameEnded():
                    if "scores" in message:
                        results, places = self._results
                        self._ended = (replace(event, results=results, places=places), place)
                case ev.HandWon():
                    self._collector.enter(self._win(place, event, message))
                case ev.KyokuDrawn() | ev.RiichiPaid():
                    self._collector.enter(StatedEntry(place, event, None, self._scores(message)))
                case _:
                    number = self._number(message) if type_ == "start_kyoku" else None
                    self._collector.add(place, event, number)

    def _number(self, message: CheckedFields) -> Stated | None:
        """Return the number of the kyoku that a start states beside its dealer."""
        kyoku, wind = message.get("kyoku"), message.get("bakaze")
        if type(kyoku) is not int or not isinstance(wind, str) or wind not in "ESWN":
            return None
        return Stated(number="ESWN".index(wind) * len(WINDS) + kyoku - 1)

    def _scores(self, message: CheckedFields) -> tuple[int, ...] | None:
        scores = _integers(message.get("scores"))
        return scores if len(scores) == self._reader.seats else None

    def _win(self, place: FilePlace, won: ev.HandWon, message: CheckedFields) -> StatedEntry:
        points = message.get("hora_points")
        worth = points if type(points) is int else None
        unknown = unknown_yaku(message)
        if unknown is not None:
            self._findings.add(place, Rule.WRONG_VALUE, "yakus: names of yaku", unknown)
        yaku = [] if unknown else [*won.value.yaku, *_dragons(message)]
        is_dealer = bool(self._collector.kyoku) and won.seat == self._collector.kyoku[-1].started.dealer
        value = stated_value(
            yaku,
            won.value.han,
            won.value.fu,
            won.value.yakuman,
            worth,
            seats=self._reader.seats,
            is_dealer=is_dealer,
            is_tsumo=won.loser is None,
        )
        stated = Stated(worth=worth)
        return StatedEntry(place, replace(won, value=value), stated, self._scores(message))


def _dragons(message: CheckedFields) -> list[tuple[Yaku, int]]:
    """Return one yaku for each triplet of dragons, which share a name."""
    pairs = message.get("yakus")
    names = [pair[0] for pair in pairs if isinstance(pair, list) and pair] if isinstance(pairs, list) else []
    return [(Yaku.HAKU, 1)] * names.count(DRAGONS)


def _integers(given: JSON) -> tuple[int, ...]:
    return tuple(each for each in given if type(each) is int) if isinstance(given, list) else ()
